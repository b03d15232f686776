/** Line breaks, other control characters, marks that turn the direction of writing, and halves of characters. */
const UNREADABLE =
	/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/**
 * A text in one line, as it may stand in an error, a hint or a line of the log, whoever wrote it. n8n shows hints and what errors say as HTML
 * (docs/n8n.md N152), so none of it begins a tag.
 */
export function oneLine(text: string): string {
	return text.replace(UNREADABLE, ' ').replace(/<(?=[a-z/!?])/gi, '< ');
}

/** The first `longest` characters, with a mark when there were more; never half a character. */
export function cut(text: string, longest: number): string {
	if (text.length <= longest) return text;
	return `${text.slice(0, longest).replace(/\p{Surrogate}$/u, '')}…`;
}
