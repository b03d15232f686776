import type { IPollFunctions, INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { SegmindFailure } from '../shared/base/failure';
import type { OutputSession } from '../shared/run/session';
import { Client, readCredential } from '../shared/service/client';
import { timeLimits } from '../shared/service/timeLimits';

/** What one poll works with. */
export interface PollSession extends OutputSession {
	context: IPollFunctions;
	/** When the poll must be over, ms since the epoch. */
	endsAt: number;
	close(): void;
	/** What the kept state belongs to, besides the event: another account begins anew. */
	account: string;
}

/** Time of a poll where n8n does not say, ms: its shortest interval is a minute. */
const USUAL_BUDGET_MS = 50_000;
/** Left for putting out what was found: a tenth of the budget, but no more than this, ms. */
const RESERVE_MS = 5_000;

/** Opens a poll; `close` must be called when it is over. */
export async function openPoll(context: IPollFunctions): Promise<PollSession> {
	const { urls, secrets, credential } = await readCredential(context);
	// Not every supported n8n has this method.
	const told = (context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>).getPollBudgetMs?.();
	const budget = typeof told === 'number' && told > 0 ? told : USUAL_BUDGET_MS;
	const usable = budget - Math.min(budget / 10, RESERVE_MS);
	const endsAt = systemClock.now() + usable;
	// One deadline: what is under way when the time is up ends by the same clock that everything else looks at.
	const ending = new AbortController();
	const close = timeLimits.watch(
		() => endsAt,
		() => ending.abort(),
	);
	const { signal } = ending;
	return {
		context,
		client: new Client({ context, urls, secrets, credential, signal, endsAt }),
		clock: systemClock,
		signal,
		endsAt,
		close,
		isTool: false,
		spent: 0,
		hints: new Set(),
		account: `${credential.id}|${urls.baseUrl}`,
	};
}

export function timeLeft(session: PollSession): number {
	return session.endsAt - session.clock.now();
}

/** The service's time, ms since the epoch, as far as its answers have told it. */
export function serverNow(session: PollSession): number {
	return session.clock.now() + session.client.serverClock.offsetMs;
}

/** True for a fault that the next poll may get past; the end of this poll's time is one. */
export function isPassingFault(error: unknown): error is SegmindFailure {
	if (!(error instanceof SegmindFailure)) return false;
	const { passing, stopped, httpCode = 0 } = error.facts;
	return passing === true || stopped === true || httpCode === 429 || httpCode >= 500;
}

/** n8n's error for a failure, in our words. */
export function nodeError(node: INode, error: unknown): Error {
	if (!(error instanceof SegmindFailure))
		return error instanceof Error ? error : new NodeOperationError(node, String(error));
	const { message, description, httpCode } = error.facts;
	const shown =
		httpCode === undefined
			? new NodeOperationError(node, message, { description })
			: new NodeApiError(node, { message }, { message, description, httpCode: String(httpCode) });
	// n8n puts sentences of its own in place of messages that contain certain words.
	shown.message = message;
	shown.description = description;
	return shown;
}
