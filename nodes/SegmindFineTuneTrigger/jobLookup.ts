import type { IDataObject } from 'n8n-workflow';

import { systemClock, wait, type Clock } from '../shared/base/clock';
import { digest } from '../shared/base/hash';
import { idsOf, type JobAnswer } from './jobCalls';

/** The account's limit counts by the minute (docs/service.md S233), ms. */
const WINDOW_MS = 60_000;
/** The share of the account's limit that confirming may use. */
const SHARE = 0.1;
/** Confirming calls a minute while the account's limit is not known: the share of the smallest paid plan's. */
const CALLS_WHEN_UNKNOWN = 6;
/** How long a job that Segmind does not know is not asked for again, ms. */
const UNKNOWN_FOR_MS = 10 * 60_000;
const MOST_UNKNOWN = 5_000;
/** How long the list is not asked for after it could not be read, ms. */
const NO_LIST_FOR_MS = 5 * 60_000;
/** Pause before checking again whether a call is allowed, ms. */
const RECHECK_MS = 200;

/** The calls that a delivery can make, with its own client. */
export interface Calls {
	/** Calls a minute that the account may make, as far as is known. */
	limit(): number | undefined;
	job(jobId: string): Promise<JobAnswer>;
	list(): Promise<{ jobs: IDataObject[]; isWhole: boolean } | { why: string }>;
}

interface Question {
	jobId: string;
	/** What was read before this does not count as an answer, ms since the epoch. */
	since: number;
	/** When to give up, ms since the epoch. */
	until(): number;
}

/**
 * Looks up jobs for the deliveries of one account, with at most a tenth of the account's calls, however many deliveries are forged. Each job
 * is asked for by itself until half of these calls are used. Then one call reads the list of all jobs, which decides on every delivery of the
 * next minute: a job that is not in it is not asked for, and the other half of the calls is for those that are.
 */
export class JobLookup {
	/** When calls were made, ms since the epoch. */
	private calls: number[] = [];

	/** Answers that are awaited, by job. */
	private readonly asking = new Map<string, Promise<JobAnswer>>();

	/** Jobs that Segmind does not know, by digest, and when it said so. */
	private readonly unknown = new Map<string, number>();

	private list?: { at: number; jobs: Map<string, IDataObject>; isWhole: boolean };

	private listing?: Promise<void>;

	/** When the list could not be read, ms since the epoch. */
	private noListSince = -Infinity;

	/** Calls a minute for confirming, by the limit that the last call knew. */
	private most = CALLS_WHEN_UNKNOWN;

	constructor(private readonly clock: Clock) {}

	/** True when it is known without a call that there is no such job. */
	isUnknown(jobId: string): boolean {
		const now = this.clock.now();
		if (isWithin(this.unknown.get(digest(jobId)), UNKNOWN_FOR_MS, now)) return true;
		return this.isNotListed(jobId, now) && !this.mayAskFor(jobId, now);
	}

	/** What Segmind says about a job. Deliveries that ask at the same time share one call. Never throws. */
	async answerFor({ jobId, since, until }: Question, calls: Calls): Promise<JobAnswer> {
		for (;;) {
			const now = this.clock.now();
			if (now >= until())
				return { kind: 'transient', why: 'calls to Segmind had to wait too long' };
			this.most = mostCalls(calls.limit());
			const underWay = this.asking.get(jobId);
			if (underWay) return await underWay;
			if (this.isUnknown(jobId)) return UNKNOWN;
			const listed = this.list && this.list.at >= since ? this.list.jobs.get(jobId) : undefined;
			if (listed) return { kind: 'job', status: String(listed.status ?? ''), job: listed };
			if (this.mayAskFor(jobId, now)) return await this.askFor(jobId, calls);
			if (this.mayList(now)) await this.readList(calls);
			else await wait(this.clock, RECHECK_MS);
		}
	}

	private async askFor(jobId: string, calls: Calls): Promise<JobAnswer> {
		this.calls.push(this.clock.now());
		const asked = calls.job(jobId).finally(() => this.asking.delete(jobId));
		this.asking.set(jobId, asked);
		const answer = await asked;
		if (answer.kind === 'final' && answer.isUnknown) this.rememberUnknown(jobId);
		return answer;
	}

	private async readList(calls: Calls): Promise<void> {
		this.listing ??= this.fetchList(calls).finally(() => delete this.listing);
		await this.listing;
	}

	private async fetchList(calls: Calls): Promise<void> {
		const at = this.clock.now();
		this.calls.push(at);
		const read = await calls.list();
		if ('why' in read) this.noListSince = this.clock.now();
		else
			this.list = {
				at,
				isWhole: read.isWhole,
				jobs: new Map(read.jobs.flatMap((job) => idsOf(job).map((id) => [id, job]))),
			};
	}

	/** Half of the calls may go to jobs that may be invented; all of them where the list says that a job is real, or cannot say. */
	private mayAskFor(jobId: string, now: number): boolean {
		const isListed = this.list?.jobs.has(jobId) === true;
		const isPartial = this.hasList(now) && this.list?.isWhole === false;
		const mayUseAll = isListed || isPartial || this.isListUnavailable(now);
		return this.recentCalls(now) < (mayUseAll ? this.most : Math.floor(this.most / 2));
	}

	private mayList(now: number): boolean {
		if (this.listing) return true;
		return !this.isListUnavailable(now) && !this.hasList(now) && this.recentCalls(now) < this.most;
	}

	private isNotListed(jobId: string, now: number): boolean {
		return this.hasList(now) && this.list?.isWhole === true && !this.list.jobs.has(jobId);
	}

	private hasList(now: number): boolean {
		return this.list !== undefined && isWithin(this.list.at, WINDOW_MS, now);
	}

	private isListUnavailable(now: number): boolean {
		return isWithin(this.noListSince, NO_LIST_FOR_MS, now);
	}

	/** Calls of the last minute. */
	private recentCalls(now: number): number {
		this.calls = this.calls.filter((at) => isWithin(at, WINDOW_MS, now));
		return this.calls.length;
	}

	private rememberUnknown(jobId: string): void {
		this.unknown.set(digest(jobId), this.clock.now());
		for (const oldest of this.unknown.keys()) {
			if (this.unknown.size <= MOST_UNKNOWN) break;
			this.unknown.delete(oldest);
		}
	}
}

const lookups = new Map<string, JobLookup>();

/** The lookup that all deliveries of an account in this process share. */
export function lookupFor(account: string): JobLookup {
	const lookup = lookups.get(account) ?? new JobLookup(systemClock);
	lookups.set(account, lookup);
	return lookup;
}

const UNKNOWN: JobAnswer = { kind: 'final', why: 'Segmind knows no such job', isUnknown: true };

/** Whether `at` was less than `ms` ago; never, when the clock has been set back since. */
function isWithin(at: number | undefined, ms: number, now: number): boolean {
	return at !== undefined && at <= now && now - at < ms;
}

function mostCalls(limit: number | undefined): number {
	return limit === undefined ? CALLS_WHEN_UNKNOWN : Math.max(1, Math.floor(limit * SHARE));
}
