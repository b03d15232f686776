import { systemClock, type Clock } from '../base/clock';
import { canFetch } from '../service/requestRef';
import type { Entry } from './entry';

/** Under which keys an item's entry is remembered, and who writes it. */
export interface MemorySlot {
	/** The item in the execution that a retry came from; in the editor, also the item of the step, by its position and by its input. */
	readonly keys: readonly string[];
	/** Whether this is a step in the editor, whose items may have changed since its last run. */
	readonly isStep: boolean;
	readonly execution: string;
	/** Whether the run of the node has ended, so that this is about a late response. */
	hasEnded: boolean;
	/** Whether the run has stored an entry of the item, so that any other run's entry is a later one. */
	hasStored: boolean;
}

interface RememberedEntry {
	readonly entry: Entry;
	readonly execution: string;
	readonly storedAt: number;
	/** Whether the run that left the entry has ended and no other item has resumed it since, so that another execution may. */
	isReleased: boolean;
}

/** How long an entry is kept. */
const MAX_AGE_MS = 3_600_000;
/** Entries under at most this many keys are kept; the oldest are dropped first. */
const MAX_KEYS = 40_000;
/** Largest output that is kept, in characters of its JSON. */
const MAX_OUTPUT_CHARS = 20_000;

/**
 * Remembers requests for an hour, for the two cases in which n8n doesn't return what we stored: retrying an execution that was already retried (n8n
 * starts from its first snapshot) and running a step again in the editor (n8n keeps nothing; docs/n8n.md N134, N137, N141, N144, N145). Keeps IDs and
 * URLs, and an output only if it's small and can't be fetched again. Old entries are dropped when the memory is used, without a timer.
 */
export class Memory {
	/** Oldest first. */
	private readonly entries = new Map<string, RememberedEntry>();

	constructor(private readonly clock: Clock = systemClock) {}

	/** Finds what may be an item's entries. In the editor, only free ones count; a retry always follows the run that it retries. */
	find({ keys, isStep }: MemorySlot): Entry[] {
		this.dropOld();
		const found = keys.flatMap((key) => this.entries.get(key) ?? []);
		return found.filter(({ isReleased }) => isReleased || !isStep).map(({ entry }) => entry);
	}

	/** Stores an item's entry. That of the latest run counts: only the first entry that a run stores replaces another run's. */
	store(slot: MemorySlot, entry: Entry): void {
		const { keys, execution, hasEnded, hasStored } = slot;
		slot.hasStored = true;
		const storedAt = this.clock.now();
		const remembered = { entry: withoutOutput(entry), execution, storedAt, isReleased: hasEnded };
		for (const key of keys) {
			const earlier = this.entries.get(key);
			const isSame = earlier?.entry.id === entry.id;
			if (hasStored && earlier && !isSame && earlier.execution !== execution) continue;
			// Under its other keys, too, the entry is now in use.
			if (isSame) earlier.isReleased = false;
			this.entries.delete(key);
			this.entries.set(key, remembered);
		}
		this.dropOld();
	}

	/** Forgets an item's entry: its call was never accepted, or its item was delivered. */
	forget({ keys, execution }: MemorySlot): void {
		for (const key of keys)
			if (this.entries.get(key)?.execution === execution) this.entries.delete(key);
	}

	/** The run has ended: lets other executions resume the entry. */
	release({ keys, execution }: MemorySlot): void {
		for (const key of keys) {
			const remembered = this.entries.get(key);
			if (remembered?.execution === execution) remembered.isReleased = true;
		}
	}

	private dropOld(): void {
		const now = this.clock.now();
		for (const [key, { storedAt }] of this.entries) {
			if (now - storedAt < MAX_AGE_MS && this.entries.size <= MAX_KEYS) break;
			this.entries.delete(key);
		}
	}
}

/** Drops the output of an entry, unless it's small and can't be fetched again. */
function withoutOutput(entry: Entry): Entry {
	if (entry.is === 'sent' || !entry.output) return entry;
	return !canFetch(entry.ref) && JSON.stringify(entry.output).length <= MAX_OUTPUT_CHARS
		? entry
		: { ...entry, output: undefined };
}

/** The one memory of this process. */
export const memory = new Memory();
