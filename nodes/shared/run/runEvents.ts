import { groupByKey } from '../base/group';
import type { Said } from '../errors/say';

/** What a run says about itself, or about the item with this index. Shown on the node's output, or in the log of a trigger. */
interface Hint {
	item?: number;
	text: Said;
}

/** An accepted request. Read when it is needed, without a copy. */
interface ReportedRequest {
	/** Undefined if the response named no ID. */
	readonly id?: string;
	/** The name of the ID of something else that was created, such as `endpoint_id`: Get Result doesn't know it. */
	readonly idName?: string;
	/** The last known status. */
	readonly status?: string;
	/** Whether Segmind has reported COMPLETED. */
	readonly hasCompleted?: boolean;
	/** In USD; undefined if Segmind reported none. */
	readonly cost?: number;
	/** Whether the run continues with a request of an earlier attempt, or with one that the request history showed after its response was lost. */
	readonly isResumed?: boolean;
}

/**
 * What happened in one run of a node, for its hints and errors. Only `items` reads it. Items are given by their index, costs in USD.
 */
export class RunEvents {
	private readonly requests = new Map<number, ReportedRequest>();

	/** The published average cost of each request that this run was ready to send. */
	private readonly expectedCosts = new Map<number, number>();

	/** The expected cost of each request that a dry run would send; undefined if it's unknown. */
	private readonly dryRunCosts = new Map<number, number | undefined>();

	private readonly hints: Hint[] = [];

	/** The item's request is ready to be sent. `expectedCost`: its published average cost; undefined if none is known. */
	readyToSend(item: number, expectedCost: number | undefined): void {
		this.expectedCosts.set(item, expectedCost ?? 0);
	}

	/** A dry run would send the item's request. `expectedCost`: undefined if it's unknown. */
	wouldSend(item: number, expectedCost: number | undefined): void {
		this.dryRunCosts.set(item, expectedCost);
	}

	/** Returns the expected cost of each of these requests; undefined unless the run is a dry run of all of them. */
	costsOfDryRun(items: readonly number[]): Array<number | undefined> | undefined {
		const { dryRunCosts } = this;
		const isDryRun = items.length > 0 && items.every((item) => dryRunCosts.has(item));
		return isDryRun ? items.map((item) => dryRunCosts.get(item)) : undefined;
	}

	/** From now on, this is the item's accepted request, and must stay up to date. Undefined: another one may replace it. */
	follow(item: number, request: ReportedRequest | undefined): void {
		if (request) this.requests.set(item, request);
		else this.requests.delete(item);
	}

	addHint(hint: Hint): void {
		this.hints.push(hint);
	}

	/** Returns an item's accepted request; undefined if it has none. */
	requestOf(item: number): ReportedRequest | undefined {
		return this.requests.get(item);
	}

	/** Returns the expected cost of an item's request that this run was ready to send; 0 if it's unknown. */
	expectedCost(item: number): number {
		return this.expectedCosts.get(item) ?? 0;
	}

	/** Returns the reported cost of an item's request, if this run sent it: an earlier run reported the cost of a resumed one, or at least its ID. */
	reportedCost(item: number): number | undefined {
		return this.expectedCosts.has(item) ? this.requests.get(item)?.cost : undefined;
	}

	/** Returns each hint once, with the items that it's about; [] if it's about the run. */
	mergedHints(): Array<{ text: string; items: number[] }> {
		const itemsOf = groupByKey(this.hints.map(({ text, item }) => [text.said, item] as const));
		return [...itemsOf].map(([text, items]) => ({
			text,
			items: [...new Set(items)].filter((item) => item !== undefined),
		}));
	}
}
