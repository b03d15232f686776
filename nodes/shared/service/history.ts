import { CHARGE } from '../base/failure';
import { fingerprintOf } from '../journal/journal';
import type { CallSession, Session } from '../run/session';
import {
	firstList,
	historyRow,
	isObject,
	parseJson,
	type HistoryRow,
	type RequestAnswer,
} from './schemas';
import { joinUrl } from './origins';
import type { HttpAnswer } from './http';
import { READ_TIMEOUT_MS, isPassing, sendUntilAnswered, type Sent } from './send';
import { jsonOf, noAnswer, refusal, unusable } from './unusable';
import { stateOf } from '../request/states';

/**
 * The account's request history on the management origin (service-facts section 16). It comes from Segmind's own SDK, not from the
 * specification, so every answer but a usable one means "not known there".
 */
const PATH = '/inference-request/request-history';

/** The whole look-up may take this long, ms: it only runs when something has gone wrong already. */
const BUDGET_MS = 20_000;
/** Rows made up to this long before our own call was sent still count as its own, ms. */
const SKEW_MS = 2_000;

/** What the history says of a request. */
export type HistoryRecord =
	| { kind: 'completed'; answer: RequestAnswer }
	| { kind: 'failed'; answer: RequestAnswer }
	/** Not finished; or it has `completed`, but the history has no file of it, as with a text. */
	| { kind: 'running'; completed: boolean };

/** Looks a request up by id; undefined when the history does not know it or does not answer. */
export async function recordOf(
	session: CallSession,
	requestId: string,
): Promise<HistoryRecord | undefined> {
	const asked = await askHistory(session, requestId);
	return asked.kind === 'found' ? asked.record : undefined;
}

/** The same, telling apart a history that has no such record (or is not there at all) and one that is out of reach for now. */
export async function askHistory(
	session: CallSession,
	requestId: string,
): Promise<{ kind: 'found'; record: HistoryRecord } | { kind: 'unknown' | 'unreachable' }> {
	const sent = await send(session, `${PATH}/${encodeURIComponent(requestId)}`);
	if (sent.kind === 'late' || isPassing(sent)) return { kind: 'unreachable' };
	const body = bodyOf(sent);
	const candidates =
		isObject(body) && !('request_id' in body)
			? isObject(body.data)
				? [body.data]
				: firstList(body)
			: Array.isArray(body)
				? body
				: [body];
	const rows = rowsIn(candidates).filter((row) => row.request_id === requestId);
	return rows.length === 0 ? { kind: 'unknown' } : { kind: 'found', record: recordFrom(rows) };
}

/**
 * Looks for a submission whose answer was lost: a row of the same model, made since it was sent, with every member of its body, and
 * claimed by no other item, nor made since an equal one is under way, whose it may be. Undefined when there is none.
 */
export async function findLost(
	session: Session,
	lost: { model: string; sentAt: number; fingerprint: Record<string, string> },
): Promise<string | undefined> {
	const since = lost.sentAt + session.serverOffsetMs - SKEW_MS;
	const query = new URLSearchParams({
		page: '1',
		per_page: '100',
		model_name: lost.model,
		sort_by: 'model_created',
		sort_order: 'desc',
	});
	const rows = rowsIn(firstList(bodyOf(await send(session, `${PATH}?${query.toString()}`))));
	const claimed = session.journal.claimedIds();
	const until =
		session.journal.equalUnderWaySince(lost.fingerprint) + session.serverOffsetMs - SKEW_MS;
	const matches = rows.reverse().filter((row) => {
		const made = madeAt(row);
		return (
			made !== undefined &&
			made >= since &&
			made < until &&
			!claimed.has(row.request_id) &&
			sameModel(row, lost.model) &&
			hasBody(row, lost.fingerprint)
		);
	});
	// One that failed may be that of an equal item, whose error named no id; taking it would let this item buy again what it has.
	const match = matches.find((row) => stateIn(row) !== 'FAILED') ?? matches[0];
	return match?.request_id;
}

/** One page of the history: its rows, and how many a page can hold. @throws SegmindFailure unless it could be read */
export async function historyPage(
	session: CallSession,
	query: Record<string, string>,
): Promise<{ rows: HistoryRow[]; size: number }> {
	const about = { purpose: 'read' as const, subject: 'the request history' };
	const sent = await send(session, `${PATH}?${new URLSearchParams(query).toString()}`);
	if (sent.kind !== 'answer') throw noAnswer(session, sent, about);
	const { answer } = sent;
	if (answer.status !== 200) throw refusal(session, answer, about);
	const body = jsonOf(answer);
	if (!Array.isArray(body) && !isObject(body)) throw unusableHistory(session, answer);
	const told = isObject(body) ? Number(body.per_page) : NaN;
	return { rows: rowsIn(firstList(body)), size: told > 0 ? told : Number(query.per_page) };
}

function unusableHistory(session: CallSession, answer: HttpAnswer) {
	return unusable(
		session,
		answer,
		{ purpose: 'read', subject: 'the request history' },
		CHARGE.none,
	);
}

function bodyOf(sent: Sent): unknown {
	return sent.kind === 'answer' && sent.answer.status === 200 ? jsonOf(sent.answer) : undefined;
}

async function send(session: CallSession, path: string): Promise<Sent> {
	return await sendUntilAnswered(
		session,
		{
			method: 'GET',
			url: joinUrl(session.urls.endpointAdminUrl, path),
			timeoutMs: READ_TIMEOUT_MS,
		},
		{ lane: 'urgent', deadline: session.clock.now() + BUDGET_MS },
	);
}

function rowsIn(list: unknown[]): HistoryRow[] {
	return list.flatMap((entry) => {
		const row = historyRow.safeParse(entry);
		return row.success ? [row.data] : [];
	});
}

/** Rows of one request, one a file, folded into a record. */
function recordFrom(rows: HistoryRow[]): HistoryRecord {
	const [first] = rows;
	const state = stateIn(first);
	const urls = [...new Set(rows.flatMap((row) => urlsIn(row.generation_url)))];
	const cost = costOf(rows);
	if (state === 'FAILED')
		return {
			kind: 'failed',
			answer: { status: 'FAILED', request_id: first.request_id, error: first.error },
		};
	if (urls.length === 0)
		return { kind: 'running', completed: stateOf(200, { status: state }) === 'completed' };
	return {
		kind: 'completed',
		answer: {
			status: 'COMPLETED',
			request_id: first.request_id,
			output: urls.length === 1 ? urls[0] : urls,
			...(cost > 0 ? { metrics: { cost } } : {}),
		},
	};
}

/** Every row of a request carries its full cost, so it must not be summed up (service-facts section 16). */
export function costOf(rows: HistoryRow[]): number {
	return Math.max(0, ...rows.map((row) => row.credits_deduction ?? 0));
}

export function urlsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(urlsIn);
	if (typeof value !== 'string') return [];
	return value.startsWith('[')
		? urlsIn(parseJson(value))
		: /^https?:\/\//.test(value)
			? [value]
			: [];
}

function stateIn(row: HistoryRow): string {
	return (row.model_status ?? row.status ?? '').toUpperCase();
}

function sameModel(row: HistoryRow, model: string): boolean {
	return row.model_name === undefined || row.model_name === null || row.model_name === model;
}

/** When a request was made, ms since the epoch. */
export function madeAt(row: HistoryRow): number | undefined {
	const value = row.created_at ?? row.model_created ?? row.timestamp;
	const at =
		typeof value === 'number'
			? value > 1e11
				? value
				: value * 1_000
			: Date.parse(
					typeof value === 'string' && !/(z|[+-]\d\d:?\d\d)$/i.test(value)
						? `${value}Z`
						: String(value),
				);
	return Number.isNaN(at) ? undefined : at;
}

/** The service may add defaults to a body, but every member of ours must be there. */
function hasBody(row: HistoryRow, fingerprint: Record<string, string>): boolean {
	const body =
		typeof row.request_body === 'string' ? parseJson(row.request_body) : row.request_body;
	if (!isObject(body)) return false;
	const names = Object.keys(fingerprint);
	if (names.length === 0) return Object.keys(body).length === 0;
	const theirs = fingerprintOf(body);
	return names.every((name) => theirs[name] === fingerprint[name]);
}
