import type { IExecuteFunctions } from 'n8n-workflow';

import { wait, type Clock } from '../base/clock';
import type { SegmindFailure } from '../base/failure';
import { CAUSES } from '../errors/errorTable';
import { PARTS } from '../errors/parts';
import { failureOf, fill, stoppedFailure } from '../errors/failures';
import { formatUsd } from '../base/text';

/** The cost of one request that was sent, or is about to be. Plain JSON: n8n stores it with the execution. */
interface Reservation {
	slug: string;
	/** ID of the request. */
	request?: string;
	/** Reported cost, in USD; undefined if none is reported yet. */
	cost?: number;
	/** Expected cost at the time of sending, in USD; undefined if unknown. */
	estimate?: number;
}

/** The cost count of one execution of a node: all items, loop runs, attempts, retries from the executions list and tool calls of an agent. */
interface CostCount {
	next: number;
	reservations: Record<string, Reservation>;
}

/** How often a waiting request checks for Stop. A change of the cost count also wakes it. */
const STOP_CHECK_INTERVAL_MS = 1_000;

/** Which requests of a cost count have no reported cost yet, and which requests wait for one. Exists only in the memory of the process that sends them. */
interface Activity {
	openKeys: Set<string>;
	wakeCallbacks: Array<() => void>;
}
const activities = new WeakMap<CostCount, Activity>();

/**
 * Keeps the spending of an execution below Max Cost, as far as costs are known. The cost count is stored apart from the journal and isn't cleared
 * with it.
 */
export class CostLimit {
	private readonly costCount: CostCount;

	private readonly activity: Activity;

	/** Created only if Max Cost is set, because n8n stores the cost count with the execution. */
	constructor(
		context: IExecuteFunctions,
		private readonly clock: Clock,
		private readonly signal?: AbortSignal,
	) {
		this.costCount = costCountOf(context);
		let activity = activities.get(this.costCount);
		if (!activity)
			activities.set(this.costCount, (activity = { openKeys: new Set(), wakeCallbacks: [] }));
		this.activity = activity;
	}

	/** Sum of the reported costs, and of the expected costs where none is reported, in USD. */
	get spent(): number {
		return Object.values(this.costCount.reservations).reduce(
			(sum, { cost, estimate }) => sum + (cost ?? estimate ?? 0),
			0,
		);
	}

	/**
	 * Reserves the cost of a request that is about to be sent. Waits while requests under way may still turn out cheaper. `publishedCost`: the published
	 * average cost of a request to the model or workflow, in USD. Without a known price, one request is sent first, alone. Returns the key of the reservation.
	 * @throws SegmindFailure if the limit would be exceeded, or when stopped
	 */
	async reserve(slug: string, limit: number, publishedCost: number | undefined): Promise<string> {
		for (;;) {
			const estimate = this.estimateOf(slug, publishedCost);
			const isUnknown = estimate === undefined;
			const isFirst = isUnknown && this.requestsOf(slug).length === 0;
			const isBusy = this.activity.openKeys.size > 0;
			if (isUnknown ? isFirst && this.spent < limit : isWithin(this.spent + estimate, limit))
				return this.addReservation(slug, estimate);
			if (!isBusy)
				throw isUnknown && !isFirst
					? failureOf('notSent', CAUSES.unpriced, { slug })
					: this.overLimitFailure(limit, estimate);
			await wait(this.clock, STOP_CHECK_INTERVAL_MS, {
				signal: this.signal,
				changed: this.nextChange(),
			});
			if (this.signal?.aborted) throw stoppedFailure();
		}
	}

	/** Returns the key of the reservation that an earlier attempt made for a request; undefined if there is none. */
	findReservation(requestId: string): string | undefined {
		const { reservations } = this.costCount;
		const key = Object.keys(reservations).find((one) => reservations[one].request === requestId);
		if (key !== undefined) this.activity.openKeys.add(key);
		return key;
	}

	/** Adds the request ID, by which a later attempt finds the reservation. */
	addRequestId(key: string, requestId: string): void {
		const reservation: Reservation | undefined = this.costCount.reservations[key];
		if (reservation) reservation.request = requestId;
	}

	/** Settles a reservation with the reported cost, in USD. */
	settle(key: string, cost: number | undefined): void {
		const reservation: Reservation | undefined = this.costCount.reservations[key];
		// A negative cost would allow more requests.
		if (reservation && cost !== undefined && cost >= 0) reservation.cost = cost;
		this.keepExpectedCost(key);
	}

	/** Ends the wait for a reported cost: the expected cost counts. */
	keepExpectedCost(key: string): void {
		this.activity.openKeys.delete(key);
		for (const wake of this.activity.wakeCallbacks.splice(0)) wake();
	}

	/** Removes a reservation: the request was rejected, failed or not sent, so it's free. */
	cancel(key: string): void {
		delete this.costCount.reservations[key];
		this.keepExpectedCost(key);
	}

	/** Returns the larger of the published average and the highest price seen in this execution. */
	private estimateOf(slug: string, publishedCost: number | undefined): number | undefined {
		const reportedCosts = this.requestsOf(slug).flatMap(({ cost }) => cost ?? []);
		const prices = publishedCost === undefined ? reportedCosts : [...reportedCosts, publishedCost];
		return prices.length === 0 ? undefined : Math.max(...prices);
	}

	private requestsOf(slug: string): Reservation[] {
		return Object.values(this.costCount.reservations).filter(
			(reservation) => reservation.slug === slug,
		);
	}

	private addReservation(slug: string, estimate: number | undefined): string {
		const key = String(this.costCount.next++);
		this.costCount.reservations[key] = { slug, estimate };
		this.activity.openKeys.add(key);
		return key;
	}

	private async nextChange(): Promise<void> {
		await new Promise<void>((resolve) => this.activity.wakeCallbacks.push(resolve));
	}

	private overLimitFailure(limit: number, estimate: number | undefined): SegmindFailure {
		const why = estimate === undefined ? '' : fill(PARTS.needs, { cost: formatUsd(estimate) });
		return failureOf('notSent', CAUSES.overMaxCost, {
			spent: formatUsd(this.spent),
			limit: formatUsd(limit),
			why,
		});
	}
}

function isWithin(sum: number, limit: number): boolean {
	// Sums of floating-point numbers aren't exact.
	return sum <= limit + 1e-9;
}

/** Returns the cost count from the node context, which n8n keeps across attempts. Under the MCP Server Trigger there is none, so each call counts alone. */
function costCountOf(context: IExecuteFunctions): CostCount {
	const empty: CostCount = { next: 0, reservations: {} };
	try {
		const holder = context.getContext('node') as { segmindCost?: CostCount };
		return (holder.segmindCost ??= empty);
	} catch {
		return empty;
	}
}
