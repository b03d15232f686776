import { digest, stableJson } from '../base/hash';
import type { Found } from '../journal/lifecycle';
import type { Submission, Submissions } from '../journal/submissions';
import { stateOf } from '../service/answers';
import { madeAt, type Reading } from '../service/history';
import { isObject, parseJson, type HistoryRow } from '../service/schemas';

/** Clocks are compared by a date in whole seconds: a row counts this much before the sending and after the loss, ms. */
const SKEW_MS = 2_000;

/** One digest per member: enough to recognise a body in the history without keeping it. */
export function fingerprintOf(body: Record<string, unknown>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [name, digest(stableJson(value)).slice(0, 16)]),
	);
}

/**
 * Which rows of the request history are those of lost submissions. Pure, but for the ids it claims.
 *
 * A row can be ours when its body is exactly ours, it was made while the call was under way, and its id belongs to nobody else here. Equal
 * submissions are interchangeable: when there are at most as many such rows as this process lost equal submissions, they are given out one to
 * one in order of sending. Rows that may as well be another's (more rows than that, a body with further members, a time before this process
 * kept its register) are candidates: named, never taken.
 */
export function matchRows(
	lost: Submission,
	fingerprint: Record<string, string>,
	{ rows, offsetMs, errorMs }: Reading,
	register: Submissions,
): Exclude<Found, { kind: 'outOfReach' }> {
	if (lost.requestId !== undefined) return { kind: 'found', requestId: lost.requestId };
	const open = overlappingGroup(lost, register.lostOf(lost.key))
		.filter(({ requestId }) => requestId === undefined)
		.sort((one, other) => one.sentAt - other.sentAt);
	const isIn = (row: HistoryRow, { sentAt, lostAt = sentAt }: Submission) => {
		const at = madeAt(row);
		// A row without a time can be anybody's.
		if (at === undefined) return undefined;
		return at >= sentAt + offsetMs - SKEW_MS && at <= lostAt + offsetMs + errorMs + SKEW_MS;
	};
	const refused = register.refusedOf(lost);
	/** The row of a call that was refused, one row a refusal. */
	const isRefusal = (row: HistoryRow) => {
		if (stateOf(row.model_status ?? row.status) !== 'failed') return false;
		const at = refused.findIndex((submission) => isIn(row, submission) === true);
		return at !== -1 && refused.splice(at, 1).length > 0;
	};
	const near = oncePerRequest(rows)
		.filter((row) => !register.isClaimed(row.request_id) && !isRefusal(row))
		.filter((row) => [lost, ...open].some((submission) => isIn(row, submission) !== false))
		.map((row) => ({ row, body: compare(row, fingerprint) }))
		.filter(({ body }) => body !== 'other');
	const exact = near.filter(({ row, body }) => body === 'same' && madeAt(row) !== undefined);
	const isCertain =
		near.length === exact.length &&
		exact.length <= open.length &&
		[lost, ...open].every(({ sentAt }) => register.since <= sentAt);
	const mine = near.filter(({ row }) => isIn(row, lost) !== false);
	if (!isCertain && mine.length > 0)
		return { kind: 'ambiguous', candidates: mine.map(({ row }) => row.request_id) };
	if (isCertain) assignRows(exact, open, isIn, register);
	// Set just now, or by the search for an equal one.
	const requestId = lost.requestId as string | undefined;
	return requestId === undefined ? { kind: 'none' } : { kind: 'found', requestId };
}

/**
 * As many rows as possible, one to one, in order of sending. Where there are fewer rows than submissions, those of stopped executions go without,
 * then those that are sent again without one. What nobody asks for claims no row.
 */
function assignRows(
	found: Array<{ row: HistoryRow }>,
	open: Submission[],
	isIn: (row: HistoryRow, submission: Submission) => boolean | undefined,
	register: Submissions,
): void {
	const rows = found
		.map(({ row }) => row)
		.sort((one, other) => (madeAt(one) ?? 0) - (madeAt(other) ?? 0));
	const assignments = new Map<HistoryRow, Submission>();
	/** Gives it a free row, or one whose taker can take another. */
	const assign = (submission: Submission, tried: Set<HistoryRow>): boolean => {
		const fitting = rows.filter((row) => !tried.has(row) && isIn(row, submission) === true);
		const free = fitting.find((row) => !assignments.has(row));
		const row = free ?? fitting.find((taken) => isReassigned(taken, tried));
		if (row !== undefined) assignments.set(row, submission);
		return row !== undefined;
	};
	const isReassigned = (row: HistoryRow, tried: Set<HistoryRow>): boolean =>
		!tried.has(row) && assign(assignments.get(row) as Submission, tried.add(row));
	const rank = (submission: Submission) =>
		isAbandoned(submission) ? 2 : submission.wasLostByGateway ? 1 : 0;
	for (const submission of [...open].sort((one, other) => rank(one) - rank(other)))
		assign(submission, new Set());
	for (const [row, submission] of assignments) {
		if (isAbandoned(submission)) continue;
		submission.requestId = row.request_id;
		register.claim(row.request_id);
	}
}

function isAbandoned({ asking = 0, wasStopped }: Submission): boolean {
	return wasStopped === true && asking === 0;
}

/** Those whose time runs into that of `first`, or of another one of them. */
function overlappingGroup(first: Submission, all: Submission[]): Submission[] {
	const found = all.filter(({ id }) => id === first.id);
	for (const one of found)
		found.push(...all.filter((other) => !found.includes(other) && overlap(one, other)));
	return found;
}

function overlap(one: Submission, other: Submission): boolean {
	const end = ({ sentAt, lostAt = sentAt }: Submission) => lostAt + 2 * SKEW_MS;
	return one.sentAt <= end(other) && other.sentAt <= end(one);
}

/** The history has a row for each file of a request. */
function oncePerRequest(rows: HistoryRow[]): HistoryRow[] {
	return [...new Map([...rows].reverse().map((row) => [row.request_id, row])).values()];
}

/** `more`: all of ours and further members; the service may have added defaults. */
function compare(row: HistoryRow, fingerprint: Record<string, string>): 'same' | 'more' | 'other' {
	const body =
		typeof row.request_body === 'string' ? parseJson(row.request_body) : row.request_body;
	if (!isObject(body)) return 'other';
	const theirs = fingerprintOf(body);
	const names = Object.keys(fingerprint);
	if (!names.every((name) => theirs[name] === fingerprint[name])) return 'other';
	return Object.keys(theirs).length === names.length ? 'same' : 'more';
}
