/**
 * Texts of the service's lists go into the editor's forms and pickers, where n8n reads one that begins with `=` as an expression, and
 * `$fromAI(` as an argument of an agent's tool.
 */

/** Longest text taken from the list, characters. */
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
	// Cutting may part a pair of surrogates, and end in a space.
	return text
		.slice(0, longest)
		.replace(/\p{Surrogate}/gu, '')
		.trim();
}

/** True for a text that the list may hold as it stands: n8n would show exactly it. */
export function isClean(text: string): boolean {
	return text !== '' && cleanText(text) === text;
}

/**
 * True for a name that can be the id of a field: n8n builds paths such as `value["steps"]` from it, which a quote or bracket would break,
 * and sets members of that name.
 */
export function isFieldName(name: string): boolean {
	return (
		/^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(name) &&
		name.length <= LONGEST_NAME &&
		!['__proto__', 'constructor', 'prototype'].includes(name)
	);
}
