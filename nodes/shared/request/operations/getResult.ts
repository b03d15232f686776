import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../base/failure';
import type { Output } from '../../journal/entry';
import { findModel } from '../../catalogue';
import { kindOf } from '../../catalogue/modelList';
import { readOptions, RUN_OPTIONS, type RunOptions } from '../../descriptions/options';
import { say, whole, type Said } from '../../errors/say';
import { arrangedItems } from '../../output/arrangement';
import { makeOutput } from '../../output/makeOutput';
import { readPresentation, type Making, type OutputSpec } from '../../output/presentation';
import { showProgress, type Run } from '../../run/run';
import type { RequestRef } from '../../service/requestRef';
import { isObject, parseJson } from '../../service/schemas';
import { warnOfWorkflowTimeout } from './generate';
import type { StatusWatch } from '../poll/poll';
import { endFailure } from '../poll/endErrors';
import type { RequestEnd } from '../poll/requestEnd';
import { poll } from '../poll/poll';
import { unfinishedOutput, agentUploader } from '../executionItems';
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
		{ keepsFiles: false, makes: findModel(request.model ?? '')?.kind },
	);
	const { making } = presentation;
	const output = await outputOf(item, kind, request, { options, making });
	return arrangedItems(item, output, presentation);
}

async function outputOf(
	item: Item,
	kind: 'model' | 'workflow',
	request: RequestRef,
	{ options, making }: { options: RunOptions; making: Making },
): Promise<Output> {
	const { run } = item;
	const waits = options.waitForCompletion;
	const canReturnUnfinished = !waits || options.onTimeout === 'returnRequest';
	if (waits) warnOfWorkflowTimeout(run, options);
	const lastStatus = givenStatus(item);
	noteRequest(item, request.request_id, lastStatus);
	const watch = statusWatch(item, request.request_id, lastStatus);
	run.client.assertNotFatal(request.request_id);
	const waiting: Waiting = {
		timeoutMs: waits ? options.timeoutMs : 0,
		pollIntervalMs: options.pollIntervalMs,
		canReturnUnfinished,
	};
	const end = await pollOrCheck(run, request, waiting, watch);
	const spec = specOfRequest(item, kind, request, making);
	if (end.kind === 'completed') return await makeOutput(run, spec, end, agentUploader(run));
	if (end.kind === 'unfinished' && canReturnUnfinished) {
		if (end.why) run.report.addHint({ item: item.index, text: notCheckedHint(end.why) });
		return unfinishedOutput(spec, request, watch.lastStatus);
	}
	throw endFailure(request, end, { timeoutMs: waiting.timeoutMs, resumesStep: run.isManual });
}

interface Waiting {
	/** 0: a single check. */
	timeoutMs: number;
	pollIntervalMs: number;
	/** Whether the item may be the unfinished request. */
	canReturnUnfinished: boolean;
}

/** Waits for the end of a request, or checks it once. @throws SegmindFailure as `poll` */
async function pollOrCheck(
	{ client }: Run,
	request: RequestRef,
	{ canReturnUnfinished, ...waiting }: Waiting,
	watch: RequestWatch,
): Promise<RequestEnd> {
	const isSingleCheck = waiting.timeoutMs === 0;
	const checkingClient = isSingleCheck ? client.withEnd(client.clock.now() + MAX_CHECK_MS) : client;
	const settings = { ...waiting, lastStatus: watch.lastStatus };
	const polling = poll(checkingClient, request, settings, watch);
	return canReturnUnfinished
		? await polling.then(treatMissingAsUnfinished, treatTransientAsUnfinished)
		: await polling;
}

function specOfRequest(
	{ run, index }: Item,
	kind: 'model' | 'workflow',
	request: RequestRef,
	making: Making,
): OutputSpec {
	const name = request[kind];
	const { endpointAdminUrl } = run.client.urls;
	const makes = kind === 'model' ? kindOf(name ?? '', endpointAdminUrl) : undefined;
	return {
		itemIndex: index,
		requestId: request.request_id,
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

/** Notes the request for the item's errors, with its status, if that is known. */
export function noteRequest({ run, index }: Item, requestId: string, status?: string): void {
	run.report.accepted(index, requestId);
	if (status !== undefined) run.report.statusSeen(index, status);
}

/** Returns the status that the parameter `request` has, if it's an item or its JSON text. */
export function givenStatus({ parameters }: Item): string | undefined {
	const value = parameters.value('request');
	const request = typeof value === 'string' ? parseJson(value) : value;
	return isObject(request) && typeof request.status === 'string' ? request.status : undefined;
}

interface RequestWatch extends StatusWatch {
	/** The last known status. */
	lastStatus?: string;
}

/** Notes each new status for the item's output and error, and shows it. */
function statusWatch({ run, index }: Item, id: string, lastStatus?: string): RequestWatch {
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
	return mustExist ? { kind: 'unfinished', why: "Segmind can't find it at the moment" } : end;
}

/** Treats a request as unfinished after a transient fault. */
function treatTransientAsUnfinished(error: unknown): RequestEnd {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'unfinished', why: facts.message };
}
