import type { IWebhookFunctions } from 'n8n-workflow';

import { safeTextOf } from '../shared/base/redact';
import { countInMinute } from './memory';

/** The maximum number of log lines per minute and node, because anybody on the internet can cause some. */
const MAX_LINES_PER_MINUTE = 30;
/** Longest text of a line. */
const MAX_LINE_CHARS = 600;

/** Writes a log line without secrets, unless the node has reached its limit of lines for this minute. */
export function log(context: IWebhookFunctions, text: string): void {
	const count = countInMinute(context, 'lines');
	if (count > MAX_LINES_PER_MINUTE) return;
	const more = count === MAX_LINES_PER_MINUTE ? '; no further lines are logged for a minute' : '';
	const name = safeTextOf(context.getNode().name, 100);
	context.logger.warn(
		`Segmind Fine-Tune Trigger '${name}': ${safeTextOf(text, MAX_LINE_CHARS)}${more}`,
	);
}

export function logFault(context: IWebhookFunctions, error: unknown): void {
	const reason = error instanceof Error ? error.message : String(error);
	log(context, `a delivery could not be handled: ${reason}`);
}
