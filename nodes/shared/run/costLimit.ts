import type { IExecuteFunctions } from 'n8n-workflow';

import { wait, type Clock } from '../base/clock';
import type { SegmindFailure } from '../base/failure';
import { CAUSES } from '../errors/errorTable';
import { PARTS } from '../errors/parts';
import { failureOf, fill, stoppedFailure } from '../errors/failures';
import { formatUsd } from '../base/text';

/** The cost of one request that was sent, or is about to be. Plain JSON: n8n stores it with the execution. */
interface Spending {
	slug: string;
	/** ID of the request. */
	request?: string;
	/** Reported cost, USD. */
	cost?: number;
	/** Expected cost when it was sent, USD; undefined if unknown. */
	estimate?: number;
}

/** The cost count of one execution of a node: all items, loop runs, attempts, retries from the executions list and tool calls of an agent. */
interface Ledger {
	next: number;
	reservations: Record<string, Spending>;
}

/** How often a waiting request checks for Stop, ms. A change of the cost count also wakes it. */
const STOP_CHECK_MS = 1_000;

/** The requests of a cost count whose cost isn't reported yet, and the requests that wait for that. In the memory of the process that sends them. */
interface Activity {
	open: Set<string>;
	waiting: Array<() => void>;
}
const activities = new WeakMap<Ledger, Activity>();

/**
 * Keeps the spending of an execution below Max Cost, as far as costs are known. The cost count is stored apart from the journal and isn't cleared
 * with it.
 */
export class CostLimit {
	private readonly ledger: Ledger;

	private readonly activity: Activity;

	/** Created only if Max Cost is set, because n8n stores the cost count with the execution. */
	constructor(
		context: IExecuteFunctions,
		private readonly clock: Clock,
		private readonly signal?: AbortSignal,
	) {
		this.ledger = ledgerOf(context);
		let activity = activities.get(this.ledger);
		if (!activity) activities.set(this.ledger, (activity = { open: new Set(), waiting: [] }));
		this.activity = activity;
	}

	/** Reported costs, plus expected costs where none is reported, USD. */
	get spent(): number {
		return Object.values(this.ledger.reservations).reduce(
			(sum, { cost, estimate }) => sum + (cost ?? estimate ?? 0),
			0,
		);
	}

	/**
	 * Reserves the cost of a request that is about to be sent. Waits while requests under way may still turn out cheaper. `published`: the average price
	 * of such a request, USD. Without a known price, one request is sent first, alone. Returns the key of the reservation.
	 * @throws SegmindFailure if the limit would be exceeded, or when stopped
	 */
	async reserve(slug: string, limit: number, published: number | undefined): Promise<string> {
		for (;;) {
			const estimate = this.estimateOf(slug, published);
			const isUnknown = estimate === undefined;
			const isFirst = isUnknown && this.of(slug).length === 0;
			const isBusy = this.activity.open.size > 0;
			if (isUnknown ? isFirst && this.spent < limit : fits(this.spent + estimate, limit))
				return this.enter(slug, estimate);
			if (!isBusy)
				throw isUnknown && !isFirst
					? failureOf('notSent', CAUSES.unpriced, { slug })
					: this.tooMuch(limit, estimate);
			await wait(this.clock, STOP_CHECK_MS, { signal: this.signal, changed: this.change() });
			if (this.signal?.aborted) throw stoppedFailure();
		}
	}

	/** The key of the reservation that an earlier attempt made for a request; undefined if there is none. */
	find(requestId: string): string | undefined {
		const { reservations } = this.ledger;
		const key = Object.keys(reservations).find((one) => reservations[one].request === requestId);
		if (key !== undefined) this.activity.open.add(key);
		return key;
	}

	/** Adds the request ID, by which a later attempt finds the reservation. */
	label(key: string, requestId: string): void {
		const spending: Spending | undefined = this.ledger.reservations[key];
		if (spending) spending.request = requestId;
	}

	/** Settles a reservation with the reported cost, USD. */
	settle(key: string, cost: number | undefined): void {
		const spending: Spending | undefined = this.ledger.reservations[key];
		// A negative cost would allow more requests.
		if (spending && cost !== undefined && cost >= 0) spending.cost = cost;
		this.release(key);
	}

	/** Ends the wait for a reported cost: the expected cost counts. */
	release(key: string): void {
		this.activity.open.delete(key);
		for (const wake of this.activity.waiting.splice(0)) wake();
	}

	/** Removes a reservation: the request was rejected, failed or not sent, so it's free. */
	cancel(key: string): void {
		delete this.ledger.reservations[key];
		this.release(key);
	}

	/** The larger of the published average and the highest price seen in this execution. */
	private estimateOf(slug: string, published: number | undefined): number | undefined {
		const seen = this.of(slug).flatMap(({ cost }) => cost ?? []);
		const known = published === undefined ? seen : [...seen, published];
		return known.length === 0 ? undefined : Math.max(...known);
	}

	private of(slug: string): Spending[] {
		return Object.values(this.ledger.reservations).filter((spending) => spending.slug === slug);
	}

	private enter(slug: string, estimate: number | undefined): string {
		const key = String(this.ledger.next++);
		this.ledger.reservations[key] = { slug, estimate };
		this.activity.open.add(key);
		return key;
	}

	private async change(): Promise<void> {
		await new Promise<void>((resolve) => this.activity.waiting.push(resolve));
	}

	private tooMuch(limit: number, estimate: number | undefined): SegmindFailure {
		const why = estimate === undefined ? '' : fill(PARTS.needs, { cost: formatUsd(estimate) });
		return failureOf('notSent', CAUSES.overMaxCost, {
			spent: formatUsd(this.spent),
			limit: formatUsd(limit),
			why,
		});
	}
}

function fits(sum: number, limit: number): boolean {
	// Sums of floating-point numbers aren't exact.
	return sum <= limit + 1e-9;
}

/** Stored in the node context, which n8n keeps across attempts and retries. Under the MCP Server Trigger there is none, so each call counts alone. */
function ledgerOf(context: IExecuteFunctions): Ledger {
	const empty: Ledger = { next: 0, reservations: {} };
	try {
		const holder = context.getContext('node') as { segmindCost?: Ledger };
		return (holder.segmindCost ??= empty);
	} catch {
		return empty;
	}
}
