import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { digest } from '../shared/base/hash';
import { canonical } from './events';
import { scopeOf } from './nodeScope';

/**
 * One execution for each job and event. Deliveries that come together all find the same static data (docs/n8n.md N233), so what this
 * process has in memory decides first; the static data remembers across restarts and other processes.
 *
 * When a delivery has started its execution, the static data is written as a whole, with everything that this process started: a delivery
 * that waited to be confirmed holds an older copy, and writing only its own entry would wipe out what came in between.
 * What this cannot prevent: two webhook processes that get the same delivery at the same moment both start an execution.
 */

/** Most entries kept for a node. */
const MOST_REMEMBERED = 500;

/** Digests of job and event that started an execution, by node, oldest first. */
const started = new Map<string, Set<string>>();
/** Deliveries that are being decided on; resolves to whether the execution was started. */
const undecided = new Map<string, Promise<boolean>>();

export interface Delivered {
	/** Stands for the node. */
	scope: string;
	/** Canonical. */
	event: string;
	jobId: string;
	/** The node's static data. */
	staticData: IDataObject;
}

/** What makes two deliveries the same: node, event and job. */
export function deliveredTo(context: IWebhookFunctions, event: string, jobId: string): Delivered {
	return {
		scope: scopeOf(context),
		event: canonical(event),
		jobId,
		staticData: context.getWorkflowStaticData('node'),
	};
}

/**
 * True when the delivery is to start its execution: none was started for this job and event, and `decide` says yes. A delivery that was
 * decided against is forgotten, so that a forged one does not keep out the real one; deliveries that waited for the decision are then decided
 * on one by one.
 */
export async function deduplicate(
	{ scope, event, jobId, staticData }: Delivered,
	decide: () => Promise<boolean>,
): Promise<boolean> {
	const entry = digest(`${event}|${jobId}`);
	const key = `${scope}|${entry}`;
	for (let earlier = undecided.get(key); earlier; earlier = undecided.get(key)) {
		if (await earlier) return false;
	}
	const own = startedBy(scope);
	if (own.has(entry) || storedIn(staticData).includes(entry)) return false;
	// Nothing is awaited from here until `undecided` has the key: of deliveries that come together, only one gets this far.
	const decision = decide().then((yes) => {
		if (yes) remember(own, entry, staticData);
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

function remember(own: Set<string>, entry: string, staticData: IDataObject): void {
	own.add(entry);
	for (const oldest of own) {
		if (own.size <= MOST_REMEMBERED) break;
		own.delete(oldest);
	}
	// A new list: n8n does not notice changes inside one (docs/n8n.md N237).
	staticData.started = [...new Set([...storedIn(staticData), ...own])].slice(-MOST_REMEMBERED);
}

function storedIn(staticData: IDataObject): string[] {
	const { started: stored } = staticData;
	return Array.isArray(stored)
		? (stored as unknown[]).filter((entry): entry is string => typeof entry === 'string')
		: [];
}
