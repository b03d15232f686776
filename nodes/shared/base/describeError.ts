import { SegmindFailure } from './failure';
import { redact, safeTextOf, type Redact } from './redact';

const MAX_MESSAGE_CHARS = 800;

/** Returns the message of an error of any origin, without secrets and of limited length. */
export function describeError(error: unknown, redactText: Redact = redact): string {
	const { message } = (error ?? {}) as Partial<Error>;
	return safeTextOf(message || String(error), MAX_MESSAGE_CHARS, redactText);
}

/** Whether an error was written for the user: by this package or, if it has a level, by n8n, such as the error for a wrong expression. */
export function isExpected(error: unknown): error is Error {
	if (error instanceof SegmindFailure) return true;
	return typeof error === 'object' && error !== null && 'level' in error;
}
