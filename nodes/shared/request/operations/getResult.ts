import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import { kindOf } from '../../catalogue/modelList';
import { fill } from '../../errors/failures';
import { PARTS } from '../../errors/parts';
import { HINTS } from '../../errors/hintTable';
import { makeItem } from '../../output/makeItem';
import type { ItemSpec } from '../../output/presentation';
import { readOptions, readWaitForCompletion } from '../../run/options';
import { showProgress, type Session } from '../../run/session';
import { isObject } from '../../service/schemas';
import { readPresentation } from './generate';
import type { StatusWatch } from '../poll/poll';
import { outcomeFailure } from '../poll/outcomeErrors';
import type { RequestOutcome } from '../poll/outcome';
import { poll } from '../poll/poll';
import { unfinishedItem, uploadForAgent } from '../executionItems';
import { readRequestParameter } from './readRequestParameter';

/** How long a single check may take, with the calls for the result and the request history. */
const MAX_CHECK_MS = 8_000;

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only checks it, and returns its result. */
export async function getResult(
	session: Session,
	itemIndex: number,
	kind: 'model' | 'workflow',
): Promise<INodeExecutionData> {
	const options = readOptions(session.context, itemIndex);
	const presentation = readPresentation(session, itemIndex, options);
	const request = readRequestParameter(session, itemIndex);
	const { request_id: id } = request;
	const madeBy: IDataObject = request[kind] === undefined ? {} : { [kind]: request[kind] };
	const waits = readWaitForCompletion(session.context, itemIndex);
	const canReturnUnfinished = !waits || options.onTimeout === 'returnRequest';
	session.requestIds.set(itemIndex, id);
	const watch = new LastStatus(session, itemIndex, id);
	const { client } = session;
	const { pollIntervalMs } = options;
	const timeoutMs = waits ? options.timeoutMs : 0;
	const polling = poll(
		waits ? session : { client: client.withEnd(client.clock.now() + MAX_CHECK_MS) },
		request,
		{ timeoutMs, pollIntervalMs },
		watch,
	);
	const outcome = canReturnUnfinished
		? await polling.then(treatMissingAsUnfinished, treatTransientAsUnfinished)
		: await polling;
	const makes =
		kind === 'model' ? kindOf(request.model ?? '', client.urls.endpointAdminUrl) : undefined;
	const spec: ItemSpec = {
		itemIndex,
		requestId: id,
		maker: kind,
		madeBy,
		presentation: { ...presentation, makes },
	};
	if (canReturnUnfinished && outcome.kind === 'timeout') {
		if (outcome.why)
			session.hints.add(fill(HINTS.notChecked, { item: itemIndex, why: outcome.why }));
		// A loop in the user's workflow ends on COMPLETED, so a request whose result could not be read yet must not show that.
		const shownStatus = watch.status.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : watch.status;
		return unfinishedItem(session, spec, request, shownStatus);
	}
	if (outcome.kind !== 'completed') throw outcomeFailure(request, outcome, timeoutMs);
	return await makeItem(session, spec, outcome, uploadForAgent(session));
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
		const hasStatus = isObject(request) && typeof request.status === 'string';
		this.status = hasStatus ? String(request.status) : 'QUEUED';
	}

	onStatus(word: string): void {
		this.status = word;
		showProgress(this.session, this.itemIndex, `request ${this.id} is ${word}`);
	}
}

/** Treats a request that must exist, but that the service can't find at the moment, as unfinished. */
function treatMissingAsUnfinished(outcome: RequestOutcome): RequestOutcome {
	const isUnfinished =
		outcome.kind === 'missing' && (outcome.history === 'unfinished' || outcome.isLive);
	return isUnfinished ? { kind: 'timeout', status: '', why: PARTS.notFoundNow } : outcome;
}

/** Treats a request as unfinished after a transient fault. */
function treatTransientAsUnfinished(error: unknown): RequestOutcome {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'timeout', status: '', why: facts.message };
}
