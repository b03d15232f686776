import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import { outputToKeep } from '../journal/journal';
import type { RunSession } from '../run/session';
import { mayHaveBeenCarriedOut } from '../service/retry';

/** An action that isn't a request: an upload, a change, creating a key. */
interface Action {
	itemIndex: number;
	/** In the user's words: "creating the API key". */
	subject: string;
	/** What the user checks if an earlier attempt has an unknown outcome; undefined if doing the action twice does no harm. */
	whenUnknown?: string;
}

/**
 * Does an action once per execution: a retry returns the output of the earlier attempt. An action with an unknown outcome is repeated only if that
 * does no harm. `wasTried`: an earlier attempt may have done it.
 * @throws what `work` throws, or SegmindFailure if the action may have been done and must not be done twice
 */
export async function doOnce(
	session: RunSession,
	{ itemIndex, subject, whenUnknown }: Action,
	work: (wasTried: boolean) => Promise<INodeExecutionData>,
): Promise<INodeExecutionData> {
	const { clock, journal } = session;
	const itemJournal = journal.ofItem(itemIndex);
	const earlier = itemJournal.sameEntry;
	if (earlier?.is === 'accepted' && earlier.output) return { json: earlier.output.json };
	if (earlier && (earlier.is !== 'sent' || whenUnknown !== undefined)) {
		const values = { subject, found: whenUnknown };
		throw failureOf('unknownOutcome', CAUSES.maybeDone, values, { outcomeUnknown: true });
	}
	const call = { id: randomUUID(), at: clock.now() };
	const sent = { ...call, is: 'sent', by: journal.credential } as const;
	itemJournal.write(sent);
	const item = await work(earlier !== undefined).catch((error: unknown) => {
		itemJournal.write(mayHaveHappened(error) ? { ...sent, lostAt: clock.now() } : earlier);
		return Promise.reject(error);
	});
	itemJournal.write({ ...call, is: 'accepted', output: outputToKeep(item) });
	return item;
}

function mayHaveHappened(error: unknown): boolean {
	if (!(error instanceof SegmindFailure)) return false;
	const { outcomeUnknown, httpCode = 0 } = error.facts;
	return outcomeUnknown === true || mayHaveBeenCarriedOut(httpCode);
}
