import type { IDataObject } from 'n8n-workflow';

import { digest } from '../shared/base/hash';

/**
 * One execution for each job and event. Deliveries that come together all find the same static data (docs/n8n.md N233), so what this
 * process knows decides first; the static data remembers across restarts and other processes.
 *
 * Static data is written as a whole when a delivery has started its execution, with everything this process started: a delivery that was
 * waiting to be confirmed holds an older copy, and would otherwise wipe out what came in between.
 * Lost at most: a pair that reaches two webhook processes at the same moment starts twice.
 */

/** So many are remembered for a node. */
const REMEMBERED = 500;

/** Digests of what was started, by node, oldest first. */
const started = new Map<string, Set<string>>();
/** Deliveries that are being decided on; resolves to whether the execution was started. */
const undecided = new Map<string, Promise<boolean>>();

export interface Delivered {
	/** The node, within the whole n8n. */
	scope: string;
	event: string;
	jobId: string;
	/** The node's static data. */
	staticData: IDataObject;
}

/**
 * True when the delivery is to start its execution: nobody did for this job and event, and `decide` says yes. One that was decided against
 * is forgotten, so that a forged delivery does not keep the real one out; whoever waited meanwhile is then decided on by itself.
 */
export async function onlyOnce(
	{ scope, event, jobId, staticData }: Delivered,
	decide: () => Promise<boolean>,
): Promise<boolean> {
	const mark = digest(`${event}|${jobId}`);
	const key = `${scope}|${mark}`;
	for (let earlier = undecided.get(key); earlier; earlier = undecided.get(key)) {
		if (await earlier) return false;
	}
	const own = startedBy(scope);
	if (own.has(mark) || storedIn(staticData).includes(mark)) return false;
	// From here to the entry nothing is awaited: of those that come together only one gets this far.
	const decision = decide().then((yes) => {
		if (yes) remember(own, mark, staticData);
		undecided.delete(key);
		return yes;
	});
	undecided.set(
		key,
		decision.catch(() => {
			undecided.delete(key);
			return false;
		}),
	);
	return await decision;
}

function startedBy(scope: string): Set<string> {
	const own = started.get(scope) ?? new Set<string>();
	started.set(scope, own);
	return own;
}

function remember(own: Set<string>, mark: string, staticData: IDataObject): void {
	own.add(mark);
	for (const oldest of own) {
		if (own.size <= REMEMBERED) break;
		own.delete(oldest);
	}
	// A new list: n8n saves what was assigned, not what was changed inside.
	staticData.started = [...new Set([...storedIn(staticData), ...own])].slice(-REMEMBERED);
}

function storedIn(staticData: IDataObject): string[] {
	const { started: stored } = staticData;
	return Array.isArray(stored)
		? (stored as unknown[]).filter((mark): mark is string => typeof mark === 'string')
		: [];
}
