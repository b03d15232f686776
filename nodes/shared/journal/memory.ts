import { systemClock, type Clock } from '../base/clock';
import type { Entry } from './entry';

/** The execution, node and item that an entry belongs to. */
export interface Owner {
	/** The execution that created the journal. A retry of it has another ID, but keeps this one. */
	origin: string;
	/** The execution that has the entry now. */
	execution: string;
	/** '' for a workflow that was never saved. */
	workflow: string;
	node: string;
	/** Run index and item index. */
	position: string;
	/** Digest of the input item. */
	input: string;
	/** Digest of the unevaluated parameters that determine the request. */
	parametersDigest: string;
	isManual: boolean;
	/** Whether this execution is a retry. n8n lets users retry a failed execution again, whether the earlier retry succeeded or failed. */
	isRetry: boolean;
}

/** An entry, its owner, and when it was stored. Delivered entries stay only for a retry. */
interface RememberedEntry {
	owner: Owner;
	entry: Entry;
	at: number;
}

/** How long an entry is kept. */
const MAX_AGE_MS = 3_600_000;
/** At most this many entries are kept; the oldest are dropped first. */
const MAX_ENTRIES = 20_000;
/** Largest output that is kept, in characters of its JSON. */
const MAX_OUTPUT_CHARS = 20_000;
/** An execution whose node is idle for longer has ended: n8n waits at most 5 s between two attempts of Retry On Fail. */
const MAX_IDLE_MS = 10_000;

/**
 * Remembers requests for an hour, for the two cases in which n8n doesn't return what we stored: retrying an execution that was already retried (n8n
 * starts from its first snapshot) and running a step again in the editor (n8n keeps nothing; docs/n8n.md N134, N137, N141, N144, N145). Keeps IDs and
 * URLs, and an output only if it's small and has no ID. Old entries are dropped when the memory is used, without a timer.
 */
export class Memory {
	/** By the ID of the call, oldest first. */
	private readonly entries = new Map<string, RememberedEntry>();

	/** When a node was last seen running in an execution that may run it again; Infinity while it runs. */
	private readonly activity = new Map<string, number>();

	constructor(private readonly clock: Clock = systemClock) {}

	/** Notes that a node starts to run in an execution. */
	begin({ execution, node }: Pick<Owner, 'execution' | 'node'>): void {
		this.activity.set(`${execution}|${node}`, Infinity);
	}

	/** Notes that a node ends its run. `mayRunAgain`: whether n8n may run it again in the same execution. */
	end({ execution, node }: Pick<Owner, 'execution' | 'node'>, mayRunAgain: boolean): void {
		const key = `${execution}|${node}`;
		if (mayRunAgain) this.activity.set(key, this.clock.now());
		else this.activity.delete(key);
	}

	/** Stores an entry. If another execution has taken the entry meanwhile, the entry stays there, and only the outcome of its call is updated. */
	store(owner: Owner, entry: Entry): void {
		const remembered = this.entries.get(entry.id);
		const isTaken = remembered !== undefined && remembered.owner.execution !== owner.execution;
		if (!isTaken) return this.take(entry, owner);
		if (remembered.entry.is === 'sent') remembered.entry = withoutOutput(entry);
	}

	/** Gives an entry to an execution: no two executions have the same entry. */
	take(entry: Entry, owner: Owner): void {
		this.entries.delete(entry.id);
		this.entries.set(entry.id, { owner, entry: withoutOutput(entry), at: this.clock.now() });
		this.dropOld();
	}

	/** Removes an entry: its call was never accepted, or its item was delivered. */
	forget({ id }: Pick<Entry, 'id'>): void {
		this.entries.delete(id);
	}

	/** Finds the entries that the origin of a retry, or an earlier retry of that origin, left for this item; the latest first. */
	findByFirstExecution({ origin, node, position, input }: Owner): RememberedEntry[] {
		return this.findAll(
			({ owner }) =>
				owner.origin === origin &&
				owner.node === node &&
				owner.position === position &&
				owner.input === input,
		);
	}

	/** Finds the entries that ended manual runs of this stored workflow left for this item; the latest first. */
	findLeftInEditor({ workflow, node, position, execution }: Owner): RememberedEntry[] {
		if (workflow === '') return [];
		return this.findAll(
			({ owner }) =>
				owner.isManual &&
				owner.workflow === workflow &&
				owner.node === node &&
				owner.position === position &&
				owner.execution !== execution &&
				this.hasEnded(owner),
		);
	}

	private findAll(isWanted: (one: RememberedEntry) => boolean): RememberedEntry[] {
		this.dropOld();
		return [...this.entries.values()].filter(isWanted).reverse();
	}

	private hasEnded({ execution, node }: Owner): boolean {
		const lastSeenAt = this.activity.get(`${execution}|${node}`) ?? -Infinity;
		return this.clock.now() - lastSeenAt > MAX_IDLE_MS;
	}

	private dropOld(): void {
		const now = this.clock.now();
		for (const [id, { at }] of this.entries) {
			if (now - at < MAX_AGE_MS && this.entries.size <= MAX_ENTRIES) break;
			this.entries.delete(id);
		}
		for (const [id, lastSeenAt] of this.activity) {
			if (now - lastSeenAt < MAX_AGE_MS) break;
			this.activity.delete(id);
		}
	}
}

/** Drops the output of an entry, because it can be fetched again by its request ID. A small output without an ID is kept. */
function withoutOutput(entry: Entry): Entry {
	if (entry.is !== 'done' || !entry.output) return entry;
	const isOnlyCopy = !entry.ref;
	return isOnlyCopy && JSON.stringify(entry.output).length <= MAX_OUTPUT_CHARS
		? entry
		: { ...entry, output: undefined };
}

/** The one memory of this process. */
export const memory = new Memory();
