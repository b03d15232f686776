import type { IExecuteFunctions } from 'n8n-workflow';

import { wait, type Clock } from '../base/clock';
import type { SegmindFailure } from '../base/failure';
import { CAUSES } from '../errors/errorTable';
import { PARTS } from '../errors/parts';
import { failureOf, fill, stopped } from '../errors/failures';
import { usd } from '../base/text';

/** One request that was sent, or is about to be. Plain JSON: n8n stores it with the execution. */
interface Spending {
	slug: string;
	/** Id of the request that it became. */
	request?: string;
	/** What the service said it cost, USD. */
	cost?: number;
	/** What it was expected to cost when it was sent, USD; undefined when nothing was known. */
	estimate?: number;
}

/** What one execution of a node has spent: items, loop runs, tries, Retry of the list and an agent's tool calls together. */
interface Ledger {
	next: number;
	reservations: Record<string, Spending>;
}

/** How often a waiting request checks whether the execution was stopped, ms; it is woken when something changes. */
const STOP_CHECK_MS = 1_000;

/** Requests of a ledger whose cost is still to come, and who waits for it. In the memory of the process that sends them. */
interface Activity {
	open: Set<string>;
	waiting: Array<() => void>;
}
const activities = new WeakMap<Ledger, Activity>();

/**
 * Keeps what an execution spends below a limit, as far as costs are known: an estimate, not a guarantee. It is kept apart from the journal, and is
 * never cleared with it.
 */
export class CostLimit {
	private readonly ledger: Ledger;

	private readonly activity: Activity;

	/** Made only where a limit is set, since n8n stores the ledger with the execution. */
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

	/** Costs reported, and expected of what was sent and has not reported, USD. */
	get spent(): number {
		return Object.values(this.ledger.reservations).reduce(
			(sum, { cost, estimate }) => sum + (cost ?? estimate ?? 0),
			0,
		);
	}

	/**
	 * Makes a reservation for a request that is about to be sent; waits while what is under way may leave room. `published`: the average price of such
	 * a request, USD. Without any price to go by, one request goes first, alone. Returns the key of the reservation.
	 * @throws SegmindFailure when it does not fit, or when stopped
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
			if (this.signal?.aborted) throw stopped();
		}
	}

	/** The key of the reservation that an earlier attempt made for a request; undefined if none is known. */
	find(requestId: string): string | undefined {
		const { reservations } = this.ledger;
		const key = Object.keys(reservations).find((one) => reservations[one].request === requestId);
		if (key !== undefined) this.activity.open.add(key);
		return key;
	}

	/** It became this request: a later attempt that waits for it finds its reservation. */
	label(key: string, requestId: string): void {
		const spending: Spending | undefined = this.ledger.reservations[key];
		if (spending) spending.request = requestId;
	}

	/** The service reported what it cost, USD. */
	settle(key: string, cost: number | undefined): void {
		const spending: Spending | undefined = this.ledger.reservations[key];
		// One below nothing would make room for more.
		if (spending && cost !== undefined && cost >= 0) spending.cost = cost;
		this.release(key);
	}

	/** Nobody waits for its cost any longer: it counts with what was expected. */
	release(key: string): void {
		this.activity.open.delete(key);
		for (const wake of this.activity.waiting.splice(0)) wake();
	}

	/** It costs nothing: rejected, failed or never sent. */
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
		const why = estimate === undefined ? '' : fill(PARTS.needs, { cost: usd(estimate) });
		return failureOf('notSent', CAUSES.overMaxCost, {
			spent: usd(this.spent),
			limit: usd(limit),
			why,
		});
	}
}

function fits(sum: number, limit: number): boolean {
	// Sums of floating-point numbers are not exact.
	return sum <= limit + 1e-9;
}

/** In the node context, which n8n keeps across tries and retries; under the MCP Server Trigger there is none, and each call counts alone. */
function ledgerOf(context: IExecuteFunctions): Ledger {
	const empty: Ledger = { next: 0, reservations: {} };
	try {
		const holder = context.getContext('node') as { segmindCost?: Ledger };
		return (holder.segmindCost ??= empty);
	} catch {
		return empty;
	}
}
