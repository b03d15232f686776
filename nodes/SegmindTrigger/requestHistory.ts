import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { SegmindFailure } from '../shared/base/failure';
import { slugIn } from '../shared/catalogue/slug';
import { CAUSES } from '../shared/errors/errorTable';
import { PARTS } from '../shared/errors/parts';
import { failureOf, fill } from '../shared/errors/failures';
import { textIn } from '../shared/inputs/values';
import { historyItem, noneReadableFailure } from '../shared/output/historyRequests';
import { rowStateOf } from '../shared/service/responses';
import type { Client } from '../shared/service/client';
import { DAY_MS, creationTimeOf } from '../shared/service/history';
import {
	nextPage,
	openHistory,
	PAGE_SIZE,
	type HistoryReader,
} from '../shared/service/historyPages';
import type { HistoryRow } from '../shared/service/schemas';
import { isTransientFault } from './faults';
import {
	initialState,
	historyState,
	evaluateReading,
	MAX_PAGES,
	readBack,
	MAX_UNFINISHED_MS,
	type HistoryEntry,
	type EntryPage,
	type HistoryRequest,
	type HistoryState,
} from './historyState';
import { emitsExisting, readStates } from './parameters';
import { serviceNow, timeLeft, type PollSession } from './pollSession';
import { assertNoSelfStart } from './selfStart';
import type { WatchOutcome, Watcher } from './watcher';

/** No further page is read if less time is left. */
const MIN_PAGE_MS = 1_000;
/** How far back one query can read the history, because dates may be at most 31 days apart (docs/service.md S260). */
const MAX_REACH_MS = 29 * DAY_MS;

/** A row of the history with the values that the state needs. */
interface EntryRow extends HistoryEntry {
	row: HistoryRow;
}

interface Filter {
	/** The statuses that start the workflow: COMPLETED, FAILED. */
	states: string[];
	/** The slug of the model or workflow; '' for all of them. */
	model: string;
}

/** Returns the watcher for Request Finished with all requests of the account: emits the requests that the history newly shows as finished. */
export function requestHistoryWatcher(context: IPollFunctions): Watcher<HistoryState> {
	const model: unknown = context.getNodeParameter('model', '', { extractValue: true });
	const filter = {
		states: readStates(context).sort(),
		model: slugIn(textIn(model)),
	};
	const emitExisting = emitsExisting(context);
	return {
		// With another filter the state starts over, because the requests that the earlier filter left out aren't new.
		name: `account ${filter.states.join()} ${filter.model}`,
		state: historyState,
		async find(session, storedState) {
			assertNoSelfStart(context, filter.model);
			return await findNewlyFinished(session, filter, storedState, emitExisting);
		},
		async sample(session) {
			return [await findLatestFinished(session, filter)];
		},
	};
}

/** Finds the requests that have finished since the stored state. @throws SegmindFailure if not even one page could be read */
async function findNewlyFinished(
	session: PollSession,
	filter: Filter,
	storedState: HistoryState | undefined,
	emitExisting: boolean,
): Promise<WatchOutcome<HistoryState>> {
	const { client } = session;
	const earliestReadable = () => serviceNow(session) - MAX_REACH_MS;
	const history = openHistory(client, () => ({
		model: filter.model,
		from: Math.max((storedState ?? initialState(serviceNow(session))).mark, earliestReadable()),
	}));
	// The first response shows the service's clock, so the first page is read before any time is computed.
	const first = await readPage(client, history);
	const now = serviceNow(session);
	const state = storedState ?? initialState(now);
	const mark = Math.max(state.mark, earliestReadable());
	let fault: SegmindFailure | undefined;
	let { unreadable } = first;
	let firstPage: EntryPage<EntryRow> | undefined = first;
	const reading = await readBack<EntryRow>(async () => {
		const page = firstPage;
		firstPage = undefined;
		if (page) return page;
		if (timeLeft(session) < MIN_PAGE_MS) return undefined;
		const next = await readPage(client, history).catch(rethrowUnlessTransient);
		if (next instanceof SegmindFailure) {
			fault = next;
			return undefined;
		}
		unreadable += next.unreadable;
		return next;
	}, mark);
	if (fault && !storedState) throw fault;
	// If the first poll recorded only a part of the history, the rest would look new to the next poll.
	if (!storedState && reading.end === 'cut') throw historyTooLongFailure();
	const evaluation = evaluateReading({ ...state, mark }, reading, serviceNow(session));
	const hasGap = storedState !== undefined && (reading.end === 'tooMuch' || mark > state.mark);
	if (hasGap)
		session.context.logger.warn(`Segmind Trigger: ${requestsMissedFailure().facts.message}`);
	const hasOnlyUnreadable = reading.rows.length === 0 && unreadable > 0;
	return {
		state: evaluation.state,
		items:
			storedState || emitExisting
				? evaluation.finished.filter(matchesFilter(filter)).map(itemOf)
				: [],
		problem:
			fault ??
			(hasOnlyUnreadable
				? noneReadableFailure(unreadable)
				: hasGap
					? requestsMissedFailure()
					: undefined),
	};
}

/** Returns a transient failure. @throws every other error */
function rethrowUnlessTransient(error: unknown): SegmindFailure {
	if (isTransientFault(error)) return error;
	throw error;
}

/** Finds the latest finished request that passes the filter. @throws SegmindFailure if the last month has none */
async function findLatestFinished(
	session: PollSession,
	filter: Filter,
): Promise<INodeExecutionData> {
	const { client } = session;
	const history = openHistory(client, () => ({
		model: filter.model,
		from: serviceNow(session) - MAX_REACH_MS,
	}));
	for (let page = 1; page <= MAX_PAGES && timeLeft(session) > MIN_PAGE_MS; page++) {
		const { rows, isLast } = await readPage(client, history);
		const all = { mark: -Infinity, seen: [] };
		const { finished } = evaluateReading<EntryRow>(all, { rows, end: 'mark' }, serviceNow(session));
		const latest = finished.filter(matchesFilter(filter)).pop();
		if (latest) return itemOf(latest);
		if (isLast) break;
	}
	throw nothingFinishedFailure(filter);
}

/** Reads the next page of the history, newest first. @throws SegmindFailure if that fails */
async function readPage(client: Client, history: HistoryReader) {
	const { rows, isLast, unreadable } = await nextPage(client, history).catch(throwWithAlternative);
	return {
		rows: rows.map((row) => ({
			id: row.request_id,
			madeAt: creationTimeOf(row),
			state: rowStateOf(row.model_status ?? row.status),
			row,
		})),
		isLast,
		unreadable,
	};
}

/** Throws the error again; if there is no history, with advice to watch listed requests. */
function throwWithAlternative(error: unknown): never {
	if (!(error instanceof SegmindFailure) || error.facts.httpCode !== 404) throw error;
	throw failureOf(error.facts.kind, CAUSES.noHistory, {}, error.facts);
}

function matchesFilter({ states, model }: Filter): (request: HistoryRequest<EntryRow>) => boolean {
	// The model is compared here too, because the service also lists models whose slug only contains the given one.
	return (request) =>
		states.includes(request.state.toUpperCase()) &&
		(model === '' || request.rows[0].row.model_name === model);
}

function itemOf({ id, rows }: HistoryRequest<EntryRow>): INodeExecutionData {
	const historyRows = rows.map(({ row }) => row);
	return { json: historyItem(id, historyRows, true) };
}

function nothingFinishedFailure({ model }: Filter): SegmindFailure {
	const why = model === '' ? '' : fill(PARTS.toModel, { model });
	return failureOf('other', CAUSES.nothingFinished, { why });
}

function historyTooLongFailure(): SegmindFailure {
	const values = { hours: MAX_UNFINISHED_MS / 3_600_000 };
	return failureOf('unreadable', CAUSES.historyTooLong, values, { transient: true });
}

function requestsMissedFailure(): SegmindFailure {
	return failureOf('unreadable', CAUSES.requestsMissed, { rows: MAX_PAGES * PAGE_SIZE });
}
