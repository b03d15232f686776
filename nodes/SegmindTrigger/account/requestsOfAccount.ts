import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../shared/base/failure';
import { dropUndefined } from '../../shared/output/finished';
import { failureReason, stateOfWord } from '../../shared/service/answers';
import { costOf, historyPage, madeAt, urlsIn } from '../../shared/service/history';
import { parseJson, type HistoryRow } from '../../shared/service/schemas';
import type { Found } from '../found';
import { isPassingFault, serverNow, timeLeft, type PollSession } from '../pollSession';
import {
	firstState,
	HOLD_MS,
	judgeScan,
	planScan,
	type AccountFilter,
	type AccountState,
	type FinishedRequest,
	type HistoryEntry,
} from './accountState';
import { scanFrom, type ScanPage } from './historyScan';
import { dateOf, windowFrom } from './historyWindow';

interface Entry extends HistoryEntry {
	row: HistoryRow;
}

const PAGE_SIZE = 100;
/** A sample may be this old, ms. */
const SAMPLE_MS = 29 * 24 * 3_600_000;
/** Below this, no further page is begun, ms. */
const PAGE_TIME_MS = 1_000;

/** What newly finished in the account. @throws SegmindFailure when not even one page could be read */
export async function findFinished(
	session: PollSession,
	filter: AccountFilter,
	kept: AccountState | undefined,
	emitExisting: boolean,
): Promise<Found<AccountState>> {
	const state = kept ?? firstState(serverNow(session), filter);
	const { full, from } = planScan(state, serverNow(session));
	const { until, ...days } = windowFrom(from, serverNow(session));
	const day = `${days.from_date} ${filter.model}`;
	const { pages } = state;
	const hint = pages.day === day ? (full ? pages.mark : Math.max(pages.mark, pages.recent)) : 1;

	let fault: SegmindFailure | undefined;
	let answered = false;
	const scan = await scanFrom(
		async (page) => {
			if (fault || (answered && timeLeft(session) < PAGE_TIME_MS)) return undefined;
			const read = await readPage(session, filter.model, page, days).catch(passingFault);
			if (read instanceof SegmindFailure) fault = read;
			else {
				answered = true;
				return read;
			}
			return undefined;
		},
		from,
		hint,
	);
	if (fault && (!answered || !kept)) throw fault;
	// A first poll that noted down only a part would take the rest for new.
	if (!kept && !scan.complete) throw tooMuchAtOnce();
	const judged = judgeScan(state, scan, {
		full,
		now: serverNow(session),
		filter,
		day,
		until,
	});
	return {
		state: judged.state,
		items: kept || emitExisting ? judged.events.map(itemOf) : [],
		problem: fault,
	};
}

/** What was read before such a fault counts; the rest is left to the next poll. */
function passingFault(error: unknown): SegmindFailure {
	if (isPassingFault(error)) return error;
	throw error;
}

/** The latest finished request that passes the filter, as a sample. */
export async function latestFinished(
	session: PollSession,
	filter: AccountFilter,
): Promise<INodeExecutionData[]> {
	const now = serverNow(session);
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
		if (events.length > 0) return [itemOf(events[0])];
		if (!full) break;
	}
	throw new SegmindFailure({
		message: 'There is no finished request to show',
		description: `The request history of the last month holds none with the chosen states${filter.model === '' ? '' : ` of model '${filter.model}'`}. Run a model once, then fetch the test event again.`,
	});
}

async function readPage(
	session: PollSession,
	model: string,
	page: number,
	query: Record<string, string>,
): Promise<ScanPage<Entry>> {
	const { rows, size } = await historyPage(session.client, {
		page: String(page),
		per_page: String(PAGE_SIZE),
		sort_by: 'model_created',
		sort_order: 'asc',
		...(model === '' ? {} : { model_name: model }),
		...query,
	}).catch(explained);
	return {
		rows: rows.map((row) => ({
			id: row.request_id,
			madeAt: madeAt(row),
			state: stateOfWord(row.model_status ?? row.status),
			model: row.model_name ?? '',
			row,
		})),
		full: rows.length >= size,
	};
}

/** A history that is not there is no fault of the user's, and there is another way. */
function explained(error: unknown): never {
	if (!(error instanceof SegmindFailure) || error.facts.httpCode !== 404) throw error;
	throw new SegmindFailure({
		...error.facts,
		message: 'Segmind has no request history at this address (HTTP 404)',
		description:
			'It is not part of the published API and may have been moved or withdrawn. Check Endpoint Admin URL in the credential, or set Watch to Listed Requests, which does without it.',
	});
}

function tooMuchAtOnce(): SegmindFailure {
	return new SegmindFailure({
		message: 'The request history could not be read to its end in the time of one poll',
		description: `The first poll notes down everything of the last ${HOLD_MS / 3_600_000} hours. Activate the workflow again at a quieter time, or choose a model.`,
		passing: true,
	});
}

function itemOf({ id, status, rows }: FinishedRequest<Entry>): INodeExecutionData {
	const [{ row }] = rows;
	const urls = [...new Set(rows.flatMap((one) => urlsIn(one.row.generation_url)))];
	const body = row.request_body;
	const parsed = typeof body === 'string' ? (parseJson(body) ?? body) : body;
	const cost = costOf(rows.map((one) => one.row));
	return {
		json: dropUndefined({
			request_id: id,
			status,
			model: row.model_name ?? undefined,
			urls,
			output: urls.length > 1 ? urls : urls[0],
			cost,
			latency_ms: row.latency_ms ?? undefined,
			created_at: (row.created_at ??
				row.model_created ??
				row.timestamp) as IDataObject['created_at'],
			request_body: parsed ?? undefined,
			error_message:
				status === 'FAILED'
					? failureReason({ error: row.error }) || 'the service gave no reason'
					: undefined,
		}),
	};
}
