/** What errors say, by the error table: a test names a row, and a changed text changes no test. */
import { STATUSES } from '../../nodes/shared/errors/statusTable';

/** Matches these texts one after another, whatever fills their braces. */
export function patternOf(...texts: string[]): RegExp {
	const patterns = texts.map((text) =>
		text
			.split(/\{\w+\}/)
			.map(escapeRegExp)
			.join('.*'),
	);
	return new RegExp(patterns.join('.*'), 's');
}

/** Matches the message of a refusal: the row's words, its status, and the service's own. */
export function rejectionPattern(row: keyof typeof STATUSES, reason = ''): RegExp {
	return patternOf(`${STATUSES[row].what} (HTTP {status})`, reason);
}

function escapeRegExp(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
