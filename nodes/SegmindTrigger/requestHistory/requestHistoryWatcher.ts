import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { SegmindFailure } from '../../shared/base/failure';
import { emitsExisting, readStates } from '../parameters';
import { isTransientFault } from '../pollFaults';
import { serviceNow, timeLeft, type PollSession } from '../pollSession';
import type { Found, Watcher } from '../watcher';
import { dateOf, daysFrom } from './historyDays';
import { itemOf } from './historyItem';
import { readPage, type RowEntry } from './historyPages';
import { scanFrom, type ReadPage } from './historyScan';
import {
	firstState,
	historyState,
	judgeScan,
	planScan,
	UNFINISHED_MS,
	type HistoryFilter,
	type HistoryState,
} from './historyState';

/** How far back a sample may lie, ms. */
const SAMPLE_MS = 29 * 24 * 3_600_000;
/** With less time left, no further page is read, ms. */
const PAGE_TIME_MS = 1_000;

/** Request Finished, all requests of the account: those that newly finished according to the request history. */
export function requestHistoryWatcher(context: IPollFunctions): Watcher<HistoryState> {
	const filter: HistoryFilter = { states: readStates(context), model: readModel(context) };
	const emitExisting = emitsExisting(context);
	return {
		name: 'account',
		state: historyState,
		async find(session, kept) {
			return await newlyFinished(session, filter, kept, emitExisting);
		},
		async sample(session) {
			return [await latestFinished(session, filter)];
		},
	};
}

function readModel(context: IPollFunctions): string {
	const model: unknown = context.getNodeParameter('model', '', { extractValue: true });
	return typeof model === 'string' ? model.trim() : '';
}

/** @throws SegmindFailure when not even one page could be read */
async function newlyFinished(
	session: PollSession,
	filter: HistoryFilter,
	kept: HistoryState | undefined,
	emitExisting: boolean,
): Promise<Found<HistoryState>> {
	const state = kept ?? firstState(serviceNow(session), filter);
	const { full, from } = planScan(state, serviceNow(session));
	const { until, ...days } = daysFrom(from, serviceNow(session));
	const day = `${days.from_date} ${filter.model}`;
	const { pages } = state;
	const hint = pages.day === day ? (full ? pages.mark : Math.max(pages.mark, pages.recent)) : 1;

	const reading = pageReader(session, filter.model, days);
	const scan = await scanFrom(reading.read, from, hint);
	const { fault, isAnswered } = reading.result();
	if (fault && (!isAnswered || !kept)) throw fault;
	// A first poll that recorded only a part would take the rest for new.
	if (!kept && !scan.complete) throw tooMuchForOnePoll();
	const judged = judgeScan(state, scan, { full, now: serviceNow(session), filter, day, until });
	return {
		state: judged.state,
		items: kept || emitExisting ? judged.events.map(itemOf) : [],
		problem: fault,
	};
}

/** Reads pages until the time is up or a transient fault occurs. What was read before counts; the rest is left to the next poll. */
function pageReader(session: PollSession, model: string, days: Record<string, string>) {
	let fault: SegmindFailure | undefined;
	let isAnswered = false;
	const read: ReadPage<RowEntry> = async (page) => {
		if (fault || (isAnswered && timeLeft(session) < PAGE_TIME_MS)) return undefined;
		const answer = await readPage(session, model, page, days).catch(transientFault);
		if (answer instanceof SegmindFailure) {
			fault = answer;
			return undefined;
		}
		isAnswered = true;
		return answer;
	};
	return { read, result: () => ({ fault, isAnswered }) };
}

/** @throws every other error */
function transientFault(error: unknown): SegmindFailure {
	if (isTransientFault(error)) return error;
	throw error;
}

/** The latest finished request that passes the filter. @throws SegmindFailure when the last month has none */
async function latestFinished(
	session: PollSession,
	filter: HistoryFilter,
): Promise<INodeExecutionData> {
	const now = serviceNow(session);
	for (let page = 1; timeLeft(session) > PAGE_TIME_MS; page++) {
		const { rows, full } = await readPage(session, filter.model, page, {
			from_date: dateOf(now - SAMPLE_MS),
			sort_order: 'desc',
		});
		const { events } = judgeScan(
			firstState(now, filter),
			{ rows, complete: true, readTo: undefined, pages: [] },
			{ full: true, now, filter, day: '' },
		);
		if (events.length > 0) return itemOf(events[0]);
		if (!full) break;
	}
	throw nothingFinished(filter);
}

function nothingFinished({ model }: HistoryFilter): SegmindFailure {
	return new SegmindFailure({
		message: 'There is no finished request to show',
		description: `The request history of the last month holds none with the chosen states${model === '' ? '' : ` of model '${model}'`}. Run a model once, then fetch the test event again.`,
	});
}

function tooMuchForOnePoll(): SegmindFailure {
	return new SegmindFailure({
		message: 'The request history could not be read to its end in the time of one poll',
		description: `The first poll records everything of the last ${UNFINISHED_MS / 3_600_000} hours. Activate the workflow again at a quieter time, or choose a model.`,
		transient: true,
	});
}
