import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure, badInput } from '../../shared/base/failure';
import { dropUndefined, finishedItem, rawBody } from '../../shared/output/finished';
import { parsedOutput } from '../../shared/output/media';
import type { RequestRef } from '../../shared/journal/lifecycle';
import { withAddresses } from '../../shared/request/requestRef';
import { checkStatus, failedWith, fetchResult } from '../../shared/request/wait';
import { failureReason } from '../../shared/service/answers';
import { readRecord } from '../../shared/service/history';
import { BYTES_PER_MB, DEFAULT_MAX_FILE_MB } from '../../shared/run/options';
import { isObject, type RequestAnswer } from '../../shared/service/schemas';
import type { Found } from '../found';
import { isPassingFault, timeLeft, type PollSession } from '../pollSession';
import { afterPoll, inTurn, type ListState } from './listState';
import type { RequestList } from './requestList';

export interface ListedOptions {
	/** COMPLETED, FAILED. */
	states: string[];
	simplify: boolean;
	downloadOutput: boolean;
	outputField: string;
	emitExpired: boolean;
}

/** How a look at one request ended. */
type Outcome =
	| { kind: 'completed'; body: RequestAnswer; fromHistory?: true }
	| { kind: 'failed'; body: RequestAnswer }
	| { kind: 'expired' }
	| { kind: 'running'; status: string }
	/** Not told this time. */
	| { kind: 'untold'; problem?: SegmindFailure };

interface Looked {
	ref: RequestRef;
	outcome: Outcome;
}

/** Requests looked at, and results put out, at once. */
const LOOKS_AT_ONCE = 10;
const OUTPUTS_AT_ONCE = 4;
/** After so many faults in a row the service is left alone until the next poll. */
const FAULTS_IN_A_ROW = 10;
/** Share of a poll's time for looking, where files are to be fetched after it. */
const LOOKING_SHARE = 0.5;
/** So many finished requests are a sample. */
const SAMPLES = 5;

/** What has ended among the listed requests, each once. */
export async function findEnded(
	session: PollSession,
	list: RequestList,
	kept: ListState | undefined,
	options: ListedOptions,
): Promise<Found<ListState>> {
	// At activation a list that can't be read is the user's to mend; later a bad entry must not hold up the good ones.
	if (kept === undefined && list.bad.length > 0) throw unreadable(list.bad);
	const state = kept ?? { done: [] };
	const ids = list.refs.map(({ request_id }) => request_id);
	const byId = new Map(list.refs.map((ref) => [ref.request_id, ref]));
	const turn = inTurn(ids, state).map((id) => byId.get(id) as RequestRef);
	const share = options.downloadOutput ? LOOKING_SHARE : 1;
	const { looked, refused } = await lookAtAll(session, turn, timeLeft(session) * share);
	const shown = await putOut(
		session,
		looked.filter(({ outcome }) => isWanted(outcome, options)),
		options,
	);
	const ended = looked
		.filter(({ ref, outcome }) => hasEnded(outcome) && !shown.left.has(ref.request_id))
		.map(({ ref }) => ref.request_id);
	const told = looked.filter(({ ref }) => !shown.left.has(ref.request_id));
	// What was left over comes first next time: the turn stops in front of it.
	const firstLeft = looked.findIndex(({ ref }) => shown.left.has(ref.request_id));
	const last = firstLeft >= 0 ? looked[firstLeft - 1] : looked[looked.length - 1];
	const problems = told.flatMap(({ outcome }) =>
		outcome.kind === 'untold' && outcome.problem ? [outcome.problem] : [],
	);
	for (const problem of problems)
		session.context.logger.warn(`Segmind Trigger: ${problem.facts.message}`);
	// One request out of reach among others is tried again in its turn; all of them is a fault of the poll.
	const allUntold = looked.length > 0 && looked.every(({ outcome }) => outcome.kind === 'untold');
	return {
		items: shown.items,
		state: afterPoll(ids, state, ended, last?.ref.request_id),
		problem:
			refused ??
			(list.bad.length > 0 ? unreadable(list.bad) : undefined) ??
			problems.find((problem) => !isPassingFault(problem)) ??
			(allUntold ? (problems[0] ?? outOfReach()) : undefined),
	};
}

/** Those of the listed requests that have finished, as a sample. @throws SegmindFailure that says why there is none */
export async function finishedNow(
	session: PollSession,
	list: RequestList,
	options: ListedOptions,
): Promise<INodeExecutionData[]> {
	if (list.bad.length > 0) throw unreadable(list.bad);
	if (list.refs.length === 0)
		throw badInput(
			'The list of requests is empty',
			'Fill in Requests: request IDs, returned URLs, or outputs of Submit.',
		);
	const { looked, refused } = await lookAtAll(
		session,
		list.refs,
		timeLeft(session) * LOOKING_SHARE,
		SAMPLES,
	);
	const wanted = looked.filter(({ outcome }) =>
		isWanted(outcome, { ...options, emitExpired: true }),
	);
	const { items } = await putOut(session, wanted.slice(0, SAMPLES), options);
	if (items.length > 0) return items;
	if (refused) throw refused;
	const [first] = looked;
	const what = first === undefined ? 'none could be looked at' : wordFor(first);
	throw new SegmindFailure({
		message: `None of the ${list.refs.length} listed requests has finished with a chosen state yet: ${what}`,
		description:
			'Fetch the test event again when one has finished, or list a request that already has.',
	});
}

/** Looks at requests in order until the time is up; `looked` is in that order without a gap. */
async function lookAtAll(
	session: PollSession,
	refs: RequestRef[],
	timeMs: number,
	enough = Infinity,
): Promise<{ looked: Looked[]; refused?: SegmindFailure }> {
	const until = session.clock.now() + timeMs;
	const looked: Looked[] = [];
	let next = 0;
	let faults = 0;
	let ended = 0;
	let refused: SegmindFailure | undefined;
	const worker = async () => {
		while (next < refs.length && session.clock.now() < until && !refused && ended < enough) {
			if (faults >= FAULTS_IN_A_ROW) return;
			const at = next++;
			const outcome = await lookOn(session, refs[at], until).catch(untold);
			// The time was up before it was asked for: it was not looked at.
			if (outcome === undefined) return;
			looked[at] = { ref: refs[at], outcome };
			faults = outcome.kind === 'untold' ? faults + 1 : 0;
			if (hasEnded(outcome)) ended++;
			if (outcome.kind === 'untold' && outcome.problem && concernsAll(outcome.problem))
				refused ??= outcome.problem;
		}
	};
	await Promise.all(Array.from({ length: Math.min(LOOKS_AT_ONCE, refs.length) }, worker));
	const gap = Array.from(looked).findIndex((one) => one === undefined);
	return { looked: gap === -1 ? looked : looked.slice(0, gap), refused };
}

/** A refused key or the like: every other request would bring the same. */
function concernsAll({ facts }: SegmindFailure): boolean {
	return facts.haltsRun === true || facts.httpCode === 401;
}

function untold(error: unknown): Outcome | undefined {
	if (!(error instanceof SegmindFailure)) throw error;
	return error.facts.stopped ? undefined : { kind: 'untold', problem: error };
}

/** Undefined when no call was made, because the time was up. */
async function lookOn(
	session: PollSession,
	given: RequestRef,
	until: number,
): Promise<Outcome | undefined> {
	const { client } = session;
	const ref = withAddresses(given, client.urls.baseUrl);
	const look = await checkStatus(client, ref, { deadline: until });
	switch (look.kind) {
		case 'late':
			return undefined;
		case 'passing':
		case 'unreadable':
			return { kind: 'untold' };
		case 'missing':
			return await fromHistory(session, ref);
		case 'running':
			return { kind: 'running', status: look.word };
		case 'failed': {
			const { reason } = await failedWith(client, ref, look);
			return { kind: 'failed', body: { ...look.body, error: reason || undefined } };
		}
		case 'completed': {
			const { endsAt } = session;
			const fetching = { deadline: endsAt, isOwn: false, isOver: false };
			const result = await fetchResult(client, ref, look.body, fetching);
			if (result === 'running') return { kind: 'running', status: 'PROCESSING' };
			// It expired between the two calls: the history is asked in full next time.
			if (result.kind === 'missing') return { kind: 'untold' };
			return result.kind === 'completed'
				? result
				: { kind: 'failed', body: { status: 'FAILED', error: result.reason } };
		}
	}
}

/** A 404 means expired, unless the history still has it; a history out of reach says neither. */
async function fromHistory(session: PollSession, ref: RequestRef): Promise<Outcome> {
	const asked = await readRecord(session.client, ref.request_id);
	if (asked.kind !== 'found')
		return asked.kind === 'unknown' ? { kind: 'expired' } : { kind: 'untold' };
	const { record } = asked;
	if (record.kind === 'running') {
		if (!record.completed) return { kind: 'running', status: 'PENDING' };
		// Its text has expired with the record; that it completed is all there is to tell.
		const body = { status: 'COMPLETED', request_id: ref.request_id };
		return { kind: 'completed', body, fromHistory: true };
	}
	return record.kind === 'completed'
		? { kind: 'completed', body: record.answer, fromHistory: true }
		: { kind: 'failed', body: record.answer };
}

function hasEnded({ kind }: Outcome): boolean {
	return kind === 'completed' || kind === 'failed' || kind === 'expired';
}

function isWanted({ kind }: Outcome, { states, emitExpired }: ListedOptions): boolean {
	return kind === 'expired' ? emitExpired : states.includes(kind.toUpperCase());
}

/** Makes the items, files included, in order; what the time does not allow is left for the next poll. */
async function putOut(
	session: PollSession,
	wanted: Looked[],
	options: ListedOptions,
): Promise<{ items: INodeExecutionData[]; left: Set<string> }> {
	const items: INodeExecutionData[] = [];
	const left = new Set<string>();
	let next = 0;
	const worker = async () => {
		while (next < wanted.length) {
			const at = next++;
			const { ref } = wanted[at];
			const item = await itemOf(session, wanted[at], options);
			if (item) items[at] = item;
			// A file too large for a poll must not stop everything for good: its address is in the output.
			else if (at === 0)
				items[at] =
					(await itemOf(session, wanted[at], { ...options, downloadOutput: false })) ??
					bare(wanted[at]);
			else left.add(ref.request_id);
		}
	};
	await Promise.all(Array.from({ length: Math.min(OUTPUTS_AT_ONCE, wanted.length) }, worker));
	for (const hint of session.hints) session.context.logger.warn(`Segmind Trigger: ${hint}`);
	return { items: items.filter(Boolean), left };
}

function bare({ ref }: Looked): INodeExecutionData {
	return { json: { request_id: ref.request_id } };
}

/** Undefined when the time was up before its files were there. */
async function itemOf(
	session: PollSession,
	{ ref, outcome }: Looked,
	options: ListedOptions,
): Promise<INodeExecutionData | undefined> {
	const { request_id: id } = ref;
	const label = labelOf(ref);
	if (outcome.kind === 'expired') return { json: { request_id: id, status: 'EXPIRED', ...label } };
	if (outcome.kind === 'failed') {
		const reason =
			session.client.redact(failureReason(outcome.body)) || 'the service gave no reason';
		return {
			json: dropUndefined({
				...(options.simplify ? { metrics: outcome.body.metrics } : rawBody(outcome.body)),
				request_id: id,
				status: 'FAILED',
				...label,
				error_message: reason,
			}),
		};
	}
	if (outcome.kind !== 'completed') return undefined;
	if (options.downloadOutput && timeLeft(session) <= 0) return undefined;
	return await finishedItem(
		session,
		{
			itemIndex: 0,
			requestId: id,
			label,
			body: outcome.body,
			isWorkflow: ref.workflow !== undefined || hasNamedOutputs(outcome.body),
			isGuess: ref.workflow === undefined,
			fromHistory: outcome.fromHistory,
		},
		{
			simplify: options.simplify,
			options: {
				timeoutMs: timeLeft(session),
				onTimeout: 'error',
				pollIntervalMs: 0,
				resubmitWhenUnknown: false,
				downloadOutput: options.downloadOutput,
				outputField: options.outputField,
				maxFileBytes: DEFAULT_MAX_FILE_MB * BYTES_PER_MB,
			},
		},
	).catch(noTimeLeft);
}

function noTimeLeft(error: unknown): undefined {
	if (!isPassingFault(error)) throw error;
}

function labelOf({ model, workflow }: RequestRef): IDataObject {
	return dropUndefined({ model, workflow });
}

/** A bare id does not say whether it is a workflow's; its output does. */
function hasNamedOutputs(body: RequestAnswer): boolean {
	const output = parsedOutput(body.output);
	return (
		Array.isArray(output) &&
		output.length > 0 &&
		output.every((entry) => isObject(entry) && typeof entry.keyname === 'string')
	);
}

function wordFor({ ref, outcome }: Looked): string {
	const { request_id: id } = ref;
	if (outcome.kind === 'running') return `request ${id} is ${outcome.status}`;
	if (outcome.kind === 'untold')
		return outcome.problem?.facts.message ?? `the service did not tell about request ${id}`;
	return `request ${id} ended as ${outcome.kind.toUpperCase()}`;
}

function unreadable(bad: string[]): SegmindFailure {
	return new SegmindFailure({
		message: `The list of requests has ${bad.length === 1 ? 'an entry' : `${bad.length} entries`} that cannot be read`,
		description: bad.slice(0, 10).join('\n'),
	});
}

function outOfReach(): SegmindFailure {
	return new SegmindFailure({
		message: 'Segmind told about none of the listed requests',
		description: 'It may be out of reach or refuse calls for now.',
		passing: true,
	});
}
