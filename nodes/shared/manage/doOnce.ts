import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import { RequestRecord } from '../request/record';
import { next } from '../request/rules/next';
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
	const record = new RequestRecord(session, { itemIndex, subject, idOf: 'action' });
	record.resumeByParameters();
	const wasTried = record.state.entry !== undefined;
	const { credential } = session.journal;
	const isIdempotent = whenUnknown === undefined;
	const todo = next(record.state, { isIdempotent, sendAgainIfUnsure: false, credential }, {});
	if (todo.do === 'deliver' && todo.from === 'kept') return { json: todo.output.json };
	if (todo.do !== 'send') {
		const values = { subject, found: whenUnknown };
		throw failureOf('unknownOutcome', CAUSES.maybeDone, values, { outcomeUnknown: true });
	}
	const id = record.sending();
	const item = await work(wasTried).catch((error: unknown) => {
		if (mayHaveHappened(error)) record.recordLoss(LOST_RESPONSE);
		else record.notAccepted();
		return Promise.reject(error);
	});
	return record.recordDelivery(id, item);
}

/** The record needs a reason for the loss, but here the thrown error explains it. */
const LOST_RESPONSE = { by: 'connection', fault: { kind: 'lost', reason: '' } } as const;

function mayHaveHappened(error: unknown): boolean {
	if (!(error instanceof SegmindFailure)) return false;
	const { outcomeUnknown, httpCode = 0 } = error.facts;
	return outcomeUnknown === true || mayHaveBeenCarriedOut(httpCode);
}
