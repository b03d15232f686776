import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { SegmindFailure } from '../shared/base/failure';
import { emptyInput, failureFrom } from '../shared/errors/failures';
import { say, whole } from '../shared/errors/say';
import { kindOf } from '../shared/catalogue/modelList';
import { isOfWorkflow, type RequestRef } from '../shared/service/requestRef';
import { makeOutput } from '../shared/output/makeOutput';
import { dropUndefined, renameError } from '../shared/output/outputFields';
import type { OutputSpec } from '../shared/output/presentation';
import { resultOfHistory, type Result } from '../shared/output/result';
import { parseRequest } from '../shared/request/operations/readRequestParameter';
import { AcceptedRequest } from '../shared/request/poll/acceptedRequest';
import { endFailure } from '../shared/request/poll/endErrors';
import { poll } from '../shared/request/poll/poll';
import type { FailedRequest } from '../shared/request/poll/requestEnd';
import type { ServiceUrls } from '../shared/service/addresses';
import { isObject, parseJson } from '../shared/service/schemas';
import { isTransientFault, nothingToShow } from './faults';
import { timeLeft, type PollRun } from './pollRun';
import { isChosen, readStatuses, type Watcher } from './watcher';

/**
 * `done`: IDs that need no more calls. n8n saves those that were emitted (docs/n8n.md N220); others may be checked once more, and start nothing. `missing`:
 * IDs that weren't found at their last check, because one 404 may be transient. The names are stored, so they can't change.
 */
const listState = z.object({ done: z.array(z.string()), missing: z.array(z.string()) });

/** At most this many requests are checked at the same time. */
const MAX_PARALLEL = 10;
/** After this many checks without a usable response, the poll stops checking. */
const MAX_PROBLEMS = 10;
/** At most this many IDs are kept after they left the list, so that a list that is empty for a moment starts nothing twice. */
const MAX_UNLISTED_IDS = 2_000;

/** Returns the watcher for Request Finished with Listed Requests: emits each request of the list once, when it has ended. */
export function listedRequestsWatcher(context: IPollFunctions): Watcher<z.infer<typeof listState>> {
	const options = {
		states: readStatuses(context, 'states'),
		simplify: context.getNodeParameter('simplify', true) !== false,
	};
	const readList = ({ client }: PollRun) =>
		readRequestList(context.getNodeParameter('requests', ''), client.urls);
	return {
		name: 'requests',
		state: listState,
		async find(run, stored) {
			const { refs, unreadable } = readList(run);
			if (unreadable && !stored) throw unreadable;
			if (unreadable) context.logger.warn(`Segmind Trigger: ${unreadable.message}`);
			const done = new Set(stored?.done);
			const missing = new Set(stored?.missing);
			const open = refs.filter(({ request_id }) => !done.has(request_id));
			// A random start: no request always comes last, even if every poll ends before the whole list is checked.
			const start = Math.floor(run.client.random() * open.length);
			const order = [...open.slice(start), ...open.slice(0, start)];
			const { items, ended, problem } = await checkAll(run, order, options, missing);
			const listed = new Set(refs.map(({ request_id }) => request_id));
			const allDone = [...done, ...ended];
			const firstKept = allDone.length - MAX_UNLISTED_IDS;
			const state = {
				done: allDone.filter((id, at) => listed.has(id) || at >= firstKept),
				missing: [...missing].filter((id) => listed.has(id)),
			};
			return { items, state, problem: unreadable ?? problem };
		},
		async sample(run) {
			const { refs, unreadable } = readList(run);
			if (unreadable) throw unreadable;
			const todo = say`Enter request IDs, URLs that Segmind returned, or items of requests.`;
			if (refs.length === 0) throw emptyInput('Requests', todo);
			const missing = new Set(refs.map(({ request_id }) => request_id));
			const { items, problem } = await checkAll(run, refs, options, missing);
			if (items.length > 0) return items;
			const thing = 'listed request that has finished with one of the chosen statuses';
			throw problem ?? nothingToShow('missing', thing);
		},
	};
}

/** Which of the listed requests start the workflow, and how to present them. */
interface ListedOptions {
	/** The statuses that start the workflow: COMPLETED, FAILED; [] stands for both. */
	states: string[];
	simplify: boolean;
}

/**
 * Checks requests in order, several at the same time, and makes the items of those that have ended, until the deadline.
 * `missing`: IDs that weren't found at their last check; this function updates the set.
 * @returns `ended`: IDs that need no more checks; `problem`: a failure that isn't transient or, if no check worked, any
 */
async function checkAll(
	run: PollRun,
	refs: RequestRef[],
	options: ListedOptions,
	missing: Set<string>,
) {
	const { client, context, events } = run;
	const items: INodeExecutionData[] = [];
	const ended: string[] = [];
	const problems: SegmindFailure[] = [];
	const expired: string[] = [];
	let next = 0;
	let clear = 0;
	const checkNext = async () => {
		const ref = refs[next];
		next++;
		const request = await check(run, ref, missing);
		clear++;
		if (request === 'notEnded') return;
		const state = request.kind === 'failed' ? 'FAILED' : 'COMPLETED';
		if (isChosen(options.states, state))
			items.push(await requestItem(run, ref, request, options.simplify));
		ended.push(ref.request_id);
	};
	const noteProblem = (error: unknown) => {
		if (!(error instanceof SegmindFailure)) throw error;
		const { kind, message, requestId, status, transient } = error.facts;
		if (kind === 'stopped') return;
		context.logger.warn(`Segmind Trigger: ${message}`);
		if (requestId && status === 'EXPIRED' && !transient) expired.push(requestId);
		else problems.push(error);
	};
	const worker = async () => {
		while (next < refs.length && timeLeft(run) > 0) {
			if (problems.length + expired.length >= MAX_PROBLEMS || client.fatal.facts) return;
			await checkNext().catch(noteProblem);
		}
	};
	await Promise.all(Array.from({ length: MAX_PARALLEL }, worker));
	for (const { text } of events.mergedHints()) context.logger.warn(`Segmind Trigger: ${text}`);
	const lasting = problems.find((problem) => !isTransientFault(problem));
	// An expired request is done once an error has named it. A poll with items or with another error shows none, so a later poll names it.
	if (expired.length > 0 && items.length === 0 && lasting === undefined)
		return { items, ended: [...ended, ...expired], problem: expiredFailure(expired) };
	for (const id of expired) missing.add(id);
	return { items, ended, problem: lasting ?? (clear === 0 ? problems[0] : undefined) };
}

/** Makes the item of an ended request. It has the URLs of its files: of those of a poll, n8n would never delete any (docs/triggers.md). */
async function requestItem(
	run: PollRun,
	ref: RequestRef,
	end: Result | FailedRequest,
	simplify: boolean,
): Promise<INodeExecutionData> {
	const { request_id, model, workflow } = ref;
	const madeBy = dropUndefined({ model, workflow });
	if (end.kind === 'failed') {
		const error_message = end.reason || 'the service gave no reason';
		const body = simplify || !end.body ? {} : renameError(end.body);
		return { json: { ...body, request_id, status: 'FAILED', ...madeBy, error_message } };
	}
	const spec: OutputSpec = {
		itemIndex: 0,
		requestId: request_id,
		maker: isOfWorkflow(ref) ? 'workflow' : 'unknown',
		madeBy,
		makes: kindOf(model ?? '', run.client.urls.endpointAdminUrl),
		making: { simplify, downloadOutput: false, isJson: false, prompt: '', timeoutMs: 0 },
	};
	const { json, binary } = await makeOutput(run, spec, end);
	return binary ? { json, binary } : { json };
}

/** Returns the error that names all listed requests that have expired. */
function expiredFailure(requestIds: string[]): SegmindFailure {
	const [first, ...others] = requestIds;
	const subject =
		others.length === 0
			? say`Listed request ${first} was`
			: say`Listed requests ${whole(requestIds.join(', '))} were`;
	return failureFrom('missing', {
		what: say`${subject} not found: expired, or of another account`,
		charge: 'perhaps',
		next: say`Remove them from the list, and look for their files in the Segmind console.`,
		httpCode: 404,
		status: 'EXPIRED',
		...(others.length === 0 && { requestId: first }),
	});
}

/**
 * Checks one request. Returns how it ended, or that it hasn't: one 404 doesn't end a request.
 * @throws SegmindFailure if it has expired, or the check got no usable response
 */
async function check(run: PollRun, ref: RequestRef, missing: Set<string>) {
	const { request_id } = ref;
	const request = new AcceptedRequest(ref);
	const end = await poll(run.client, request, { timeoutMs: 0, pollIntervalMs: 0 });
	const wasMissing = missing.delete(request_id);
	if (end.kind === 'completed' || end.kind === 'failed') return end;
	if (end.kind === 'unfinished' && end.why) throw noStatusFailure(request_id);
	// A proxy's 404 says nothing about the request.
	if (end.kind === 'missing' && !end.isReported) throw endFailure(request, end, 0);
	const history = end.kind === 'missing' ? end.history : undefined;
	if (end.kind === 'unfinished' || history === 'unfinished') return 'notEnded';
	if (history === 'none' && !wasMissing) {
		missing.add(request_id);
		return 'notEnded';
	}
	if (history === 'completedWithoutFile') {
		// The output has expired with the request, so only its completion can be reported.
		return resultOfHistory({ status: 'COMPLETED', request_id });
	}
	throw endFailure(request, end, 0);
}

function noStatusFailure(requestId: string): SegmindFailure {
	return failureFrom('unreadable', {
		what: say`Segmind returned no status`,
		charge: 'ifCompletes',
		next: say`The next poll checks again; if this keeps happening, see https://status.segmind.com.`,
		requestId,
		transient: true,
	});
}

/**
 * Reads the parameter `requests`: a list, its JSON, or a text with entries separated by line ends, commas, semicolons or spaces. An entry is an ID, a
 * returned URL or the item of an unfinished request; a single one counts as a list. `unreadable`: the failure of the first entry that can't be read.
 */
export function readRequestList(value: unknown, urls: ServiceUrls) {
	const refs = new Map<string, RequestRef>();
	let unreadable: SegmindFailure | undefined;
	for (const entry of entriesIn(value))
		try {
			const ref = parseRequest(entry, urls);
			refs.set(ref.request_id, ref);
		} catch (error) {
			unreadable ??= error as SegmindFailure;
		}
	return { refs: [...refs.values()], unreadable };
}

function entriesIn(value: unknown): unknown[] {
	const isJson = typeof value === 'string' && /^\s*[[{=]/.test(value);
	if (typeof value === 'string' && !isJson) return value.split(/[\s,;]+/).filter(Boolean);
	const parsed = isJson ? (parseJson(value) ?? value) : value;
	// A whole n8n item has the request under `json`.
	return [parsed ?? []]
		.flat()
		.map((entry: unknown) => (isObject(entry) && isObject(entry.json) ? entry.json : entry));
}
