import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { digest, stableJson } from '../base/hash';
import { CAUSES } from '../errors/errorTable';
import { failureOf, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { outputToKeep } from '../journal/journal';
import { raceWithStop, type RunSession } from '../run/session';
import { mayHaveBeenCarriedOut } from '../service/retry';

/** An action that isn't a request: an upload, a change, a creation. */
export interface Action {
	itemIndex: number;
	/** In the user's words: "creating the API key". */
	subject: string;
	/** Where the user sees whether it was done, as a sentence; undefined if doing it twice does no harm. */
	whenUnknown?: string;
	/** What is sent, for an action that must not be done twice: the same request counts as the same action, also for "Execute step" in the editor. */
	request?: unknown;
	/** Whether the user wants the action repeated after an unknown outcome. */
	sendAgainIfUnsure?: boolean;
	/** Whether `work` itself ends after Stop. Any other action goes on, and its outcome is recorded. */
	endsAfterStop?: true;
}

/**
 * Does an action once per execution: a retry returns the output of the earlier attempt. An action with an unknown outcome is repeated only if that
 * does no harm, or if the user asked for it. `wasTried`: an earlier attempt may have done it.
 * @throws what `work` throws, or SegmindFailure if the action may have been done and must not be done twice, or as soon as the execution is stopped
 */
export async function doOnce(
	session: RunSession,
	action: Action,
	work: (wasTried: boolean) => Promise<INodeExecutionData>,
): Promise<INodeExecutionData> {
	const { clock, journal } = session;
	const { itemIndex, subject, whenUnknown, request } = action;
	const itemJournal = journal.ofItem(itemIndex);
	const evaluated = request === undefined ? undefined : digest(stableJson(request));
	const earlier =
		itemJournal.sameEntry ??
		itemJournal.leftEntries.find((left) => evaluated && left.evaluated === evaluated);
	if (earlier) itemJournal.write(earlier);
	if (earlier?.is === 'accepted' && earlier.output) return { json: earlier.output.json };
	if (earlier && whenUnknown !== undefined) {
		const values = { subject, item: itemIndex, found: whenUnknown };
		if (earlier.is !== 'sent' || !action.sendAgainIfUnsure)
			throw failureOf('unknownOutcome', CAUSES.maybeDone, values, { outcomeUnknown: true });
		session.hints.add(fill(HINTS.resent, values));
	}
	const call = { id: randomUUID() as string, at: clock.now(), evaluated };
	const sent = { ...call, is: 'sent', by: journal.credential } as const;
	const perform = async () => {
		itemJournal.write(sent);
		const item = await work(earlier !== undefined).catch((error: unknown) => {
			itemJournal.write(mayHaveHappened(error) ? { ...sent, lostAt: clock.now() } : earlier);
			return Promise.reject(error);
		});
		itemJournal.write({ ...call, is: 'accepted', output: outputToKeep(item) });
		return item;
	};
	if (action.endsAfterStop) return await perform();
	const todo = whenUnknown ?? CAUSES.changeUnknown.todo;
	const whenStopped = { ...CAUSES.stoppedSending, todo };
	return await raceWithStop(session, perform(), whenStopped);
}

function mayHaveHappened(error: unknown): boolean {
	if (!(error instanceof SegmindFailure)) return false;
	const { outcomeUnknown, httpCode = 0 } = error.facts;
	return outcomeUnknown === true || mayHaveBeenCarriedOut(httpCode);
}
