import type { IExecuteFunctions } from 'n8n-workflow';

import { wait, type Clock } from '../base/clock';
import type { SegmindFailure } from '../base/failure';
import { formatUsd } from '../base/text';
import { listPrices } from '../catalogue/prices';
import { failureFrom, stoppedFailure } from '../errors/failures';
import { say } from '../errors/say';
import { raceWithStop } from './run';

/** The cost of one request that was sent, or is about to be. Plain JSON: n8n stores it with the execution. */
interface Reservation {
	slug: string;
	/** Reported cost, in USD; undefined if none is reported yet. */
	cost?: number;
	/** Expected cost at the time of sending, in USD; undefined if unknown. */
	estimate?: number;
}

/**
 * The cost count of one execution of a node, by the ID of the call: all items, loop runs, attempts, retries from the executions list and tool calls of
 * an agent.
 */
interface CostCount {
	reservations: Record<string, Reservation>;
}

/** The request that is about to be sent. */
interface ExpectedRequest {
	slug: string;
	isWorkflow: boolean;
	/** The published average cost of a request to the model or workflow, in USD. */
	publishedCost?: number;
}

/** The IDs of this process's calls whose cost may still be reported. */
const openIds = new Set<string>();

/** Sums of floating-point numbers aren't exact. */
const TOLERANCE_USD = 1e-9;

/**
 * Keeps the spending of an execution below Max Cost, as far as costs are known. The cost count is stored apart from the journal and isn't cleared
 * with it.
 */
export class CostLimit {
	private readonly costCount: CostCount;

	/** Created only if Max Cost is set, because n8n stores the cost count with the execution. */
	constructor(
		private readonly context: IExecuteFunctions,
		/** Max Cost, in USD. */
		private readonly limit: number,
		private readonly clock: Clock,
		private readonly signal?: AbortSignal,
	) {
		this.costCount = costCountOf(context, 'segmindCost');
	}

	/**
	 * Reserves the expected cost of a request that is about to be sent. Without a known price, the first request is sent alone, and the others wait until
	 * its cost is known. `id`: ID of the call.
	 * @throws SegmindFailure if the cost doesn't fit beside what is spent and reserved, if the first request reported none, or when stopped
	 */
	async reserve(id: string, request: ExpectedRequest): Promise<void> {
		const { slug } = request;
		const { limit, clock, signal } = this;
		const publishedCost = await currentPrice(this.context, request, signal);
		const expected = { ...request, publishedCost };
		const mustWait = () =>
			this.estimateOf(expected) === undefined &&
			this.requestsOf(slug).some(([otherId]) => openIds.has(otherId));
		while (mustWait()) {
			await wait(clock, Infinity, { signal, isOver: () => !mustWait() });
			if (signal?.aborted) throw stoppedFailure();
		}
		const estimate = this.estimateOf(expected);
		if (estimate === undefined && this.requestsOf(slug).length > 0) throw unpriced(slug);
		assertFits(this.costCount, limit, estimate);
		this.costCount.reservations[id] = { slug, estimate };
		openIds.add(id);
	}

	/**
	 * Makes other requests wait for the cost of a request that an earlier attempt sent. A retry from n8n's first snapshot has lost its reservation
	 * (docs/n8n.md N137).
	 */
	reopen(id: string, expected: ExpectedRequest): void {
		const estimate = this.estimateOf(expected);
		this.costCount.reservations[id] ??= { slug: expected.slug, estimate };
		openIds.add(id);
	}

	/** The result has been read. `cost`: as Segmind reported it, in USD; undefined if it reported none. */
	costReported(id: string, cost: number | undefined): void {
		const reservation: Reservation | undefined = this.costCount.reservations[id];
		// A negative cost would allow more requests.
		if (reservation && cost !== undefined && cost >= 0) reservation.cost = cost;
	}

	/** Ends the wait for a reported cost: the expected cost counts. */
	keepExpectedCost(id: string): void {
		openIds.delete(id);
	}

	/** Removes a reservation: the request was rejected, failed or not sent, so it's free. */
	cancel(id: string): void {
		delete this.costCount.reservations[id];
		openIds.delete(id);
	}

	/** Returns the larger of the published average and the highest price seen in this execution; undefined if neither is known. */
	private estimateOf({ slug, publishedCost }: ExpectedRequest): number | undefined {
		const reportedCosts = this.requestsOf(slug).flatMap(([, { cost }]) => cost ?? []);
		const prices = publishedCost === undefined ? reportedCosts : [...reportedCosts, publishedCost];
		return prices.length === 0 ? undefined : Math.max(...prices);
	}

	private requestsOf(slug: string): Array<[id: string, reservation: Reservation]> {
		return Object.entries(this.costCount.reservations).filter(([, other]) => other.slug === slug);
	}
}

/**
 * Counts a request of a dry run, apart from what is sent: a dry run uses up nothing of Max Cost. `id`: the same in each attempt on an item. `estimate`: the
 * expected cost in USD; undefined if it's unknown, which counts nothing.
 * @throws SegmindFailure if a run wouldn't send it, because it doesn't fit beside the others
 */
export function reserveInDryRun(
	context: IExecuteFunctions,
	limit: number,
	id: string,
	reservation: Reservation,
): void {
	const costCount = costCountOf(context, 'segmindDryRunCost');
	delete costCount.reservations[id];
	assertFits(costCount, limit, reservation.estimate);
	costCount.reservations[id] = reservation;
}

/**
 * Returns the published average cost of a request, in USD: the larger of the built-in price and the one in the service's list of prices; undefined if
 * neither is known.
 * @throws SegmindFailure when stopped
 */
export async function currentPrice(
	context: IExecuteFunctions,
	{ slug, isWorkflow, publishedCost }: ExpectedRequest,
	signal?: AbortSignal,
): Promise<number | undefined> {
	if (isWorkflow) return publishedCost;
	const prices = await raceWithStop({ signal }, listPrices(context));
	const highestCost = Math.max(publishedCost ?? 0, prices?.get(slug)?.cost ?? 0);
	return highestCost > 0 ? highestCost : publishedCost;
}

/** @throws SegmindFailure if a request with this expected cost exceeds the limit. Amounts in USD */
function assertFits(costCount: CostCount, limit: number, estimate: number | undefined): void {
	const spent = spentIn(costCount);
	// A first request without a price needs at least something of the limit.
	if (spent + (estimate ?? 2 * TOLERANCE_USD) <= limit + TOLERANCE_USD) return;
	throw overMaxCost(limit, spent, estimate);
}

/** Returns the sum of the reported costs, and of the expected costs where none is reported, in USD. */
function spentIn({ reservations }: CostCount): number {
	return Object.values(reservations).reduce(
		(sum, { cost, estimate }) => sum + (cost ?? estimate ?? 0),
		0,
	);
}

/** All amounts are in USD; `estimate` is the expected cost of this request, if known. */
function overMaxCost(limit: number, spent: number, estimate: number | undefined): SegmindFailure {
	const needs = estimate !== undefined && say`it costs about ${formatUsd(estimate)} USD, but `;
	const isTooDear = estimate !== undefined && estimate > limit;
	return failureFrom('notSent', {
		what: say`This item was not sent: ${needs || ''}Max Cost leaves ${formatUsd(Math.max(limit - spent, 0))} USD of ${formatUsd(limit)} USD`,
		charge: 'none',
		next: say`Increase the option Max Cost${isTooDear ? '' : ', or run the remaining items in another execution'}.`,
	});
}

function unpriced(slug: string): SegmindFailure {
	return failureFrom('notSent', {
		what: say`This item was not sent: Max Cost can't be applied, because no price of '${slug}' is published and Segmind didn't report the cost of the first request`,
		charge: 'none',
		next: say`To send requests without a limit, remove the option Max Cost.`,
	});
}

/** Returns a cost count from the node context, which n8n keeps across attempts. Under the MCP Server Trigger there is none, so each call counts alone. */
function costCountOf(
	context: IExecuteFunctions,
	name: 'segmindCost' | 'segmindDryRunCost',
): CostCount {
	const empty: CostCount = { reservations: {} };
	try {
		const holder = context.getContext('node') as Partial<Record<typeof name, CostCount>>;
		const costCount = holder[name] ?? empty;
		holder[name] = costCount;
		return costCount;
	} catch {
		return empty;
	}
}
