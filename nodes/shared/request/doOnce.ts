import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { decide } from '../journal/lifecycle';
import type { RunSession } from '../run/session';
import { mayBeCarriedOut } from '../service/retry';

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
	const record = journal.record(itemIndex, session.items[itemIndex]);
	const decision = decide(record.entry, {
		isHarmlessTwice: whenUnknown === undefined,
		searchable: false,
		resubmitWhenUnknown: false,
		maker: journal.maker,
	});
	if (decision.do === 'replay') return { json: decision.output.json };
	if (decision.do === 'refuse')
		throw new SegmindFailure({
			message: `Not sent again: whether an earlier try of ${subject} succeeded is unknown`,
			description: whenUnknown ?? '',
			outcomeUnknown: true,
		});
	const wasTried = record.entry.state !== 'new';
	record.apply({ type: 'sending', at: clock.now(), by: journal.maker });
	const item = await work(wasTried).catch((error: unknown) => {
		record.apply(
			mayHaveHappened(error)
				? { type: 'lost', at: clock.now(), cause: 'connection' }
				: { type: 'refused' },
		);
		return Promise.reject(error);
	});
	record.finish(item);
	return item;
}

function mayHaveHappened(error: unknown): boolean {
	if (!(error instanceof SegmindFailure)) return false;
	const { outcomeUnknown, httpCode = 0 } = error.facts;
	return outcomeUnknown === true || mayBeCarriedOut(httpCode);
}
