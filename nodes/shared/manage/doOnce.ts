import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import { decide } from '../journal/entry';
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
	const one = journal.of(itemIndex);
	one.takeSame();
	const wasTried = one.entry !== undefined;
	const decision = decide(one.entry, {
		isIdempotent: whenUnknown === undefined,
		sendAgainIfUnsure: false,
		credential: journal.credential,
		hasSent: false,
	});
	if (decision.do === 'reuse') return { json: decision.output.json };
	if (decision.do === 'refuse') {
		const values = { subject, found: whenUnknown };
		throw failureOf('unknownOutcome', CAUSES.maybeDone, values, { outcomeUnknown: true });
	}
	const id = randomUUID();
	one.apply({ kind: 'sent', call: { id, at: clock.now(), by: journal.credential } });
	const item = await work(wasTried).catch((error: unknown) => {
		if (mayHaveHappened(error)) one.apply({ kind: 'lost', at: clock.now(), by: 'connection' });
		else one.apply({ kind: 'notAccepted', id });
		return Promise.reject(error);
	});
	one.apply({ kind: 'delivered', output: one.kept(item) });
	return item;
}

function mayHaveHappened(error: unknown): boolean {
	if (!(error instanceof SegmindFailure)) return false;
	const { outcomeUnknown, httpCode = 0 } = error.facts;
	return outcomeUnknown === true || mayBeCarriedOut(httpCode);
}
