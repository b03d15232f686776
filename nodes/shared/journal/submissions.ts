import { randomUUID } from 'node:crypto';

import { systemClock, type Clock } from '../base/clock';

/** What a call asks for. */
export interface Likeness {
	/** Credential, address and body: calls with the same key are interchangeable. */
	readonly key: string;
	/** Address and body alone: two credentials may be of one account, and then each sees the rows of the other. */
	readonly alike: string;
}

/** A call of this process that is under way, or whose answer was lost. Times in ms since the epoch. */
export interface Submission extends Likeness {
	readonly id: string;
	readonly sentAt: number;
	/** When its answer was given up; undefined while it is under way. */
	lostAt?: number;
	/** A gateway answered instead of the service: it is sent again when the history shows no row for it. */
	wasLostByGateway?: boolean;
	/** How many search for it now. */
	asking?: number;
	/** Its last search was stopped, and may never be resumed. */
	wasStopped?: boolean;
	/** The request that its answer, or the history, showed for it. */
	requestId?: string;
}

/** An id or a lost submission is remembered this long, ms: the request history is searched within minutes of a loss. */
const KEPT_MS = 2 * 3_600_000;
/** Most ids kept; the oldest go first. */
const MOST = 50_000;

/**
 * What this process knows of requests, across items, nodes and executions: which ids belong to somebody, which submissions are under way, and
 * whose answers were lost. It decides whether a row of the request history can be anybody's but ours.
 */
export class Submissions {
	/** Ids that were accepted or given out: when first, and when last, which is the order of insertion. */
	private readonly claims = new Map<string, { first: number; last: number }>();

	/** By address and body. */
	private readonly underWay = new Map<string, Set<Submission>>();

	private readonly lost = new Map<string, Submission[]>();

	private readonly refused = new Map<string, Submission[]>();

	private readonly listeners = new Map<string, Array<() => void>>();

	private sinceMs: number;

	constructor(private readonly clock: Clock = systemClock) {
		this.sinceMs = clock.now();
	}

	/** From when on every id that this process accepted is known, ms since the epoch. */
	get since(): number {
		return this.sinceMs;
	}

	/** Notes that a request belongs to somebody. */
	claim(requestId: string): void {
		if (requestId === '') return;
		const now = this.clock.now();
		const { first } = this.claims.get(requestId) ?? { first: now };
		this.claims.delete(requestId);
		this.claims.set(requestId, { first, last: now });
		for (const [id, { last }] of this.claims) {
			if (now - last < KEPT_MS && this.claims.size <= MOST) break;
			this.claims.delete(id);
			this.sinceMs = Math.max(this.sinceMs, last);
		}
	}

	isClaimed(requestId: string): boolean {
		return this.claims.has(requestId);
	}

	/** True when this process first had to do with it no longer ago than `ms`. */
	wasClaimedWithin(requestId: string, ms: number): boolean {
		const claim = this.claims.get(requestId);
		return claim !== undefined && this.clock.now() - claim.first < ms;
	}

	/** A call is sent now. */
	begin(likeness: Likeness, sentAt: number): Submission {
		const submission: Submission = { ...likeness, id: randomUUID(), sentAt };
		const { alike } = likeness;
		this.underWay.set(alike, (this.underWay.get(alike) ?? new Set()).add(submission));
		return submission;
	}

	/** It was answered: accepted with an id, or in another way. */
	settle(submission: Submission, requestId = ''): void {
		if (requestId !== '') submission.requestId = requestId;
		this.leave(submission);
	}

	/** The service refused it in its own words. The history may show it as FAILED, under an id that was given to nobody. */
	refuse(submission: Submission, at: number): void {
		submission.lostAt = at;
		this.remember(this.refused, submission.alike, submission);
		this.leave(submission);
	}

	/** Refused submissions alike, of whichever credential. */
	refusedOf({ alike }: Likeness): Submission[] {
		return (this.refused.get(alike) ?? []).filter(this.isRecent);
	}

	/** Its answer was lost. */
	lose(submission: Submission, lostAt: number, wasLostByGateway: boolean): void {
		Object.assign(submission, { lostAt, wasLostByGateway });
		this.remember(this.lost, submission.key, submission);
		this.leave(submission);
	}

	/** The submission of an entry: the one this process made, perhaps still under way, or this one from now on. */
	lostSubmission(entry: Submission): Submission {
		const ours = [...(this.underWay.get(entry.alike) ?? []), ...this.lostOf(entry.key)];
		const known = ours.find(({ id }) => id === entry.id);
		if (known) return known;
		// Under another credential's key an equal call's search may have found it.
		const found = [...this.lost.values()].flat().find(({ id }) => id === entry.id);
		if (found?.requestId !== undefined) return found;
		this.remember(this.lost, entry.key, entry);
		return entry;
	}

	/** Somebody searches for a lost one, until the returned function says that it has ended, or was stopped. */
	ask(submission: Submission): (wasStopped: boolean) => void {
		submission.asking = (submission.asking ?? 0) + 1;
		return (wasStopped) => {
			submission.asking = (submission.asking ?? 1) - 1;
			submission.wasStopped = wasStopped;
		};
	}

	/** It is sent again: a row of the history that fits it no longer belongs to it. */
	dropLost(id: string): void {
		for (const [key, equal] of this.lost) {
			const left = equal.filter((other) => other.id !== id);
			if (left.length === equal.length) continue;
			if (left.length > 0) this.lost.set(key, left);
			else this.lost.delete(key);
		}
	}

	/** Lost submissions with the same key, in order of sending. */
	lostOf(key: string): Submission[] {
		return (this.lost.get(key) ?? [])
			.filter(this.isRecent)
			.sort((one, other) => one.sentAt - other.sentAt);
	}

	/** Resolves when nothing alike is under way: at once, or after the next one is settled; ask again then. */
	async untilSettled({ alike }: Likeness): Promise<void> {
		if (!this.underWay.has(alike)) return;
		await new Promise<void>((resolve) => {
			this.listeners.set(alike, [...(this.listeners.get(alike) ?? []), resolve]);
		});
	}

	/** True when a call alike, of whichever credential, is waiting for its answer. */
	isUnderWay({ alike }: Likeness): boolean {
		return this.underWay.has(alike);
	}

	private readonly isRecent = ({ sentAt }: Submission) => this.clock.now() - sentAt < KEPT_MS;

	/** Adds it to those of its key, and forgets what is too old: bodies that nobody sends again would stay for good. */
	private remember(all: Map<string, Submission[]>, key: string, submission: Submission): void {
		// One that another's search has found is asked for by its own yet.
		const isKept = (one: Submission) => one.requestId !== undefined || this.isRecent(one);
		const equal = [...(all.get(key) ?? []).filter(isKept), submission];
		all.delete(key);
		all.set(key, equal);
		for (const [other, old] of all) if (!old.some(isKept)) all.delete(other);
	}

	private leave(submission: Submission): void {
		const { alike } = submission;
		const equal = this.underWay.get(alike);
		equal?.delete(submission);
		if (equal?.size === 0) this.underWay.delete(alike);
		const waiting = this.listeners.get(alike) ?? [];
		this.listeners.delete(alike);
		for (const wake of waiting) wake();
	}
}

/** Those of this process. */
export const submissions = new Submissions();
