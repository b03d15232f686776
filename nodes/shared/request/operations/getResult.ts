import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import { fill } from '../../errors/failures';
import { PARTS } from '../../errors/parts';
import { HINTS } from '../../errors/hintTable';
import { resultLimit } from '../../run/options';
import type { Presentation } from '../../output/finishedRequest';
import { showProgress, type Session } from '../../run/session';
import { isObject } from '../../service/schemas';
import { readPresentation } from './generate';
import { checkOnce } from '../poll/checkOnce';
import type { StatusWatch } from '../poll/poll';
import { endFailure } from '../poll/endErrors';
import type { Ended } from '../poll/ended';
import { poll } from '../poll/poll';
import { itemOf, unfinishedItem } from '../resultItem';
import { acceptedAt, isKnownToLive, readRequest } from './givenRequest';

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only checks it, and returns its result. */
export async function fetchToEnd(
	session: Session,
	itemIndex: number,
	kind: 'model' | 'workflow',
): Promise<INodeExecutionData> {
	const presentation = handingOn(session, itemIndex, readPresentation(session, itemIndex));
	const { options } = presentation;
	const request = readRequest(session, itemIndex);
	const { request_id: id } = request;
	const madeBy: IDataObject = request[kind] === undefined ? {} : { [kind]: request[kind] };
	const isOwn = isKnownToLive(request);
	const waits = session.context.getNodeParameter('waitForCompletion', itemIndex, true) !== false;
	const mayLeave = !waits || options.onTimeout === 'returnRequest';
	session.requestIds.set(itemIndex, id);
	const watch = new LastStatus(session, itemIndex, id);
	const since = acceptedAt(request);
	const { timeoutMs, pollIntervalMs } = options;
	const modelOrWorkflow = request.model ?? (request.workflow && `workflow ${request.workflow}`);
	const waiting = {
		acceptedAt: since ?? session.clock.now(),
		isOwn,
		timeoutMs,
		pollIntervalMs,
		// If the time of acceptance is unknown, so is how long it takes.
		label: (since && modelOrWorkflow) || '',
		maxBytes: resultLimit(options),
	};
	const asked = waits
		? poll(session, request, { ...waiting, checkAtOnce: true }, watch)
		: checkOnce(session, request, waiting, watch);
	const ended = mayLeave ? await asked.then(leftIfThere(isOwn), leftIfTransient) : await asked;
	const item = { itemIndex, madeBy, isWorkflow: kind === 'workflow', presentation };
	if (mayLeave && ended.kind === 'timeout') {
		if (ended.why)
			session.hints.add(fill(HINTS.notChecked, { item: itemIndex, request: id, why: ended.why }));
		// A loop in the user's workflow ends on COMPLETED, so a request whose result could not be read yet must not show that.
		const shown = watch.status.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : watch.status;
		return unfinishedItem(session, item, request, shown);
	}
	if (ended.kind !== 'finished') throw endFailure(request, ended, { timeoutMs, isOwn });
	return await itemOf(session, item, id, ended);
}

/** The last status seen; at first, the status in the input item. */
class LastStatus implements StatusWatch {
	status: string;

	constructor(
		private readonly session: Session,
		private readonly itemIndex: number,
		private readonly id: string,
	) {
		const request: unknown = session.context.getNodeParameter('request', itemIndex);
		const isGiven = isObject(request) && typeof request.status === 'string';
		this.status = isGiven ? String(request.status) : 'QUEUED';
	}

	saw(word: string): void {
		this.status = word;
		showProgress(this.session, this.itemIndex, `request ${this.id} is ${word}`);
	}
}

/** If the request already has an `input` member, keeps it, however often the item passes this node. */
function handingOn(session: Session, itemIndex: number, presentation: Presentation): Presentation {
	const { input, request_id } = session.items[itemIndex].json;
	return isObject(input) && typeof request_id === 'string'
		? { ...presentation, input: input as IDataObject }
		: presentation;
}

/** A request that must exist, but that the service can't find at the moment, counts as unfinished. */
const leftIfThere =
	(isOwn: boolean) =>
	(waited: Ended): Ended =>
		waited.kind === 'missing' && (waited.history === 'unfinished' || (isOwn && !waited.isExpired))
			? { kind: 'timeout', status: '', why: PARTS.notFoundNow }
			: waited;

/** After a transient fault the request counts as unfinished. */
function leftIfTransient(error: unknown): Ended {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'timeout', status: '', why: facts.message };
}
