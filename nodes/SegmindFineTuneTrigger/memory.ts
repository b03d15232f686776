/** What this process remembers of deliveries. Anybody on the internet can send deliveries, so everything is bounded. */
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { digest } from '../shared/base/hash';
import { canonicalize } from './subject';

/** At most this many executions are remembered for a node, each by 32 hex digits. */
const MAX_STARTED = 500;
/** At most this many nodes are remembered. */
const MAX_NODES = 1_000;
/** How long the log lines and calls of a node are counted together. */
const WINDOW_MS = 60_000;

interface NodeMemory {
	/** The delivery keys that started an execution, oldest first. */
	started: Set<string>;
	/** The counters of the node in the current minute. */
	window: { endsAt: number; lines: number; calls: number };
}

const nodes = new Map<string, NodeMemory>();

/** Identifies a node within this n8n. */
export function nodeKey(context: IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}|${context.getNode().id}`;
}

function memoryOf(context: IWebhookFunctions): NodeMemory {
	const key = nodeKey(context);
	const known = nodes.get(key);
	if (known) return known;
	const memory = { started: new Set<string>(), window: { endsAt: 0, lines: 0, calls: 0 } };
	nodes.set(key, memory);
	dropOldest(nodes, MAX_NODES);
	return memory;
}

/** Counts a log line or a call to Segmind. @returns the node's count in this minute, including this one */
export function countInMinute(context: IWebhookFunctions, counter: 'lines' | 'calls'): number {
	const memory = memoryOf(context);
	const now = systemClock.now();
	const { endsAt } = memory.window;
	// The second condition is true if the clock was set back.
	if (now >= endsAt || now < endsAt - WINDOW_MS)
		memory.window = { endsAt: now + WINDOW_MS, lines: 0, calls: 0 };
	return ++memory.window[counter];
}

/** Identifies a job and an event of it. */
export function deliveryKey(event: string, jobId: string): string {
	return digest(`${canonicalize(event)}|${jobId}`);
}

/**
 * Whether this job and event have started an execution. Simultaneous deliveries read the same static data (docs/n8n.md N233), so the memory is checked
 * first. The static data also has the deliveries from before a restart, and those to other processes.
 */
export function hasStarted(context: IWebhookFunctions, key: string): boolean {
	return memoryOf(context).started.has(key) || storedKeys(staticDataOf(context)).includes(key);
}

/**
 * Remembers that this job and event start an execution. The static data is written as a whole, with everything that this process started: a delivery
 * that waited for its confirmation has an older copy, and its entry alone would overwrite later ones.
 */
export function rememberStarted(context: IWebhookFunctions, key: string): void {
	const { started } = memoryOf(context);
	started.add(key);
	dropOldest(started, MAX_STARTED);
	const staticData = staticDataOf(context);
	// A new list, because n8n doesn't notice changes inside a list (docs/n8n.md N237).
	staticData.started = [...new Set([...storedKeys(staticData), ...started])].slice(-MAX_STARTED);
}

function staticDataOf(context: IWebhookFunctions): IDataObject {
	return context.getWorkflowStaticData('node');
}

function storedKeys({ started }: IDataObject): string[] {
	return Array.isArray(started)
		? (started as unknown[]).filter((entry): entry is string => typeof entry === 'string')
		: [];
}

/** Drops the oldest entries beyond `max`. */
function dropOldest(entries: Set<string> | Map<string, unknown>, max: number): void {
	for (const oldest of entries.keys()) {
		if (entries.size <= max) break;
		entries.delete(oldest);
	}
}
