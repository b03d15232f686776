/**
 * Cleans texts of the service's lists before they appear in forms and pickers of the editor. There n8n evaluates a text that begins with `=` as an
 * expression, and treats `$fromAI(` as an argument of an agent's tool.
 */

/** Longest text of a list entry, characters. */
const LONGEST = 200;
/** Longest name of a parameter, characters. */
const LONGEST_NAME = 100;

/** A text or number as one line that n8n shows and never evaluates; '' for anything else. */
export function cleanText(value: unknown, longest = LONGEST): string {
	if (typeof value !== 'string') return Number.isFinite(value) ? String(value) : '';
	let text = value.slice(0, 4 * longest);
	for (let before = ''; before !== text; ) {
		before = text;
		text = text
			.replace(/[\p{Cc}\p{Cf}\p{Surrogate}]+/gu, ' ')
			.replace(/\$fromAI\s*\(/gi, '')
			.replace(/^[\s=]+/, '')
			.trim();
	}
	// Cutting may leave half of a surrogate pair, or a trailing space.
	return text
		.slice(0, longest)
		.replace(/\p{Surrogate}/gu, '')
		.trim();
}

/** Whether n8n would show a text unchanged. */
export function isClean(text: string): boolean {
	return text !== '' && cleanText(text) === text;
}

/**
 * Whether a name can be the ID of a form field. n8n builds paths such as `value["steps"]` from it, which a quote or bracket would break, and sets
 * members of that name.
 */
export function isFieldName(name: string): boolean {
	return (
		/^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(name) &&
		name.length <= LONGEST_NAME &&
		!['__proto__', 'constructor', 'prototype'].includes(name)
	);
}
