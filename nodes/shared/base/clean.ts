/**
 * Cleans texts of the service's lists before they appear in forms and pickers of the editor. There n8n evaluates a text that begins with `=` as an
 * expression, and treats `$fromAI(` as an argument of an agent's tool.
 */

/** Longer texts of list entries are cut, because pickers and forms have little room. */
const MAX_TEXT_CHARS = 200;
/** A longer name isn't a parameter's: it can only be an error or an attack. */
const MAX_NAME_CHARS = 100;

/** Converts a string or a number to one line that n8n shows and never evaluates; returns '' for anything else. */
export function cleanText(value: unknown, maxChars = MAX_TEXT_CHARS): string {
	if (typeof value !== 'string') return Number.isFinite(value) ? String(value) : '';
	// The removals below shorten a string, so more of it is read than is returned.
	let text = value.slice(0, 4 * maxChars);
	for (let previous = ''; previous !== text; ) {
		previous = text;
		text = text
			.replace(/[\p{Cc}\p{Cf}\p{Surrogate}]+/gu, ' ')
			.replace(/\$fromAI\s*\(/gi, '')
			.replace(/^[\s=]+/, '')
			.trim();
	}
	// Cutting may leave half of a surrogate pair, or a trailing space.
	return text
		.slice(0, maxChars)
		.replace(/\p{Surrogate}/gu, '')
		.trim();
}

/** Whether n8n would show a string unchanged. */
export function isClean(text: string): boolean {
	return text !== '' && cleanText(text) === text;
}

/**
 * Whether a name can be the ID of a form field. n8n builds paths such as `value["steps"]` from it, which a quote or bracket would break, and sets
 * members of that name, so `__proto__` and its like are excluded.
 */
export function isFieldName(name: string): boolean {
	return (
		/^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(name) &&
		name.length <= MAX_NAME_CHARS &&
		!['__proto__', 'constructor', 'prototype'].includes(name)
	);
}
