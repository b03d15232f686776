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
	/** Reported cost, in USD; undefined if none is reported yet. */
	cost?: number;
	/** Expected cost at the time of sending, in USD; undefined if unknown. */
	estimate?: number;
}

/** The cost count of one execution of a node: all items, loop runs, attempts, retries from the executions list and tool calls of an agent. */
interface CostCount {
	/** By the ID of the call. */
	reservations: Record<string, Reservation>;
}

/** How often a waiting request checks for Stop. A change of the cost count also wakes it. */
const STOP_CHECK_INTERVAL_MS = 1_000;

/** Which requests of a cost count have no reported cost yet, and which requests wait for one. Exists only in the memory of the process that sends them. */
interface Activity {
	openIds: Set<string>;
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
			activities.set(this.costCount, (activity = { openIds: new Set(), wakeCallbacks: [] }));
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
	 * average cost of a request to the model or workflow, in USD. Without a known price, one request is sent first, alone. `id`: ID of the call.
	 * @throws SegmindFailure if the limit would be exceeded, or when stopped
	 */
	async reserve(
		id: string,
		{ slug, limit, publishedCost }: { slug: string; limit: number; publishedCost?: number },
	): Promise<void> {
		for (;;) {
			const estimate = this.estimateOf(slug, publishedCost);
			const isUnknown = estimate === undefined;
			const isFirst = isUnknown && this.requestsOf(slug).length === 0;
			const isBusy = this.activity.openIds.size > 0;
			if (isUnknown ? isFirst && this.spent < limit : isWithin(this.spent + estimate, limit))
				return this.addReservation(id, slug, estimate);
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

	/** Opens the reservation that an earlier attempt made. */
	reopen(id: string): void {
		if (Object.hasOwn(this.costCount.reservations, id)) this.activity.openIds.add(id);
	}

	/** Settles a reservation with the reported cost, in USD. */
	settle(id: string, cost: number | undefined): void {
		const reservation: Reservation | undefined = this.costCount.reservations[id];
		// A negative cost would allow more requests.
		if (reservation && cost !== undefined && cost >= 0) reservation.cost = cost;
		this.keepExpectedCost(id);
	}

	/** Ends the wait for a reported cost: the expected cost counts. */
	keepExpectedCost(id: string): void {
		this.activity.openIds.delete(id);
		for (const wake of this.activity.wakeCallbacks.splice(0)) wake();
	}

	/** Removes a reservation: the request was rejected, failed or not sent, so it's free. */
	cancel(id: string): void {
		delete this.costCount.reservations[id];
		this.keepExpectedCost(id);
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

	private addReservation(id: string, slug: string, estimate: number | undefined): void {
		this.costCount.reservations[id] = { slug, estimate };
		this.activity.openIds.add(id);
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
	const empty: CostCount = { reservations: {} };
	try {
		const holder = context.getContext('node') as { segmindCost?: CostCount };
		return (holder.segmindCost ??= empty);
	} catch {
		return empty;
	}
}
