import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import type { Output } from '../../journal/entry';
import { findModel } from '../../catalogue';
import { kindOf } from '../../catalogue/modelList';
import { readOptions, RUN_OPTIONS, type RunOptions } from '../../descriptions/options';
import { say, whole, type Said } from '../../errors/say';
import { arrangedItems } from '../../output/arrangement';
import { agentUploader } from '../../media/uploadFiles';
import { makeOutput } from '../../output/makeOutput';
import { readPresentation, type Making, type OutputSpec } from '../../output/presentation';
import type { Run } from '../../run/run';
import type { RequestRef } from '../../service/requestRef';
import { warnOfWorkflowTimeout } from './generate';
import type { AcceptedRequest } from '../poll/acceptedRequest';
import { endFailure } from '../poll/endErrors';
import type { RequestEnd } from '../poll/requestEnd';
import { poll } from '../poll/poll';
import { unfinishedOutput } from '../unfinishedOutput';
import { readRequestParameter } from './readRequestParameter';
import type { Item } from '../../run/item';

/** How long a single check may take, with the calls for the result and the request history. */
const MAX_CHECK_MS = 8_000;

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only checks it, and returns its result. */
export async function getResult(
	item: Item,
	kind: 'model' | 'workflow',
): Promise<INodeExecutionData[]> {
	const options = readOptions(item.parameters, RUN_OPTIONS);
	const request = readRequestParameter(item);
	const presentation = readPresentation(
		item,
		{ isJson: false, prompt: '', timeoutMs: options.timeoutMs },
		{ keepsFiles: false, makes: findModel(request.ref.model ?? '')?.kind },
	);
	const { making } = presentation;
	const output = await outputOf(item, kind, request, { options, making });
	return arrangedItems(item, output, presentation);
}

async function outputOf(
	item: Item,
	kind: 'model' | 'workflow',
	request: AcceptedRequest,
	{ options, making }: { options: RunOptions; making: Making },
): Promise<Output> {
	const { run } = item;
	const waits = options.waitForCompletion;
	const canReturnUnfinished = !waits || options.onTimeout === 'returnRequest';
	if (waits) warnOfWorkflowTimeout(run, options);
	run.events.follow(item.index, request);
	run.client.fatal.assertNone(request.id);
	const timeoutMs = waits ? options.timeoutMs : 0;
	const polling = pollOrCheck(run, request, { ...options, timeoutMs });
	const end = await (canReturnUnfinished
		? polling.then(treatMissingAsUnfinished, treatTransientAsUnfinished)
		: polling);
	const spec = specOfRequest(item, kind, request.ref, making);
	if (end.kind === 'completed') return await makeOutput(run, spec, end, agentUploader(run));
	if (end.kind === 'unfinished' && canReturnUnfinished) {
		if (end.why) run.events.addHint({ item: item.index, text: notCheckedHint(end.why) });
		return unfinishedOutput(spec, request);
	}
	throw endFailure(request, end, timeoutMs);
}

/** Waits for the end of a request, or checks it once if the timeout is 0. @throws SegmindFailure as `poll` */
async function pollOrCheck(
	{ client }: Run,
	request: AcceptedRequest,
	{ timeoutMs, pollIntervalMs }: Pick<RunOptions, 'timeoutMs' | 'pollIntervalMs'>,
): Promise<RequestEnd> {
	const isSingleCheck = timeoutMs === 0;
	const checkingClient = isSingleCheck ? client.withEnd(client.clock.now() + MAX_CHECK_MS) : client;
	return await poll(checkingClient, request, { timeoutMs, pollIntervalMs });
}

function specOfRequest(
	{ run, index }: Item,
	kind: 'model' | 'workflow',
	ref: RequestRef,
	making: Making,
): OutputSpec {
	const name = ref[kind];
	const { endpointAdminUrl } = run.client.urls;
	const makes = kind === 'model' ? kindOf(name ?? '', endpointAdminUrl) : undefined;
	return {
		itemIndex: index,
		requestId: ref.request_id,
		maker: kind,
		madeBy: name === undefined ? {} : { [kind]: name },
		makes,
		making,
	};
}

/** `why`: the message of the last check. */
function notCheckedHint(why: string): Said {
	return say`the status of the request could not be checked (${whole(why)}). The output shows it as unfinished. Check again later.`;
}

/** Treats a request that must exist, but that the service can't find at the moment, as unfinished. */
function treatMissingAsUnfinished(end: RequestEnd): RequestEnd {
	if (end.kind !== 'missing') return end;
	const mustExist = end.history === 'unfinished' || end.isLive || !end.isReported;
	return mustExist ? { kind: 'unfinished', why: "Segmind can't find it at the moment" } : end;
}

/** Treats a request as unfinished after a transient fault. */
function treatTransientAsUnfinished(error: unknown): RequestEnd {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'unfinished', why: facts.message };
}
