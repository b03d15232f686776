import type { Fingerprint } from '../../journal/entry';
import type { Call } from '../../journal/calls';
import { rowStateOf } from '../../service/responses';
import { digest, stableJson } from '../../base/hash';
import { MAX_ZONE_OFFSET_MS, creationTimeOf, rowNamesZone } from '../../service/history';
import type { HistoryReading } from '../../service/historyPages';
import { isObject, parseJson, type HistoryRow } from '../../service/schemas';

/** Tolerance for a row's time, before sending and after the response was lost: the Date header has only whole seconds. */
const SKEW_MS = 2_000;
/** A row made up to this long before sending may be ours, because the clock of the history may be wrong. */
export const FAR_SKEW_MS = 60_000;
/** A row made up to this long after the response was lost may be ours, because a row's time may be the end of its request. */
const MAX_JOB_MS = 3_600_000;
/** A time without a zone may be off by a multiple of this. */
const ZONE_STEP_MS = 15 * 60_000;

/** What the request history shows of a call whose response was lost. */
export type SearchResult =
	/** A row is certainly the call's own. With `isResponse`, the response arrived late instead; it may name no ID (v1). */
	| { readonly kind: 'one'; readonly requestId?: string; readonly isResponse?: boolean }
	/** Rows that may be the call's own, but may also be another item's. */
	| { readonly kind: 'several'; readonly candidates: string[] }
	/** The history was read completely and late enough: neither the request nor a candidate is there. */
	| { readonly kind: 'none' }
	/** The history wasn't read completely. `isLasting`: this key has no history, so no retry can read it either. */
	| { readonly kind: 'unread'; readonly isLasting: boolean }
	/** The call, or an equal one of this process, still waits for its response, or the service may still work on it. */
	| { readonly kind: 'underWay' };

/** The lost call, and what else decides to which call a row belongs. */
interface MatchInput {
	/** Slug. */
	model: string;
	/** The lost call. */
	call: Call;
	fingerprint: Fingerprint;
	/** All equal calls of this process whose responses were lost. */
	equalLostCalls: readonly Call[];
	/** The register has every ID that this process received after this time (ms since the epoch). It may have dropped older ones. */
	knownSince: number;
	/** Whether an item of this process has claimed this ID. */
	isClaimed: (requestId: string) => boolean;
}

export type Match =
	| Extract<SearchResult, { kind: 'several' | 'none' }>
	/** With `hasFailed`, another row that is ours and is charged may still appear. */
	| { kind: 'one'; requestId: string; hasFailed: boolean };

/**
 * Finds the row of the request history that belongs to a lost call. Pure.
 *
 * A row is ours if its body is exactly ours, it was made while the call was under way, no other item has its ID, and there are at most as many such
 * rows as equal calls of this process lost their responses. Equal calls are interchangeable, so they take the rows in order; a lost call counts only
 * if a row was made in its time. A failed row is taken only if no other one fits. A row that may be ours without certainty is a candidate.
 */
export function matchRows(
	{ model, call, fingerprint, equalLostCalls, knownSince, isClaimed }: MatchInput,
	reading: HistoryReading,
): Match {
	const unclaimedRows = oneRowPerRequest(reading.rows).filter(
		({ request_id }) => !isClaimed(request_id),
	);
	const comparedRows = unclaimedRows.map((row) => {
		const body = compareBody(fingerprint, row.request_body);
		return { row, body: body === 'same' && !isOfModel(row, model) ? 'unclear' : body };
	});
	const equalRows = comparedRows
		.filter(({ row, body }) => body === 'same' && isInTime(row, call, reading))
		.map(({ row }) => row)
		.sort((one, other) => (creationTimeOf(one) ?? 0) - (creationTimeOf(other) ?? 0));
	const notFailedRows = equalRows.filter((row) => !hasFailed(row));
	const rows = notFailedRows.length > 0 ? notFailedRows : equalRows;
	if (rows.length === 0) {
		const candidates = comparedRows
			.filter(({ row, body }) => body !== 'other' && mayBeInTime(row, call, reading))
			.map(({ row }) => row.request_id);
		return candidates.length > 0 ? { kind: 'several', candidates } : { kind: 'none' };
	}
	const countedCalls = equalLostCalls.filter((lostCall) =>
		rows.some((row) => isInTime(row, lostCall, reading)),
	);
	if (rows.length > countedCalls.length || countedCalls.some(({ sentAt }) => sentAt < knownSince))
		return { kind: 'several', candidates: rows.map(({ request_id }) => request_id) };
	const earlierCount = countedCalls.filter(({ sentAt }) => sentAt < call.sentAt).length;
	const row = rows[Math.min(earlierCount, rows.length - 1)];
	return { kind: 'one', requestId: row.request_id, hasFailed: hasFailed(row) };
}

/** Ignores case and punctuation: it isn't published whether names are compared exactly (docs/service.md S264), and whether a row has the slug or the title. */
function isOfModel({ model_name }: HistoryRow, model: string): boolean {
	return !model_name || normalizeName(model_name) === normalizeName(model);
}

function normalizeName(name: string): string {
	return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function hasFailed(row: HistoryRow): boolean {
	return rowStateOf(row.model_status ?? row.status) === 'failed';
}

/** Whether a row was certainly made while the call was under way; false if the row has no time. */
function isInTime(row: HistoryRow, call: Call, { offsetMs, errorMs }: HistoryReading): boolean {
	const at = creationTimeOf(row);
	if (at === undefined) return false;
	const { sentAt } = call;
	return at >= sentAt + offsetMs - SKEW_MS && at <= callEndOf(call) + offsetMs + errorMs + SKEW_MS;
}

function mayBeInTime(row: HistoryRow, call: Call, { offsetMs }: HistoryReading): boolean {
	const at = creationTimeOf(row);
	if (at === undefined) return true;
	const from = call.sentAt + offsetMs - FAR_SKEW_MS;
	const to = callEndOf(call) + offsetMs + FAR_SKEW_MS;
	if (at >= from && at <= to + MAX_JOB_MS) return true;
	// The first time in range that the row's time can mean in another time zone.
	const shifted = at + Math.ceil((from - at) / ZONE_STEP_MS) * ZONE_STEP_MS;
	return !rowNamesZone(row) && Math.abs(shifted - at) <= MAX_ZONE_OFFSET_MS && shifted <= to;
}

/** Returns when the node stopped waiting for the response, or when a v1 call must have ended. */
function callEndOf({ sentAt, lostAt = sentAt, runsUntil = lostAt }: Call): number {
	return Math.max(lostAt, runsUntil);
}

/** Keeps one row of each request: the history has one per file. */
function oneRowPerRequest(rows: HistoryRow[]): HistoryRow[] {
	return [...new Map([...rows].reverse().map((row) => [row.request_id, row])).values()];
}

/** The history may shorten a longer string or replace it by a URL, so a difference in a longer string proves nothing. */
const MAX_KEPT_CHARS = 500;
/** Marks the digest of a string that is longer than `MAX_KEPT_CHARS`. */
const LONG_PREFIX = '~';

/**
 * Makes a digest of each member of a body, to recognize the body without keeping it. Numbers and strings are compared by value, because the history
 * may format them differently (docs/service.md S266).
 */
export function fingerprintOf(body: Record<string, unknown>): Fingerprint {
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => {
			const isLong = typeof value === 'string' && value.length > MAX_KEPT_CHARS;
			return [
				name,
				(isLong ? LONG_PREFIX : '') + digest(stableJson(normalizeValue(value))).slice(0, 16),
			];
		}),
	);
}

function normalizeValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(normalizeValue);
	if (isObject(value))
		return Object.fromEntries(
			Object.entries(value).map(([name, member]) => [name, normalizeValue(member)]),
		);
	if (typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return value;
	const text = value.trim();
	if (/^(true|false)$/i.test(text)) return text.toLowerCase();
	return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

/**
 * Compares a row's body with ours. `unclear`: it's missing or nested, or has other members (the service may add defaults or leave some out). `other`:
 * a member that both have differs.
 */
export function compareBody(ours: Fingerprint, rowBody: unknown): 'same' | 'unclear' | 'other' {
	const body = typeof rowBody === 'string' ? parseJson(rowBody) : rowBody;
	if (!isObject(body)) return 'unclear';
	const theirs = fingerprintOf(body);
	const names = Object.keys(ours);
	const differing = names.filter((name) => name in theirs && theirs[name] !== ours[name]);
	if (differing.some((name) => !ours[name].startsWith(LONG_PREFIX))) return 'other';
	const isWhole = names.every((name) => name in theirs) && differing.length === 0;
	return isWhole && Object.keys(theirs).length === names.length ? 'same' : 'unclear';
}
