import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import { fill } from '../../errors/failures';
import { PARTS } from '../../errors/parts';
import { HINTS } from '../../errors/hintTable';
import { readWaitForCompletion } from '../../run/options';
import { showProgress, type Session } from '../../run/session';
import { isObject, parseJson } from '../../service/schemas';
import { readPresentation } from './generate';
import type { StatusWatch } from '../poll/poll';
import { outcomeFailure } from '../poll/outcomeErrors';
import type { RequestOutcome } from '../poll/outcome';
import { poll } from '../poll/poll';
import { makeItem, unfinishedItem } from '../resultItem';
import { readRequestParameter } from './readRequestParameter';

/** How long a single check may take, with the calls for the result and the request history. */
const MAX_CHECK_MS = 8_000;

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only checks it, and returns its result. */
export async function getResult(
	session: Session,
	itemIndex: number,
	kind: 'model' | 'workflow',
): Promise<INodeExecutionData> {
	const presentation = readPresentation(session, itemIndex);
	const { options } = presentation;
	const request = readRequestParameter(session, itemIndex);
	const { request_id: id } = request;
	const madeBy: IDataObject = request[kind] === undefined ? {} : { [kind]: request[kind] };
	const waits = readWaitForCompletion(session.context, itemIndex);
	const canReturnUnfinished = !waits || options.onTimeout === 'returnRequest';
	session.requestIds.set(itemIndex, id);
	const lastStatus = statusInInput(session, itemIndex);
	if (lastStatus !== undefined) session.statuses.set(itemIndex, lastStatus);
	const { client } = session;
	const { pollIntervalMs } = options;
	const timeoutMs = waits ? options.timeoutMs : 0;
	const polling = poll(
		waits ? session : { client: client.withEnd(client.clock.now() + MAX_CHECK_MS) },
		request,
		{ timeoutMs, pollIntervalMs, lastStatus },
		statusWatch(session, itemIndex, id),
	);
	const outcome = canReturnUnfinished
		? await polling.then(treatMissingAsUnfinished, treatTransientAsUnfinished)
		: await polling;
	const item = { itemIndex, madeBy, isWorkflow: kind === 'workflow', presentation };
	if (canReturnUnfinished && outcome.kind === 'timeout') {
		if (outcome.why)
			session.hints.add(fill(HINTS.notChecked, { item: itemIndex, why: outcome.why }));
		return unfinishedItem(session, item, request, session.statuses.get(itemIndex));
	}
	if (outcome.kind !== 'completed') throw outcomeFailure(request, outcome, timeoutMs);
	return await makeItem(session, item, id, outcome);
}

/** Returns the status in the input item or its JSON text; undefined if the input is only an ID or a URL. */
export function statusInInput({ context }: Session, itemIndex: number): string | undefined {
	const value: unknown = context.getNodeParameter('request', itemIndex);
	const request = typeof value === 'string' ? parseJson(value) : value;
	return isObject(request) && typeof request.status === 'string' ? request.status : undefined;
}

/** Notes each new status for the item's output and error, and shows it. */
function statusWatch(session: Session, itemIndex: number, id: string): StatusWatch {
	return {
		onStatus(word) {
			session.statuses.set(itemIndex, word);
			showProgress(session, itemIndex, `request ${id} is ${word}`);
		},
	};
}

/** Treats a request that must exist, but that the service can't find at the moment, as unfinished. */
function treatMissingAsUnfinished(outcome: RequestOutcome): RequestOutcome {
	if (outcome.kind !== 'missing') return outcome;
	const mustExist = outcome.history === 'unfinished' || outcome.isLive || !outcome.isReported;
	return mustExist ? { kind: 'timeout', why: PARTS.notFoundNow } : outcome;
}

/** Treats a request as unfinished after a transient fault. */
function treatTransientAsUnfinished(error: unknown): RequestOutcome {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'timeout', why: facts.message };
}
