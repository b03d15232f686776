import type { IPollFunctions } from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import type { OutputSession } from '../shared/run/session';
import { Client, readCredential } from '../shared/service/client';
import { timeLimits } from '../shared/service/timeLimits';

/** What one poll works with. */
export interface PollSession extends OutputSession {
	context: IPollFunctions;
	/** When the poll must be over, ms since the epoch. */
	endsAt: number;
	/** Credential and address. The kept state belongs to them: another account starts over. */
	account: string;
	/** Stops watching the deadline. */
	close(): void;
}

/** Time of a poll where n8n does not say, ms. Its shortest interval is a minute. */
const DEFAULT_BUDGET_MS = 50_000;
/** Kept free for emitting what was found: a tenth of the budget, but no more than this, ms. */
const RESERVE_MS = 5_000;

/** Reads the credential and sets the deadline; `close` must be called when the poll is over. @throws when the credential cannot be read */
export async function openPoll(context: IPollFunctions): Promise<PollSession> {
	const { urls, secrets, credential } = await readCredential(context);
	// Only newer n8n has this method (docs/n8n.md N224).
	const granted = (context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>).getPollBudgetMs?.();
	const budget = typeof granted === 'number' && granted > 0 ? granted : DEFAULT_BUDGET_MS;
	const usable = budget - Math.min(budget / 10, RESERVE_MS);
	const endsAt = systemClock.now() + usable;
	// One deadline for everything: calls under way end by the clock that decides whether another one is begun.
	const deadline = new AbortController();
	const close = timeLimits.watch(
		() => endsAt,
		() => deadline.abort(),
	);
	const { signal } = deadline;
	return {
		context,
		client: new Client({ context, urls, secrets, credential, signal, endsAt }),
		endsAt,
		close,
		isTool: false,
		spent: 0,
		hints: new Set(),
		account: `${credential.id}|${urls.baseUrl}`,
	};
}

/** Time until the poll must be over, ms; negative afterwards. */
export function timeLeft(session: PollSession): number {
	return session.endsAt - session.client.clock.now();
}

/** The service's time, ms since the epoch, as far as its answers have shown it. */
export function serviceNow(session: PollSession): number {
	return session.client.clock.now() + session.client.serverClock.offsetMs;
}
