import type { IPollFunctions } from 'n8n-workflow';

import { endAt, systemClock } from '../shared/base/clock';
import { RunEvents } from '../shared/run/runEvents';
import type { OutputRun } from '../shared/run/run';
import { Client, readCredential } from '../shared/service/client';

/** What the functions of one poll share. */
export interface PollRun extends OutputRun {
	context: IPollFunctions;
	/** When the poll must have ended, ms since the epoch. */
	endsAt: number;
	/** Identifies the credential and its Base URL. A stored state of another owner isn't used. */
	stateOwner: string;
}

/** Time for a poll if n8n grants none. n8n's shortest interval is a minute. */
const DEFAULT_BUDGET_MS = 50_000;
/** The rest of the budget is for emitting the items. */
const USED_SHARE = 0.9;

/** Does the work of a poll, with the credential and a deadline. @throws what `work` throws, and if the credential can't be read */
export async function withPollRun<T>(
	context: IPollFunctions,
	work: (run: PollRun) => Promise<T>,
): Promise<T> {
	const credential = await readCredential(context);
	// Only newer n8n (2.38) has this method.
	const granted = (context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>).getPollBudgetMs?.();
	const budget = typeof granted === 'number' && granted > 0 ? granted : DEFAULT_BUDGET_MS;
	const endsAt = systemClock.now() + budget * USED_SHARE;
	// There is one deadline for everything: it ends the calls under way and decides whether another call begins.
	const deadline = new AbortController();
	const close = endAt(
		systemClock,
		() => endsAt,
		undefined,
		() => deadline.abort(),
	);
	const { signal } = deadline;
	const client = new Client({ ...credential, context, signal, endsAt });
	const events = new RunEvents();
	const stateOwner = `${credential.credentialId}|${credential.urls.baseUrl}`;
	try {
		return await work({ context, client, endsAt, stateOwner, isTool: false, events });
	} finally {
		close();
	}
}

/** Returns the time until the deadline, in ms; negative afterwards. */
export function timeLeft(run: PollRun): number {
	return run.endsAt - run.client.clock.now();
}

/** Returns the service's time, in ms since the epoch, according to the responses so far. */
export function serviceNow({ client }: PollRun): number {
	return client.clock.now() + client.serverClock.offsetMs;
}
