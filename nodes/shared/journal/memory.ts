import { systemClock, type Clock } from '../base/clock';
import { isOpen, type Entry } from './lifecycle';

/** Where an entry belongs in n8n, and whose it is. */
export interface Owner {
	/** The execution that first journalled it: a retry of that execution has another id, but carries this one along. */
	origin: string;
	/** The execution that holds it now. */
	execution: string;
	/** '' for a workflow that was never saved. */
	workflow: string;
	node: string;
	/** Run index and item index. */
	position: string;
	/** Key of the journal: what was asked for, unevaluated, and the input item. */
	key: string;
	isManual: boolean;
	/** n8n offers the first failed execution for another retry also when a retry of it has gone well, or has failed further on. */
	isRetry: boolean;
}

/** What an execution was accepted for and has not delivered. */
interface Remembered {
	owner: Owner;
	/** Digest of the evaluated request; only for manual runs, where nothing else is compared. */
	evaluated?: string;
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
	/** In order of time. */
	private readonly entries = new Map<string, Remembered>();

	/** Ids of the entries of manual runs, by place in a workflow. */
	private readonly places = new Map<string, Set<string>>();

	/** When an execution of a node that may go on was last seen running; Infinity while it runs. */
	private readonly activity = new Map<string, number>();

	/** Where the entries went that a run in the editor took over: the execution that had them may still note an answer that was under way. */
	private readonly moved = new Map<string, { at: number; to: string }>();

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

	/** Notes the state of an entry; one with nothing to lose is forgotten. */
	note(owner: Owner, entry: Entry, evaluated?: string): void {
		const id = idOf(owner);
		const moved = this.moved.get(id);
		if (moved && (entry.sentAt ?? 0) <= moved.at) return this.noteMoved(id, entry);
		// What a retry sends after that is its own.
		this.moved.delete(id);
		const known = this.entries.get(id);
		this.remove(id);
		if (entry.state === 'new') return;
		this.entries.set(id, {
			owner,
			evaluated: evaluated ?? known?.evaluated,
			entry: withoutOutput(entry),
			at: this.clock.now(),
		});
		if (owner.isManual && owner.workflow !== '')
			this.places.set(placeOf(owner), (this.places.get(placeOf(owner)) ?? new Set()).add(id));
		this.drop();
	}

	/** The outcome of a call whose entry was taken over meanwhile: whoever holds it now does not know it yet. */
	private noteMoved(id: string, entry: Entry): void {
		const { to } = this.moved.get(id) ?? {};
		if (to !== undefined) return this.noteMoved(to, entry);
		const held = this.entries.get(id);
		if (held && isOpen(held.entry) && held.entry.sentAt === entry.sentAt)
			this.note(held.owner, entry);
	}

	/** What left the node as a good item is made again next time. */
	forget(owner: Owner): void {
		this.remove(idOf(owner));
	}

	/** What the execution that a retry goes back to holds under the same key, or an earlier retry of it. */
	ofOrigin(owner: Owner): Remembered | undefined {
		this.drop();
		return this.entries.get(idOf(owner));
	}

	/** What ended manual runs left behind at the same place, the latest first. */
	leftBehind(owner: Owner): Remembered[] {
		this.drop();
		return [...(this.places.get(placeOf(owner)) ?? [])]
			.flatMap((id) => this.entries.get(id) ?? [])
			.filter((other) => other.owner.execution !== owner.execution && this.hasEnded(other.owner))
			.reverse();
	}

	/** Hands an entry to another execution: two never hold it. Returns what it knows. */
	take(remembered: Remembered, by: Owner): Entry {
		const id = idOf(remembered.owner);
		this.remove(id);
		if (id !== idOf(by)) this.moved.set(id, { at: this.clock.now(), to: idOf(by) });
		return remembered.entry;
	}

	private hasEnded({ execution, node }: Owner): boolean {
		const last = this.activity.get(`${execution}|${node}`) ?? -Infinity;
		return this.clock.now() - last > BETWEEN_TRIES_MS;
	}

	private remove(id: string): void {
		const known = this.entries.get(id);
		if (known === undefined) return;
		this.entries.delete(id);
		const place = this.places.get(placeOf(known.owner));
		place?.delete(id);
		if (place?.size === 0) this.places.delete(placeOf(known.owner));
	}

	private drop(): void {
		const now = this.clock.now();
		for (const [id, { at }] of this.entries) {
			if (now - at < KEPT_MS && this.entries.size <= MOST) break;
			this.remove(id);
		}
		for (const [id, { at }] of this.moved) {
			if (now - at < KEPT_MS) break;
			this.moved.delete(id);
		}
		for (const [id, last] of this.activity) {
			if (now - last < KEPT_MS) break;
			this.activity.delete(id);
		}
	}
}

function idOf({ origin, node, key }: Owner): string {
	return `${origin}|${node}|${key}`;
}

/** Outputs can be fetched again by their request; one without an id only stays when it is small. */
function withoutOutput(entry: Entry): Entry {
	const { output, ...kept } = entry;
	const isOnlyCopy = output !== undefined && !entry.request?.request_id;
	return isOnlyCopy && JSON.stringify(output).length <= SMALL_OUTPUT ? entry : kept;
}

function placeOf({ workflow, node, position }: Owner): string {
	return `${workflow}|${node}|${position}`;
}

/** That of this process. */
export const memory = new Memory();
