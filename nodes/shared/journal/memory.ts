import { systemClock, type Clock } from '../base/clock';
import type { Entry } from './entry';

/** Where an entry belongs in n8n, and whose it is. */
export interface Owner {
	/** The execution that first journaled it: a retry of that execution has another id, but carries this one along. */
	origin: string;
	/** The execution that holds it now. */
	execution: string;
	/** '' for a workflow that was never saved. */
	workflow: string;
	node: string;
	/** Run index and item index. */
	position: string;
	/** Digest of the item that came in. */
	input: string;
	/** Digest of what the node is set up to ask for, unevaluated. */
	asked: string;
	isManual: boolean;
	/** n8n offers the first failed execution for another retry also when a retry of it has gone well, or has failed further on. */
	isRetry: boolean;
}

/** What an execution was accepted for and has not delivered. */
interface Remembered {
	owner: Owner;
	entry: Entry;
	at: number;
}

const KEPT_MS = 3_600_000;
const MOST = 20_000;
/** Characters of JSON. */
const SMALL_OUTPUT = 20_000;
/** n8n waits at most 5 s between two tries of Retry On Fail: an execution idle for longer has ended. */
const BETWEEN_TRIES_MS = 10_000;

/**
 * What this process remembers for an hour beyond what n8n stores: a retry of an execution that was retried before starts from the first
 * snapshot, and "Execute step" in the editor from none at all (docs/n8n.md N134, N137, N141, N144, N145). Outputs are not kept, ids and addresses are.
 * Old entries are dropped when the memory is used, without a timer.
 */
export class Memory {
	/** By the id of the call, in order of time. */
	private readonly calls = new Map<string, Remembered>();

	/** When an execution of a node that may go on was last seen running; Infinity while it runs. */
	private readonly activity = new Map<string, number>();

	constructor(private readonly clock: Clock = systemClock) {}

	/** A node begins or ends to run in an execution. */
	begin({ execution, node }: Pick<Owner, 'execution' | 'node'>): void {
		this.activity.set(`${execution}|${node}`, Infinity);
	}

	/** `mayGoOn`: n8n may run it again in the same execution. */
	end({ execution, node }: Pick<Owner, 'execution' | 'node'>, mayGoOn: boolean): void {
		const key = `${execution}|${node}`;
		if (mayGoOn) this.activity.set(key, this.clock.now());
		else this.activity.delete(key);
	}

	/** Notes an entry. One that another execution has taken meanwhile stays with it, and only learns what came of its call. */
	note(owner: Owner, entry: Entry): void {
		const known = this.calls.get(entry.id);
		const isTaken = known !== undefined && known.owner.execution !== owner.execution;
		if (!isTaken) return this.take(entry, owner);
		if (known.entry.is === 'sent') known.entry = withoutOutput(entry);
	}

	/** Hands an entry to an execution: two never hold it. */
	take(entry: Entry, owner: Owner): void {
		this.calls.delete(entry.id);
		this.calls.set(entry.id, { owner, entry: withoutOutput(entry), at: this.clock.now() });
		this.drop();
	}

	/** There is nothing to remember of it, or it left the node as a good item and is made again next time. */
	forget({ id }: Pick<Entry, 'id'>): void {
		this.calls.delete(id);
	}

	/** What the execution that a retry goes back to left for the same item, or an earlier retry of it; the latest first. */
	ofOrigin({ origin, node, position, input }: Owner): Remembered[] {
		return this.all(
			({ owner }) =>
				owner.origin === origin &&
				owner.node === node &&
				owner.position === position &&
				owner.input === input,
		);
	}

	/** What ended manual runs left behind at the same place of the same stored workflow, the latest first. */
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

/** Outputs can be fetched again by their request; one without an id only stays when it is small. */
function withoutOutput(entry: Entry): Entry {
	if (entry.is !== 'done' || !entry.output) return entry;
	const isOnlyCopy = !entry.ref;
	return isOnlyCopy && JSON.stringify(entry.output).length <= SMALL_OUTPUT
		? entry
		: { ...entry, output: undefined };
}

/** That of this process. */
export const memory = new Memory();
