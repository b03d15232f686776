/** Patterns for the texts of errors and hints: a test names a row, or calls the function that makes the text, so it doesn't change when the text does. */
import type { Said } from '../../nodes/shared/errors/say';
import { STATUSES } from '../../nodes/shared/errors/statusTable';

/** Returns a pattern that matches the texts in this order, with anything in place of their {placeholders} and between them. */
export function patternOf(...texts: Array<string | Said>): RegExp {
	const patterns = texts.map((text) =>
		(typeof text === 'object' ? text.said : text)
			.split(/\{\w+\}/)
			.map(escapeRegExp)
			.join('.*'),
	);
	return new RegExp(patterns.join('.*'), 's');
}

/** Returns a pattern that matches the message of a rejection: the row's text, the HTTP status, and the service's own message. */
export function rejectionPattern(row: keyof typeof STATUSES, reason = ''): RegExp {
	return patternOf(`${STATUSES[row].what} (HTTP {status})`, reason);
}

function escapeRegExp(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
