import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { digest, stableJson } from '../base/hash';
import { requestParametersOf } from './requestParameters';
import { callRegister } from './calls';
import { canFetch, refOf, type Entry, type KeptOutput } from './entry';
import { memory, type Owner } from './memory';

/** What n8n stores of this node across Retry On Fail and across a retry of a failed execution (docs/n8n.md N134). Plain JSON. */
interface Store {
	/** The execution that created the store. */
	origin?: string;
	/** By item (run index, item index and digest of the input item), then by the digest of the parameters. */
	items: Record<string, Record<string, Entry>>;
	/** Uploaded files of this execution: content key to hosted URL. */
	uploads: Record<string, string>;
}

/** An output with larger inline files isn't kept if it can be fetched again. */
const MAX_INLINE_BYTES = 5 * 1024 * 1024;

/** The journal of one item: its entry, and what earlier attempts left. Only RequestRecord changes the entry. */
export class ItemJournal {
	constructor(
		private readonly store: Store,
		private readonly place: Place,
		private readonly owner: Owner | undefined,
	) {}

	get entry(): Entry | undefined {
		return this.store.items[this.key]?.[this.place.parametersDigest];
	}

	/** Writes the entry to n8n's storage and to the memory of this process. */
	write(newEntry: Entry | undefined): void {
		const oldEntry = this.entry;
		if (newEntry === oldEntry) return;
		if (oldEntry && oldEntry.id !== newEntry?.id) memory.forget(oldEntry);
		this.keep(newEntry);
		if (newEntry && this.owner) memory.store(this.owner, newEntry);
	}

	/** Moves an entry of an earlier attempt here. From now on no other execution has it. */
	take(entry: Entry): void {
		const entries = this.store.items[this.key] ?? {};
		for (const [other, { id }] of Object.entries(entries))
			if (id === entry.id) delete entries[other];
		this.keep(entry);
		if (this.owner) memory.take(entry, this.owner);
	}

	/** Returns the part of an item that is kept for retries; undefined if it's large and can be fetched again. */
	outputToKeep({ json, binary }: INodeExecutionData, presentation = ''): KeptOutput | undefined {
		const inlineBytes = Object.values(binary ?? {}).reduce(
			(sum, file) => sum + (file.id ? 0 : file.data.length * 0.75),
			0,
		);
		return inlineBytes > MAX_INLINE_BYTES && canFetch(refOf(this.entry))
			? undefined
			: { json, binary, presentation };
	}

	/**
	 * The entry that earlier attempts left for the same item and the same unevaluated parameters: from n8n's storage and, in a retry, from the memory
	 * of this process. The latest one counts, because a retry may start from an old snapshot (docs/n8n.md N137, N141).
	 */
	get sameEntry(): Entry | undefined {
		const { owner } = this;
		const remembered = owner?.isRetry
			? memory
					.findByFirstExecution(owner)
					.filter((other) => other.owner.parametersDigest === this.place.parametersDigest)
			: [];
		return [this.entry, ...remembered.map(({ entry }) => entry)].reduce(laterOf, undefined);
	}

	/** Entries of the same item with other parameters, the latest first. In the editor, also what an ended run of the same step left. */
	get otherEntries(): Entry[] {
		const stored = Object.values(this.store.items[this.key] ?? {}).reverse();
		const { owner } = this;
		const remembered = owner?.isRetry
			? memory.findByFirstExecution(owner)
			: owner?.isManual
				? memory.findLeftInEditor(owner)
				: [];
		const isNew = ({ id }: Entry) => stored.every((other) => other.id !== id);
		return [...stored, ...remembered.map(({ entry }) => entry).filter(isNew)];
	}

	/** Removes a delivered item from the memory, so that a later run makes it again. A retry keeps it, because the same execution may be retried once more. */
	forgetDelivered(): void {
		if (this.entry && this.owner && !this.owner.isRetry) memory.forget(this.entry);
	}

	private get key(): string {
		return `${this.place.position}:${this.place.input}`;
	}

	private keep(entry: Entry | undefined): void {
		const { items } = this.store;
		const entries = (items[this.key] ??= {});
		if (entry) entries[this.place.parametersDigest] = entry;
		else delete entries[this.place.parametersDigest];
		if (Object.keys(entries).length === 0) delete items[this.key];
		claimRequestOf(entry);
	}
}

const ENTRY_ORDER = ['sent', 'accepted', 'done'];

function laterOf(one: Entry | undefined, other: Entry | undefined): Entry | undefined {
	if (!one || !other) return one ?? other;
	const isLater =
		one.id === other.id
			? ENTRY_ORDER.indexOf(other.is) > ENTRY_ORDER.indexOf(one.is)
			: other.at > one.at;
	return isLater ? other : one;
}

/** Claims the request of an entry, so that no other item adopts it. */
function claimRequestOf(entry: Entry | undefined): void {
	const ref = refOf(entry);
	if (ref) callRegister.claim(ref.request_id);
}

/** Which item an entry belongs to, and under which parameters. */
interface Place {
	/** Run index and item index. */
	position: string;
	/** Digest of the input item. */
	input: string;
	/** Digest of the unevaluated parameters that determine the request. */
	parametersDigest: string;
}

interface JournalSettings {
	/** The node's parameters, as its description lists them. */
	properties: readonly INodeProperties[];
	/** ID of the credential in use. */
	credential: string;
	/** False if no retry resumes the calls of this node: the entries end with this run. */
	isKept: boolean;
	/** False for an agent's tool: each call of an agent is a new request. */
	isRemembered: boolean;
}

/**
 * What a retry must know of a node's items. The key of an entry is the item's index, the input item and the node's unevaluated parameters. During an
 * execution and its retries n8n freezes everything upstream, so a random seed or a fresh upload URL doesn't look like a new request.
 */
export class Journal {
	readonly credential: string;

	/** Digest of the presentation parameters. An output that was made with other parameters is fetched again. */
	readonly presentation: string;

	private readonly store: Store;

	private readonly runIndex: number;

	private readonly parametersDigest: string;

	private readonly items = new Map<number, ItemJournal>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly settings: JournalSettings,
	) {
		const { parameters } = context.getNode();
		const options = (parameters.options ?? {}) as Record<string, unknown>;
		this.credential = settings.credential;
		this.presentation = digest(
			stableJson([parameters.simplify, options.downloadOutput, options.outputField]),
		);
		this.parametersDigest = digest(
			stableJson(requestParametersOf(parameters, settings.properties)),
		);
		this.runIndex = Number(context.evaluateExpression('{{ $runIndex }}', 0)) || 0;
		this.store = this.openStore();
		this.store.origin ??= context.getExecutionId();
		for (const entries of Object.values(this.store.items))
			Object.values(entries).forEach(claimRequestOf);
	}

	/** Returns the journal of an item. */
	ofItem(itemIndex: number): ItemJournal {
		let itemJournal = this.items.get(itemIndex);
		if (!itemJournal) {
			const place = this.placeOf(itemIndex);
			itemJournal = new ItemJournal(this.store, place, this.ownerOf(place));
			this.items.set(itemIndex, itemJournal);
		}
		return itemJournal;
	}

	/** The execution and node under which the memory keeps entries; undefined if it keeps none. */
	get memoryKey(): Pick<Owner, 'execution' | 'node'> | undefined {
		const { isKept, isRemembered } = this.settings;
		return isKept && isRemembered
			? { execution: this.context.getExecutionId(), node: this.context.getNode().id }
			: undefined;
	}

	/** Returns the URL of a file that was uploaded earlier in this execution; undefined if it wasn't. */
	urlOfUpload(contentKey: string): string | undefined {
		return this.store.uploads[contentKey];
	}

	rememberUpload(contentKey: string, url: string): void {
		this.store.uploads[contentKey] = url;
	}

	/** Deletes the entries of this run, which won't be retried. */
	clearRun(): void {
		if (!this.settings.isKept) return;
		const prefix = `${this.runIndex}:`;
		for (const key of Object.keys(this.store.items)) {
			if (key.startsWith(prefix)) delete this.store.items[key];
		}
		if (Object.keys(this.store.items).length === 0) this.closeStore();
	}

	private openStore(): Store {
		const empty: Store = { items: {}, uploads: {} };
		if (!this.settings.isKept) return empty;
		const holder = this.storeHolder();
		return holder ? (holder.segmind ??= empty) : empty;
	}

	/** Removes the store. A retry keeps its origin, because later loop runs belong to the same origin. */
	private closeStore(): void {
		const holder = this.storeHolder();
		const { origin } = this.store;
		if (!holder) return;
		if (origin === this.context.getExecutionId()) delete holder.segmind;
		else holder.segmind = { origin, items: {}, uploads: {} };
	}

	/** Returns the object that has the store. Undefined under the MCP Server Trigger, where getContext throws (docs/n8n.md N135, N136). */
	private storeHolder(): { segmind?: Store } | undefined {
		try {
			return this.context.getContext('node') as { segmind?: Store };
		} catch {
			return undefined;
		}
	}

	private ownerOf(place: Place): Owner | undefined {
		const { memoryKey } = this;
		if (!memoryKey) return undefined;
		return {
			...memoryKey,
			...place,
			origin: this.store.origin ?? '',
			workflow: this.context.getWorkflow().id ?? '',
			isManual: this.context.getMode() === 'manual',
			isRetry: this.context.getMode() === 'retry',
		};
	}

	private placeOf(itemIndex: number): Place {
		const { json, binary } = this.context.getInputData()[itemIndex];
		const binaries = Object.entries(binary ?? {}).map(([name, file]) => [
			name,
			storedName(file.id) ?? digest(file.data),
			file.mimeType,
			file.fileName ?? '',
		]);
		return {
			position: `${this.runIndex}:${itemIndex}`,
			input: digest(stableJson([json, binaries])),
			parametersDigest: this.parametersDigest,
		};
	}
}

/** Returns the last part of a stored file's ID. n8n renames a stored file when its execution ends, but keeps this part (docs/n8n.md N170). */
export function storedName(id: string | undefined): string | undefined {
	return id === undefined ? undefined : (id.split(/[/:]/).pop() ?? id);
}
