import { systemClock, type Clock } from '../base/clock';
import type { Entry } from './entry';

/** The execution, node and item that an entry belongs to. */
export interface Owner {
	/** The execution that created the journal. A retry of it has another ID, but keeps this one. */
	origin: string;
	/** The execution that has it now. */
	execution: string;
	/** '' for a workflow that was never saved. */
	workflow: string;
	node: string;
	/** Run index and item index. */
	position: string;
	/** Digest of the input item. */
	input: string;
	/** Digest of the unevaluated parameters that determine the request. */
	asked: string;
	isManual: boolean;
	/** Whether this execution is a retry. n8n lets users retry a failed execution again even after a retry of it succeeded or failed later. */
	isRetry: boolean;
}

/** A request that was sent and not delivered. */
interface Remembered {
	owner: Owner;
	entry: Entry;
	at: number;
}

const KEPT_MS = 3_600_000;
const MOST = 20_000;
/** Characters of JSON. */
const SMALL_OUTPUT = 20_000;
/** n8n waits at most 5 s between two attempts of Retry On Fail: an execution that is idle for longer has ended. */
const BETWEEN_TRIES_MS = 10_000;

/**
 * Remembers requests for an hour, for the two cases in which n8n doesn't return what we stored: retrying an execution that was already retried (n8n
 * starts from its first snapshot) and running a step again in the editor (n8n keeps nothing; docs/n8n.md N134, N137, N141, N144, N145). Keeps IDs and
 * URLs, not outputs. Old entries are dropped when the memory is used, without a timer.
 */
export class Memory {
	/** By the ID of the call, oldest first. */
	private readonly calls = new Map<string, Remembered>();

	/** When a node was last seen running in an execution that may run it again; Infinity while it runs. */
	private readonly activity = new Map<string, number>();

	constructor(private readonly clock: Clock = systemClock) {}

	/** A node starts to run in an execution. */
	begin({ execution, node }: Pick<Owner, 'execution' | 'node'>): void {
		this.activity.set(`${execution}|${node}`, Infinity);
	}

	/** A node ends its run. `mayGoOn`: n8n may run it again in the same execution. */
	end({ execution, node }: Pick<Owner, 'execution' | 'node'>, mayGoOn: boolean): void {
		const key = `${execution}|${node}`;
		if (mayGoOn) this.activity.set(key, this.clock.now());
		else this.activity.delete(key);
	}

	/** Stores an entry. If another execution has taken it meanwhile, it stays there, and only the outcome of its call is updated. */
	note(owner: Owner, entry: Entry): void {
		const known = this.calls.get(entry.id);
		const isTaken = known !== undefined && known.owner.execution !== owner.execution;
		if (!isTaken) return this.take(entry, owner);
		if (known.entry.is === 'sent') known.entry = withoutOutput(entry);
	}

	/** Gives an entry to an execution: two never have the same one. */
	take(entry: Entry, owner: Owner): void {
		this.calls.delete(entry.id);
		this.calls.set(entry.id, { owner, entry: withoutOutput(entry), at: this.clock.now() });
		this.drop();
	}

	/** Removes an entry: its call was never accepted, or its item was delivered. */
	forget({ id }: Pick<Entry, 'id'>): void {
		this.calls.delete(id);
	}

	/** What the origin of a retry, or an earlier retry of it, left for the same item; the latest first. */
	ofOrigin({ origin, node, position, input }: Owner): Remembered[] {
		return this.all(
			({ owner }) =>
				owner.origin === origin &&
				owner.node === node &&
				owner.position === position &&
				owner.input === input,
		);
	}

	/** What ended manual runs left for the same item of the same stored workflow; the latest first. */
	leftInEditor({ workflow, node, position, execution }: Owner): Remembered[] {
		if (workflow === '') return [];
		return this.all(
			({ owner }) =>
				owner.isManual &&
				owner.workflow === workflow &&
				owner.node === node &&
				owner.position === position &&
				owner.execution !== execution &&
				this.hasEnded(owner),
		);
	}

	private all(isWanted: (one: Remembered) => boolean): Remembered[] {
		this.drop();
		return [...this.calls.values()].filter(isWanted).reverse();
	}

	private hasEnded({ execution, node }: Owner): boolean {
		const last = this.activity.get(`${execution}|${node}`) ?? -Infinity;
		return this.clock.now() - last > BETWEEN_TRIES_MS;
	}

	private drop(): void {
		const now = this.clock.now();
		for (const [id, { at }] of this.calls) {
			if (now - at < KEPT_MS && this.calls.size <= MOST) break;
			this.calls.delete(id);
		}
		for (const [id, last] of this.activity) {
			if (now - last < KEPT_MS) break;
			this.activity.delete(id);
		}
	}
}

/** An output can be fetched again by its request ID. Without an ID it's kept if it is small. */
function withoutOutput(entry: Entry): Entry {
	if (entry.is !== 'done' || !entry.output) return entry;
	const isOnlyCopy = !entry.ref;
	return isOnlyCopy && JSON.stringify(entry.output).length <= SMALL_OUTPUT
		? entry
		: { ...entry, output: undefined };
}

/** The one memory of this process. */
export const memory = new Memory();
