/** Whether a value is what an empty field returns. */
export function isBlank(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** Reads a number, which may be given as a string; undefined for anything else. */
export function numberIn(value: unknown): number | undefined {
	const number = typeof value === 'string' && !isBlank(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Makes the first letter a capital. */
export function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Makes the first letter a small one. */
export function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Formats an amount in USD with as many digits as it needs, up to six after the point. */
export function formatUsd(amount: number): string {
	return String(Number(amount.toFixed(6)));
}

/** Line breaks, other control characters, marks that change the direction of writing, and lone surrogates. */
const UNREADABLE =
	/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/**
 * Converts a string of any origin to one line for an error, a hint or the log. n8n shows errors and hints as HTML, so no `<` may
 * begin a tag.
 */
export function toOneLine(text: string): string {
	return text.replace(UNREADABLE, ' ').replace(/<(?=[a-z/!?])/gi, '< ');
}

/** Returns the first `maxChars` characters, followed by `…` if there are more; never half a character. */
export function cut(text: string, maxChars: number): string {
	if (text.length <= maxChars) return text;
	return `${text.slice(0, maxChars).replace(/\p{Surrogate}$/u, '')}…`;
}

/** `workersMin` becomes `workers_min`. */
export function snakeCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the first of the named members that is a non-blank string or a number, as a string; '' if there is none. */
export function textOfMember(entry: Record<string, unknown>, ...names: string[]): string {
	for (const name of names) {
		const value = entry[name];
		if (typeof value === 'string' && value.trim() !== '') return value.trim();
		if (typeof value === 'number') return String(value);
	}
	return '';
}
