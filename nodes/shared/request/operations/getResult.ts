import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import type { Output } from '../../journal/entry';
import { kindOf } from '../../catalogue/modelList';
import { say, whole, type Said } from '../../errors/say';
import { arrangedItems, readArrangement } from '../../output/arrangement';
import { makeItem } from '../../output/makeItem';
import type { ItemSpec } from '../../output/presentation';
import { readOptions, readWaitForCompletion } from '../../run/readOptions';
import { showProgress } from '../../run/run';
import { isObject, parseJson } from '../../service/schemas';
import { readPresentation } from './generate';
import type { StatusWatch } from '../poll/poll';
import { endFailure } from '../poll/endErrors';
import type { RequestEnd } from '../poll/requestEnd';
import { poll } from '../poll/poll';
import { unfinishedItem, agentUploader } from '../executionItems';
import { readRequestParameter } from './readRequestParameter';
import type { Item } from '../../run/item';

/** How long a single check may take, with the calls for the result and the request history. */
const MAX_CHECK_MS = 8_000;

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only checks it, and returns its result. */
export async function getResult(
	item: Item,
	kind: 'model' | 'workflow',
): Promise<INodeExecutionData[]> {
	const arrangement = readArrangement(item);
	return arrangedItems(item, await outputOf(item, kind), arrangement);
}

async function outputOf(item: Item, kind: 'model' | 'workflow'): Promise<Output> {
	const { run, index } = item;
	const options = readOptions(item);
	const presentation = readPresentation(item, options);
	const request = readRequestParameter(item);
	const { request_id: id } = request;
	const madeBy: IDataObject = request[kind] === undefined ? {} : { [kind]: request[kind] };
	const waits = readWaitForCompletion(item);
	const canReturnUnfinished = !waits || options.onTimeout === 'returnRequest';
	const watch = statusWatch(item, id, noteRequest(item, id));
	const { client } = run;
	const { pollIntervalMs } = options;
	const timeoutMs = waits ? options.timeoutMs : 0;
	const polling = poll(
		waits ? run : { client: client.withEnd(client.clock.now() + MAX_CHECK_MS) },
		request,
		{ timeoutMs, pollIntervalMs, lastStatus: watch.lastStatus },
		watch,
	);
	const end = canReturnUnfinished
		? await polling.then(treatMissingAsUnfinished, treatTransientAsUnfinished)
		: await polling;
	const { endpointAdminUrl } = client.urls;
	const makes = kind === 'model' ? kindOf(request.model ?? '', endpointAdminUrl) : undefined;
	const spec: ItemSpec = {
		itemIndex: index,
		requestId: id,
		maker: kind,
		madeBy,
		presentation: { ...presentation, makes },
	};
	if (canReturnUnfinished && end.kind === 'timeout') {
		const { why } = end;
		if (why) run.report.addHint({ item: index, text: notCheckedHint(why) });
		return unfinishedItem(spec, request, watch.lastStatus);
	}
	if (end.kind !== 'completed') {
		const waited = { timeoutMs, resumesStep: run.isManual };
		throw endFailure(request, end, waited);
	}
	return await makeItem(run, spec, end, agentUploader(run));
}

/** `why`: the message of the last check. */
function notCheckedHint(why: string): Said {
	return say`the status of the request could not be checked (${whole(why)}). The output shows it as unfinished. Check again later.`;
}

/** Notes the request for the item's errors, and the status that the input item or its JSON text has, if any. Returns that status. */
export function noteRequest(
	{ run, index, parameters }: Item,
	requestId: string,
): string | undefined {
	run.report.accepted(index, requestId);
	const value = parameters.value('request');
	const request = typeof value === 'string' ? parseJson(value) : value;
	if (!isObject(request) || typeof request.status !== 'string') return undefined;
	run.report.statusSeen(index, request.status);
	return request.status;
}

/** Notes each new status for the item's output and error, and shows it. */
function statusWatch(
	{ run, index }: Item,
	id: string,
	lastStatus: string | undefined,
): StatusWatch & { lastStatus?: string } {
	return {
		lastStatus,
		onStatus(word) {
			this.lastStatus = word;
			run.report.statusSeen(index, word);
			showProgress(run, index, `request ${id} is ${word}`);
		},
	};
}

/** Treats a request that must exist, but that the service can't find at the moment, as unfinished. */
function treatMissingAsUnfinished(end: RequestEnd): RequestEnd {
	if (end.kind !== 'missing') return end;
	const mustExist = end.history === 'unfinished' || end.isLive || !end.isReported;
	return mustExist ? { kind: 'timeout', why: "Segmind can't find it at the moment" } : end;
}

/** Treats a request as unfinished after a transient fault. */
function treatTransientAsUnfinished(error: unknown): RequestEnd {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'timeout', why: facts.message };
}
