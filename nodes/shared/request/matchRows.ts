import { digest, stableJson } from '../base/hash';
import { isSameModel } from '../catalogue/slug';
import type { Fingerprint } from '../journal/entry';
import { creationTimeOf, rowNamesZone, stateOfRows } from '../service/history';
import type { HistoryReading } from '../service/historyPages';
import { isObject, parseJson, type HistoryRow } from '../service/schemas';

/** Tolerance for a row's time, before sending and after the response was lost: the Date header has only whole seconds. */
const SKEW_MS = 2_000;
/** A row made more than this long before sending is certainly an earlier call's. Less isn't certain, because the clock of the history may be wrong. */
export const FAR_SKEW_MS = 60_000;

/** A call whose response was lost, and what else decides to which call a row belongs. Times in ms since the epoch. */
interface LostCall {
	/** Slug. */
	model: string;
	fingerprint: Fingerprint;
	sentAt: number;
	lostAt: number;
	/** How many equal calls of this process lost their responses; 0 if another process sent the call. */
	equalLostCount: number;
	/** Whether an item of this process has claimed this ID. */
	isClaimed: (requestId: string) => boolean;
}

export type Match =
	/** The row is the call's own. */
	| { readonly kind: 'one'; readonly requestId: string }
	/** Requests that may be the call's own, but may also be another item's, the oldest first. */
	| { readonly kind: 'candidates'; readonly candidates: string[] }
	| { readonly kind: 'none' };

/**
 * Finds the row of the request history that belongs to a lost call. Pure.
 *
 * A row is the call's own if this process sent the call, the row's body is exactly the call's, it was made while the call was under way, and there are at
 * most as many such rows as equal lost calls. Any other row whose body may be the call's, and that wasn't certainly made before it, is a candidate. Claimed
 * and failed rows don't count: a failed request is free.
 */
export function matchRows(call: LostCall, reading: HistoryReading): Match {
	const liveRows = reading.rows.filter((row) => stateOfRows([row]) !== 'failed');
	const candidates = oldestFirst(oneRowPerRequest(liveRows))
		.filter(({ request_id }) => !call.isClaimed(request_id))
		.map((row) => ({ row, body: compareRow(call, row), time: compareTime(call, row, reading) }))
		.filter(({ body, time }) => body !== 'other' && time !== 'before');
	const ownRows = candidates.filter(({ body, time }) => body === 'same' && time === 'during');
	if (ownRows.length > 0 && ownRows.length <= call.equalLostCount)
		return { kind: 'one', requestId: ownRows[0].row.request_id };
	if (candidates.length === 0) return { kind: 'none' };
	return { kind: 'candidates', candidates: candidates.map(({ row }) => row.request_id) };
}

/** Compares a row with the call. It isn't published whether a row has the slug or the title (docs/service.md S264), so spelling doesn't matter. */
function compareRow(
	{ model, fingerprint }: LostCall,
	{ model_name, request_body }: HistoryRow,
): 'same' | 'unclear' | 'other' {
	const body = compareBody(fingerprint, request_body);
	const isOfModel = !model_name || isSameModel(model_name, model);
	return body === 'same' && !isOfModel ? 'unclear' : body;
}

/** Returns when a row was made: certainly before the call, while the call was under way, or later or at a time that isn't certain. */
function compareTime(
	{ sentAt, lostAt }: LostCall,
	row: HistoryRow,
	{ offsetMs, errorMs }: HistoryReading,
): 'before' | 'during' | 'uncertain' {
	const at = creationTimeOf(row);
	if (at === undefined || !rowNamesZone(row)) return 'uncertain';
	if (at < sentAt + offsetMs - FAR_SKEW_MS) return 'before';
	const isDuring = at >= sentAt + offsetMs - SKEW_MS && at <= lostAt + offsetMs + errorMs + SKEW_MS;
	return isDuring ? 'during' : 'uncertain';
}

/** Sorts rows by their time; those without a time come last. */
function oldestFirst(rows: HistoryRow[]): HistoryRow[] {
	const timeOfRow = (row: HistoryRow) => creationTimeOf(row) ?? Number.MAX_VALUE;
	return [...rows].sort((one, other) => timeOfRow(one) - timeOfRow(other));
}

/** Keeps one row of each request: the history has one per file. */
function oneRowPerRequest(rows: HistoryRow[]): HistoryRow[] {
	return [...new Map([...rows].reverse().map((row) => [row.request_id, row])).values()];
}

/** The history may shorten a longer string or replace it by a URL, so a difference in a longer string proves nothing. */
const MAX_KEPT_CHARS = 500;
/** Marks the digest of a member with a longer string. */
const LONG_PREFIX = '~';

/**
 * Makes a digest of each member of a body, to recognize the body without keeping it. Numbers and strings are compared by value, because the history
 * may format them differently (docs/service.md S266).
 */
export function fingerprintOf(body: Record<string, unknown>): Fingerprint {
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => {
			const prefix = hasLongString(value) ? LONG_PREFIX : '';
			return [name, prefix + digest(stableJson(normalizeValue(value))).slice(0, 16)];
		}),
	);
}

/** Whether a member contains a string, at any depth, that the history may shorten or replace. */
function hasLongString(value: unknown): boolean {
	if (typeof value === 'string') return value.length > MAX_KEPT_CHARS;
	return typeof value === 'object' && value !== null && Object.values(value).some(hasLongString);
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
