import { SegmindFailure } from './failure';
import { redact, safeTextOf, type Redact } from './redact';

/** Leaves room for the place in the longest message of a failure. */
const MAX_MESSAGE_CHARS = 800;
/** The last part of a stack's line about a file below `nodes`, with the slashes of any system: the file and its line. */
const OWN_FRAME =
	/^ {4}at .{0,500}[\\/]nodes[\\/](?:shared[\\/](?!node_modules)|(?=Segmind))((?:[\w-]{1,50}[\\/]){0,2}[\w.-]{1,50}:\d{1,6}):\d+/m;

/**
 * Returns the message of an error of any origin, without secrets and of limited length. An unexpected error also names the first place in this package
 * on its stack, such as `(at output/makeOutput.js:66)`, because users report the message and not the stack.
 */
export function describeError(error: unknown, redactText: Redact = redact): string {
	const { message } = (error ?? {}) as Partial<Error>;
	const text = safeTextOf(message || String(error), MAX_MESSAGE_CHARS, redactText);
	const place = isExpected(error) ? undefined : placeOf(error);
	return place === undefined ? text : `${text} (at ${place})`;
}

/** Whether an error was written for the user: by this package or, if it has a level, by n8n, such as the error for a wrong expression. */
export function isExpected(error: unknown): error is Error {
	if (error instanceof SegmindFailure) return true;
	return typeof error === 'object' && error !== null && 'level' in error;
}

function placeOf(error: unknown): string | undefined {
	const { stack, message } = (error ?? {}) as Partial<Error>;
	if (typeof stack !== 'string' || typeof message !== 'string') return undefined;
	// The stack begins with the message, which may have any text.
	const [, place] = OWN_FRAME.exec(stack.replace(message, () => '')) ?? [];
	return place?.replaceAll('\\', '/');
}
