import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { SegmindFailure } from '../shared/base/failure';
import { isSameModel, slugIn } from '../shared/catalogue/slug';
import { failureFrom, type FailureText } from '../shared/errors/failures';
import { say } from '../shared/errors/say';
import { textIn } from '../shared/parameters/values';
import { historyItem } from '../shared/output/historyItem';
import { creationTimeOf, DAY_MS, stateOfRows } from '../shared/service/history';
import { isReadBackTo, PAGE_SIZE, readHistory } from '../shared/service/historyPages';
import { noneReadableFailure } from '../shared/service/historyRequests';
import type { HistoryRow } from '../shared/service/schemas';
import { isTransientFault, nothingToShow } from './faults';
import { evaluateReading, historyState, requestsIn } from './historyState';
import { MAX_UNFINISHED_MS, type PollReading, type HistoryState } from './historyState';
import { serviceNow, timeLeft, type PollRun } from './pollRun';
import { assertNoSelfStart } from './selfStart';
import { isChosen, readStatuses, type Watcher } from './watcher';

/** One poll reads at most this many pages. */
const MAX_PAGES = 30;
/** No further page is read if less time is left. */
const MIN_PAGE_MS = 1_000;
/** How far back one query can read the history, because dates may be at most 31 days apart (docs/service.md S260). */
const MAX_REACH_MS = 29 * DAY_MS;

const HISTORY_TOO_LONG: FailureText = {
	what: say`The first poll could not read all requests of the last 3 hours`,
	charge: 'none',
	next: say`Publish the workflow again at a quieter time, or set Model, so that the trigger watches fewer requests.`,
	transient: true,
};

const REQUESTS_MISSED: FailureText = {
	what: say`Some requests may have been missed: the request history has more than ${MAX_PAGES * PAGE_SIZE} new rows, or the trigger did not poll for a month`,
	next: say`Choose a model, poll more often, or set Watch to Listed Requests for the requests that matter.`,
};

/** Returns the watcher for Request Finished with all requests of the account: emits the requests that the history newly shows as finished. */
export function requestHistoryWatcher(context: IPollFunctions): Watcher<HistoryState> {
	const states = readStatuses(context, 'states').sort();
	const model = slugIn(textIn(context.getNodeParameter('model', '', { extractValue: true })));
	// The model is compared here too, because the service also lists models whose slug only contains the given one. A row may have the slug or the title.
	const matches = (rows: HistoryRow[]) => {
		const state = stateOfRows(rows);
		const isOfModel = model === '' || isSameModel(rows[0].model_name ?? '', model);
		return isOfModel && state !== 'running' && isChosen(states, state.toUpperCase());
	};
	return {
		// With another filter the state starts over, because the requests that the earlier filter left out aren't new.
		name: `account ${states.join()} ${model}`,
		state: historyState,
		async find(run, stored) {
			assertNoSelfStart(context, model);
			// Responses show the service's clock, so the mark is computed anew after each page.
			const earliest = () => serviceNow(run) - (stored ? MAX_REACH_MS : MAX_UNFINISHED_MS);
			const markNow = () => Math.max(stored?.mark ?? 0, earliest());
			// A time without a zone counts as UTC, as in `evaluateReading`. Otherwise each poll of a history without zones would read every page.
			const reading = await readNewRows(run, model, markNow, (page) =>
				isReadBackTo(page.map(creationTimeOf), markNow()),
			);
			const { rows, end, fault, unreadable } = reading;
			// If the first poll recorded only a part of the history, the rest would look new to the next poll.
			if (!stored && end === 'cut') throw fault ?? failureFrom('unreadable', HISTORY_TOO_LONG);
			const known = { mark: markNow(), seen: stored?.seen ?? [] };
			const { ended, state } = evaluateReading(known, reading, serviceNow(run));
			let problem = fault;
			if (rows.length === 0 && unreadable > 0) problem = noneReadableFailure(unreadable);
			if (stored && (end === 'tooMuch' || known.mark > stored.mark)) {
				problem = failureFrom('unreadable', REQUESTS_MISSED);
				context.logger.warn(`Segmind Trigger: ${problem.message}`);
			}
			const emitted = stored ? ended.filter(matches) : [];
			return { state, items: emitted.map(rowsItem), problem };
		},
		async sample(run) {
			const earliest = () => serviceNow(run) - MAX_REACH_MS;
			const hasMatch = (page: HistoryRow[]) => requestsIn(page).some(matches);
			const { rows } = await readNewRows(run, model, earliest, hasMatch);
			const latest = requestsIn(rows).find(matches);
			if (latest) return [rowsItem(latest)];
			const thing = 'finished request of the last month with the chosen model and status';
			throw nothingToShow('other', thing);
		},
	};
}

/**
 * Reads the history, newest first. `fault`: the transient fault that cut it; `unreadable`: how many rows could not be read.
 * @param isEnough whether no page after this one is needed
 * @throws SegmindFailure if not even one page could be read, and for a fault that isn't transient
 */
async function readNewRows(
	run: PollRun,
	model: string,
	from: () => number,
	isEnough: (rows: HistoryRow[]) => boolean,
): Promise<PollReading & { unreadable: number; fault?: SegmindFailure }> {
	let rows: HistoryRow[] = [];
	let pages = 0;
	let unreadable = 0;
	let isCut = false;
	const query = { model, from: from() };
	const end = await readHistory(run.client, query, { maxPages: MAX_PAGES }, (page) => {
		rows = rows.concat(page.rows);
		pages++;
		unreadable += page.unreadable;
		if (page.isLast || isEnough(page.rows)) return true;
		isCut = timeLeft(run) < MIN_PAGE_MS;
		return isCut;
	}).catch((error: unknown) => {
		if (pages === 0 || !isTransientFault(error)) throw error;
		return error;
	});
	if (end instanceof SegmindFailure) return { rows, unreadable, end: 'cut', fault: end };
	if (end === 'tooMany') return { rows, unreadable, end: 'tooMuch' };
	return { rows, unreadable, end: isCut ? 'cut' : 'enough' };
}

function rowsItem(rows: HistoryRow[]): INodeExecutionData {
	return { json: historyItem(rows[0].request_id, rows, true) };
}
