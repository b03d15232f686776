import { groupByKey } from '../base/group';
import type { Said } from '../errors/say';

/** What a run says about itself, or about the item with this index. Shown on the node's output, or in the log of a trigger. */
interface Hint {
	item?: number;
	text: Said;
}

/** What this run knows of an item's request. */
interface ReportedRequest {
	/** Undefined if the response named no ID. */
	id?: string;
	/** Whether an earlier attempt sent it, or the request history showed it after its response was lost. */
	from: 'thisRun' | 'earlierAttempt' | 'history';
}

/**
 * What happened in one run of a node, for its hints and errors. One method for each thing that happens; only what reports the run reads it (`items`). Items
 * are given by their index, costs in USD.
 */
export class RunReport {
	private readonly requests = new Map<number, ReportedRequest>();

	/** The last known status of each item's request. */
	private readonly statuses = new Map<number, string>();

	/** The published average cost of each request that this run was ready to send. */
	private readonly expectedCosts = new Map<number, number>();

	/** The costs that Segmind reported for requests that this run sent. */
	private readonly reportedCosts = new Map<number, number>();

	private readonly hints: Hint[] = [];

	/** The item's request is ready to be sent. `expectedCost`: its published average cost; undefined if none is known. */
	readyToSend(item: number, expectedCost: number | undefined): void {
		this.expectedCosts.set(item, expectedCost ?? 0);
	}

	/** Segmind has accepted a request of the item, now or before the user named it. */
	accepted(item: number, id: string | undefined): void {
		this.requests.set(item, { id, from: 'thisRun' });
	}

	/** The item resumes the request of an earlier attempt. */
	resumed(item: number, id: string | undefined): void {
		this.requests.set(item, { id, from: 'earlierAttempt' });
	}

	/** The request history showed the item's request, whose response was lost. */
	found(item: number, id: string | undefined): void {
		this.requests.set(item, { id, from: 'history' });
	}

	/** The item's request has, or had, this status. */
	statusSeen(item: number, status: string): void {
		this.statuses.set(item, status);
	}

	/** The item's request ended without a result, and another one may replace it. */
	replaceable(item: number): void {
		this.requests.delete(item);
		this.statuses.delete(item);
	}

	/** Segmind reported the cost of the item's request, which this run sent. */
	charged(item: number, cost: number): void {
		this.reportedCosts.set(item, cost);
	}

	addHint(hint: Hint): void {
		this.hints.push(hint);
	}

	/** Returns the ID and the last known status of an item's accepted request; undefined if it has none. */
	requestOf(item: number): { id?: string; status?: string } | undefined {
		const request = this.requests.get(item);
		return request && { id: request.id, status: this.statuses.get(item) };
	}

	/** Returns the known IDs of the requests that weren't sent by this run, but resumed or found in the request history. */
	idsFrom(source: 'earlierAttempt' | 'history'): string[] {
		return [...this.requests.values()].flatMap(({ id, from }) =>
			from === source && id !== undefined ? [id] : [],
		);
	}

	/** Returns the sum of the expected costs of the items that count. */
	expectedCost(counts: (item: number) => boolean): number {
		return sumOf(this.expectedCosts, counts);
	}

	/** Returns the sum of the costs that Segmind reported for requests that this run sent, of the items that count. */
	reportedCost(counts: (item: number) => boolean = () => true): number {
		return sumOf(this.reportedCosts, counts);
	}

	/** Whether Segmind has reported the cost of the item's request in this run. */
	hasReportedCost(item: number): boolean {
		return this.reportedCosts.has(item);
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

function sumOf(costs: ReadonlyMap<number, number>, counts: (item: number) => boolean): number {
	return [...costs].reduce((sum, [item, cost]) => sum + (counts(item) ? cost : 0), 0);
}
