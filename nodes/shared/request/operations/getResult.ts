import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import { fill } from '../../errors/failures';
import { HINTS } from '../../errors/hintTable';
import { resultLimit } from '../../run/options';
import type { Presentation } from '../../output/finishedRequest';
import { showProgress, type Session } from '../../run/session';
import { isObject } from '../../service/schemas';
import { readPresentation } from './generate';
import { checkOnce } from '../poll/checkOnce';
import type { StatusWatch } from '../poll/conclude';
import { endFailure } from '../poll/endErrors';
import type { Ended } from '../poll/ended';
import { poll } from '../poll/poll';
import { itemOf, unfinishedItem } from '../resultItem';
import { acceptedAt, isKnownToLive, readRequest } from './givenRequest';

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
	const watch = new LastStatus(session, itemIndex, id);
	const since = acceptedAt(request) ?? session.clock.now();
	const { timeoutMs, pollIntervalMs } = options;
	const modelOrWorkflow = request.model ?? request.workflow ?? '';
	const waiting = {
		acceptedAt: since,
		isOwn,
		timeoutMs,
		pollIntervalMs,
		label: modelOrWorkflow,
		maxBytes: resultLimit(options),
	};
	const asked = waits
		? poll(session, request, { ...waiting, checkAtOnce: true }, watch)
		: checkOnce(session, request, waiting, watch);
	const ended = mayLeave ? await asked.then(leftIfThere(isOwn), leftIfTransient) : await asked;
	const item = { itemIndex, label, isWorkflow: kind === 'workflow', presentation };
	if (mayLeave && ended.kind === 'timeout') {
		if (ended.why)
			session.hints.add(fill(HINTS.notChecked, { item: itemIndex, request: id, why: ended.why }));
		// A loop in the workflow ends on COMPLETED: one whose result could not be read yet does not count as finished.
		const shown = watch.status.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : watch.status;
		return unfinishedItem(session, item, request, shown);
	}
	if (ended.kind !== 'finished') throw endFailure(request, ended, { timeoutMs, isOwn });
	return await itemOf(session, item, id, ended);
}

/** The status as it was last seen: at first the one that the request came with. */
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

/** What the request carries along under `input` already goes on with it, round after round. */
function handingOn(session: Session, itemIndex: number, presentation: Presentation): Presentation {
	const { input, request_id } = session.items[itemIndex].json;
	return isObject(input) && typeof request_id === 'string'
		? { ...presentation, input: input as IDataObject }
		: presentation;
}

/** What is known to be there, only not to be seen now, by the history or within its hour, is left unfinished. */
const leftIfThere =
	(isOwn: boolean) =>
	(waited: Ended): Ended =>
		waited.kind === 'missing' && (waited.history === 'unfinished' || (isOwn && !waited.isExpired))
			? { kind: 'timeout', status: '', why: 'the service does not know it now' }
			: waited;

/** A fault that a later check may get past leaves it unfinished. */
function leftIfTransient(error: unknown): Ended {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'timeout', status: '', why: facts.message };
}
