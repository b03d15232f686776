import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import { CAUSES } from '../../errors/errorTable';
import { failureOf } from '../../errors/failures';
import { decide, type Entry } from '../../journal/entry';
import type { RunSession } from '../../run/session';
import { mayBeCarriedOut } from '../../service/retry';

/** Something an item does at the service that has no request of its own: an upload, a change, a key. */
interface Action {
	itemIndex: number;
	/** In the user's words: "creating the API key". */
	subject: string;
	/** What to look at when an earlier try has an unknown outcome; undefined when doing it twice does no harm. */
	whenUnknown?: string;
}

/**
 * Does it once in an execution: a retry gives what the earlier try gave. One whose outcome is unknown is repeated only when that does no harm.
 * `wasTried`: an earlier try may have done it.
 * @throws SegmindFailure what `work` throws, or when it may have been done and must not be done twice
 */
export async function doOnce(
	session: RunSession,
	{ itemIndex, subject, whenUnknown }: Action,
	work: (wasTried: boolean) => Promise<INodeExecutionData>,
): Promise<INodeExecutionData> {
	const { clock, journal } = session;
	const one = journal.of(itemIndex);
	await one.find();
	const before = one.entry;
	const decision = decide(before, {
		isHarmlessTwice: whenUnknown === undefined,
		isSearchable: false,
		sendAgainIfUnsure: false,
		credential: journal.credential,
	});
	if (decision.do === 'give') return { json: decision.output.json };
	if (decision.do === 'refuse')
		throw failureOf(
			'unknownOutcome',
			CAUSES.maybeDone,
			{ subject, found: whenUnknown },
			{ outcomeUnknown: true },
		);
	const sent: Entry = { is: 'sent', id: randomUUID(), at: clock.now(), by: journal.credential };
	one.write(sent);
	const item = await work(before !== undefined).catch((error: unknown) => {
		one.write(mayHaveHappened(error) ? { ...sent, lostAt: clock.now() } : before);
		return Promise.reject(error);
	});
	one.finish(item);
	return item;
}

function mayHaveHappened(error: unknown): boolean {
	if (!(error instanceof SegmindFailure)) return false;
	const { outcomeUnknown, httpCode = 0 } = error.facts;
	return outcomeUnknown === true || mayBeCarriedOut(httpCode);
}
