import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { digest, stableJson } from '../base/hash';
import { CAUSES } from '../errors/errorTable';
import { failureOf, fill, stoppedFailure, withOpenOutcome } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { outputToKeep } from '../journal/journal';
import type { Item } from '../run/item';
import { raceWithStop, type RunSession } from '../run/session';
import type { CallWatch } from '../service/retry';

/** An action that isn't a request: an upload, a change, a creation. */
export interface Action {
	/** In the user's words: "creating the API key". */
	subject: string;
	/** Where the user sees whether it was done, as a sentence; undefined if doing it twice does no harm. */
	whenUnknown?: string;
	/** What is sent, for an action that must not be done twice: the same request counts as the same action, also for "Execute step" in the editor. */
	request?: unknown;
	/** Whether the user wants the action repeated after an unknown outcome. */
	sendAgainIfUnsure?: boolean;
}

/**
 * Does an action once per execution: a retry returns the output of the earlier attempt. An action with an unknown outcome is repeated only if that
 * does no harm, or if the user asked for it. `work` passes `watch` to its call; an upload need not, because it's free. A call that is under way is
 * finished after Stop. `wasTried`: an earlier attempt may have done it.
 * @throws what `work` throws, or SegmindFailure if the action may have been done and must not be done twice, or as soon as the execution is stopped
 */
export async function doOnce(
	item: Item<RunSession>,
	action: Action,
	work: (watch: CallWatch, wasTried: boolean) => Promise<INodeExecutionData>,
): Promise<INodeExecutionData> {
	const { session, index } = item;
	const { clock, journal } = session;
	const { subject, whenUnknown, request } = action;
	const itemJournal = journal.ofItem(index);
	const evaluated = request === undefined ? undefined : digest(stableJson(request));
	const earlier =
		itemJournal.sameEntry ??
		itemJournal.leftEntries.find((left) => evaluated && left.evaluated === evaluated);
	if (earlier) itemJournal.write(earlier);
	if (earlier?.is === 'accepted' && earlier.output) return { json: earlier.output.json };
	const values = { subject, found: whenUnknown };
	const isRepeat = earlier !== undefined && whenUnknown !== undefined;
	if (isRepeat && (earlier.is !== 'sent' || !action.sendAgainIfUnsure))
		throw failureOf('unknownOutcome', CAUSES.maybeDone, values, { outcomeUnknown: true });
	const call = { id: randomUUID() as string, at: clock.now(), evaluated };
	const sent = { ...call, is: 'sent', credential: journal.credentialId } as const;
	// Before the call waits for the rate limit: a second retry must not do it meanwhile.
	itemJournal.write(sent);
	let isUnderWay = false;
	const watch: CallWatch = {
		sending: () => {
			isUnderWay = true;
			if (isRepeat) session.report.addHint({ item: index, text: fill(HINTS.resent, values) });
		},
		notAccepted: () => {
			isUnderWay = false;
		},
	};
	const perform = async () => {
		const output = await work(watch, earlier !== undefined).catch((error: unknown) => {
			const mayBeDone = error instanceof SegmindFailure && error.facts.outcomeUnknown;
			itemJournal.write(mayBeDone ? { ...sent, lostAt: clock.now() } : earlier);
			return Promise.reject(isRepeat ? withOpenOutcome(error, subject) : error);
		});
		itemJournal.write({ ...call, is: 'accepted', output: outputToKeep(output) });
		return output;
	};
	const whenStopped = { ...CAUSES.stoppedSending, todo: whenUnknown ?? CAUSES.changeUnknown.todo };
	return await raceWithStop(session, perform(), () =>
		isUnderWay || earlier ? failureOf('stopped', whenStopped) : stoppedFailure(),
	);
}
