import type { IWebhookFunctions } from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { oneLine } from '../shared/base/readable';
import { redact, shown } from '../shared/base/redact';
import { excerpt } from '../shared/service/errorBody';
import { scopeOf } from './nodeScope';

/** Anybody on the internet can cause log lines, so a node writes few of them in each window. */
const WINDOW_MS = 60_000;
const MOST_LINES = 30;

interface Window {
	/** ms since the epoch. */
	endsAt: number;
	lines: number;
}

/** By node. */
const windows = new Map<string, Window>();

/** Writes one line of the log, without secrets; leaves it out when the node has written enough. */
export function log(context: IWebhookFunctions, text: string): void {
	const lines = countLine(scopeOf(context), systemClock.now());
	if (lines > MOST_LINES) return;
	const more = lines === MOST_LINES ? '; further lines are left out for a minute' : '';
	const name = shown(context.getNode().name);
	context.logger.warn(`Segmind Fine-Tune Trigger '${name}': ${oneLine(redact(text))}${more}`);
}

export function logFault(context: IWebhookFunctions, error: unknown): void {
	const reason = error instanceof Error ? error.message : String(error);
	log(context, `a delivery could not be handled: ${excerpt(reason)}`);
}

/** Lines of the node in the current window, this one included. */
function countLine(scope: string, now: number): number {
	const current = windows.get(scope);
	const window =
		current !== undefined && now < current.endsAt ? current : { endsAt: now + WINDOW_MS, lines: 0 };
	windows.set(scope, window);
	window.lines++;
	return window.lines;
}
