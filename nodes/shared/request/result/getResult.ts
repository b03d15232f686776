import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import type { RequestRef } from '../../journal/entry';
import type { Presentation } from '../../output/finished';
import { showProgress, type Session } from '../../run/session';
import { isObject } from '../../service/schemas';
import { readPresentation } from '../presentation';
import type { Waited } from '../wait/outcome';
import { waitFor, type Waiting } from '../wait/wait';
import { acceptedAt, isKnownToLive, readRequest } from './givenRequest';
import { finishedOf } from './requestErrors';
import { itemOf, unfinishedItem } from './resultItem';

/** A check that does not wait must not hold a worker, ms: its status check, and all its calls together. */
const SHORT_CHECK_MS = 8_000;
const WHOLE_CHECK_MS = 15_000;

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only checks it, and gives its result. */
export async function fetchToEnd(
	session: Session,
	itemIndex: number,
	kind: 'model' | 'workflow',
): Promise<INodeExecutionData> {
	const presentation = handingOn(session, itemIndex, readPresentation(session, itemIndex));
	const { options } = presentation;
	const request = readRequest(session, itemIndex);
	const { request_id: id } = request;
	const label: IDataObject = request[kind] === undefined ? {} : { [kind]: request[kind] };
	const isOwn = isKnownToLive(request);
	const waits = session.context.getNodeParameter('waitForCompletion', itemIndex, true) !== false;
	const mayLeave = !waits || options.onTimeout === 'returnRequest';
	session.requestIds.set(itemIndex, id);
	let status = lastKnownStatus(session, itemIndex);
	const waiting = {
		acceptedAt: acceptedAt(request) ?? session.clock.now(),
		isOwn,
		timeoutMs: options.timeoutMs,
		pollIntervalMs: options.pollIntervalMs,
		label: request.model ?? request.workflow ?? '',
		checkAtOnce: true,
		onStatus: (word: string) => {
			status = word;
			showProgress(session, itemIndex, `request ${id} is ${word}`);
		},
	};
	const asked = waits ? waitFor(session, request, waiting) : checkOnce(session, request, waiting);
	const waited = mayLeave ? await asked.then(leftIfThere(isOwn), leftIfTransient) : await asked;
	if (mayLeave && waited.kind === 'timeUp') {
		if (waited.why)
			session.hints.add(
				`Item ${itemIndex}: request ${id} could not be checked (${waited.why}). Its item says that it is unfinished; check again later.`,
			);
		// A loop in the workflow ends on COMPLETED: one whose result could not be read yet does not count as finished.
		const shown = status.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : status;
		return unfinishedItem(session, { itemIndex, label }, request, shown, presentation);
	}
	const finished = finishedOf(waited, request, options, isOwn);
	const from = { itemIndex, ref: request, label, isWorkflow: kind === 'workflow', finished };
	return await itemOf(session, from, presentation);
}

/** What the request carries along under `input` already goes on with it, round after round. */
function handingOn(session: Session, itemIndex: number, presentation: Presentation): Presentation {
	const { input, request_id } = session.items[itemIndex].json;
	return isObject(input) && typeof request_id === 'string'
		? { ...presentation, input: input as IDataObject }
		: presentation;
}

/** The status the request came with. */
function lastKnownStatus(session: Session, itemIndex: number): string {
	const request: unknown = session.context.getNodeParameter('request', itemIndex);
	return isObject(request) && typeof request.status === 'string' ? request.status : 'QUEUED';
}

/** One short check. */
async function checkOnce(session: Session, request: RequestRef, waiting: Waiting): Promise<Waited> {
	const now = session.clock.now();
	const client = session.client.until(now + WHOLE_CHECK_MS);
	// What is held back for longer is not waited for: all items of a batch would, one after the other.
	if (client.limiter.pauseEndsAt > now + SHORT_CHECK_MS)
		return { kind: 'timeUp', status: '', why: 'the rate limit of the account is used up' };
	return await waitFor({ client }, request, {
		...waiting,
		// It is asked for as one that a person gave: what is known to be there is left unfinished soon.
		isOwn: false,
		timeoutMs: SHORT_CHECK_MS,
		isOneCheck: true,
	});
}

/** What is known to be there, only not to be seen now, by the history or within its hour, is left unfinished. */
const leftIfThere =
	(isOwn: boolean) =>
	(waited: Waited): Waited =>
		waited.kind === 'missing' && (waited.history === 'unfinished' || (isOwn && !waited.isExpired))
			? { kind: 'timeUp', status: '', why: 'the service does not know it now' }
			: waited;

/** A fault that a later check may get past leaves it unfinished. */
function leftIfTransient(error: unknown): Waited {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'timeUp', status: '', why: facts.message };
}
