import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { digest, stableJson } from '../base/hash';
import { askedFor } from './askedFor';
import { calls } from './calls';
import { canFetch, refOf, type Entry, type KeptOutput } from './entry';
import { memory, type Owner } from './memory';

/** What n8n keeps of this node across the tries of Retry On Fail and across Retry of a failed execution (docs/n8n.md N134). Plain JSON. */
interface Store {
	/** The execution that wrote it first. */
	origin?: string;
	/** By the item (its place in the node, and what came in), then by what the node was set up to ask for. */
	items: Record<string, Record<string, Entry>>;
	/** Uploaded files of this execution: content key to hosted URL. */
	uploads: Record<string, string>;
}

/** Largest inline files kept of an output that can be fetched again, bytes. */
const INLINE_LIMIT = 5 * 1024 * 1024;

/** The journal of one item: its entry, and what earlier attempts left. Only RequestRecord changes the entry. */
export class ItemJournal {
	constructor(
		private readonly store: Store,
		private readonly place: Place,
		private readonly owner: Owner | undefined,
	) {}

	get entry(): Entry | undefined {
		return this.store.items[this.key]?.[this.place.asked];
	}

	/** Writes what is true of its call now, in what n8n stores and in the memory of this process. */
	write(after: Entry | undefined): void {
		const before = this.entry;
		if (after === before) return;
		if (before && before.id !== after?.id) memory.forget(before);
		this.keep(after);
		if (after && this.owner) memory.note(this.owner, after);
	}

	/** Takes an entry of an earlier attempt, wherever it is: no other execution holds it from now on. */
	take(entry: Entry): void {
		const asked = this.store.items[this.key] ?? {};
		for (const [other, { id }] of Object.entries(asked)) if (id === entry.id) delete asked[other];
		this.keep(entry);
		if (this.owner) memory.take(entry, this.owner);
	}

	/** An output as it is kept; undefined for one that is large and can be fetched again. */
	kept({ json, binary }: INodeExecutionData, presentation = ''): KeptOutput | undefined {
		const inlineBytes = Object.values(binary ?? {}).reduce(
			(sum, file) => sum + (file.id ? 0 : file.data.length * 0.75),
			0,
		);
		return inlineBytes > INLINE_LIMIT && canFetch(refOf(this.entry))
			? undefined
			: { json, binary, presentation };
	}

	/**
	 * What earlier attempts left of this item for what the node is set up to ask for, unevaluated: in what n8n stored, in a retry also in what this
	 * process remembers of the same origin. The later one counts: a retry may start from an old snapshot (docs/n8n.md N137, N141).
	 */
	get same(): Entry | undefined {
		const { owner } = this;
		const remembered = owner?.isRetry
			? memory.ofOrigin(owner).filter((other) => other.owner.asked === this.place.asked)
			: [];
		return [this.entry, ...remembered.map(({ entry }) => entry)].reduce(later, undefined);
	}

	/** Of the same item, but asked for otherwise; the latest first. In the editor also what an ended run of the same step has left. */
	get others(): Entry[] {
		const stored = Object.values(this.store.items[this.key] ?? {}).reverse();
		const { owner } = this;
		const remembered = owner?.isRetry
			? memory.ofOrigin(owner)
			: owner?.isManual
				? memory.leftInEditor(owner)
				: [];
		const isNew = ({ id }: Entry) => stored.every((other) => other.id !== id);
		return [...stored, ...remembered.map(({ entry }) => entry).filter(isNew)];
	}

	/** It left the node as a good item: asked for again, it is made again; but a retry of the same execution asks for the same. */
	delivered(): void {
		if (this.entry && this.owner && !this.owner.isRetry) memory.forget(this.entry);
	}

	private get key(): string {
		return `${this.place.position}:${this.place.input}`;
	}

	private keep(entry: Entry | undefined): void {
		const { items } = this.store;
		const asked = (items[this.key] ??= {});
		if (entry) asked[this.place.asked] = entry;
		else delete asked[this.place.asked];
		if (Object.keys(asked).length === 0) delete items[this.key];
		claim(entry);
	}
}

const PROGRESS = ['sent', 'accepted', 'done'];

function later(one: Entry | undefined, other: Entry | undefined): Entry | undefined {
	if (!one || !other) return one ?? other;
	const isLater =
		one.id === other.id ? PROGRESS.indexOf(other.is) > PROGRESS.indexOf(one.is) : other.at > one.at;
	return isLater ? other : one;
}

/** Whoever else looks for a lost request must not take this one for it. */
function claim(entry: Entry | undefined): void {
	const ref = refOf(entry);
	if (ref) calls.claim(ref.request_id);
}

/** Where an item stands in a node, and what the node asks of it. */
interface Place {
	/** Run index and item index. */
	position: string;
	/** Digest of the item that came in. */
	input: string;
	/** Digest of what the node is set up to ask for, unevaluated. */
	asked: string;
}

interface Settings {
	/** The node's parameters, as its description lists them. */
	properties: readonly INodeProperties[];
	/** Id of the credential in use. */
	credential: string;
	/** Off for calls that no retry resumes: entries are then of this call alone. */
	isKept: boolean;
	/** Off for the tools of an agent: each of its calls asks for something new. */
	isRemembered: boolean;
}

/**
 * What a retry must know of a node's items. The key of an item is its place in the node, the item that came in, and what the node is set up to ask for, unevaluated:
 * inside an execution and its retries n8n freezes everything upstream, so a random seed or a fresh upload URL does not look like a new request.
 */
export class Journal {
	readonly credential: string;

	/** Digest of how outputs are presented; one made under another presentation is fetched again. */
	readonly presentation: string;

	private readonly store: Store;

	private readonly runIndex: number;

	private readonly asked: string;

	private readonly items = new Map<number, ItemJournal>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly settings: Settings,
	) {
		const { parameters } = context.getNode();
		const options = (parameters.options ?? {}) as Record<string, unknown>;
		this.credential = settings.credential;
		this.presentation = digest(
			stableJson([
				parameters.simplify,
				options.downloadOutput,
				options.outputField,
				options.maxFileSizeMb,
			]),
		);
		this.asked = digest(stableJson(askedFor(parameters, settings.properties)));
		this.runIndex = Number(context.evaluateExpression('{{ $runIndex }}', 0)) || 0;
		this.store = this.open();
		this.store.origin ??= context.getExecutionId();
		for (const asked of Object.values(this.store.items)) Object.values(asked).forEach(claim);
	}

	/** The journal of an item. */
	of(itemIndex: number): ItemJournal {
		let one = this.items.get(itemIndex);
		if (!one) {
			const place = this.placeOf(itemIndex);
			one = new ItemJournal(this.store, place, this.ownerOf(place));
			this.items.set(itemIndex, one);
		}
		return one;
	}

	/** The execution and node that what is remembered belongs to; undefined when nothing is. */
	get remembers(): Pick<Owner, 'execution' | 'node'> | undefined {
		const { isKept, isRemembered } = this.settings;
		return isKept && isRemembered
			? { execution: this.context.getExecutionId(), node: this.context.getNode().id }
			: undefined;
	}

	/** URL of a file uploaded earlier in this execution. */
	uploaded(contentKey: string): string | undefined {
		return this.store.uploads[contentKey];
	}

	rememberUpload(contentKey: string, url: string): void {
		this.store.uploads[contentKey] = url;
	}

	/** Deletes the entries of this run: nothing of it will be retried. */
	clearRun(): void {
		if (!this.settings.isKept) return;
		const prefix = `${this.runIndex}:`;
		for (const key of Object.keys(this.store.items)) {
			if (key.startsWith(prefix)) delete this.store.items[key];
		}
		if (Object.keys(this.store.items).length === 0) this.close();
	}

	private open(): Store {
		const empty: Store = { items: {}, uploads: {} };
		if (!this.settings.isKept) return empty;
		const holder = this.holder();
		return holder ? (holder.segmind ??= empty) : empty;
	}

	/** Nothing is left but, in a retry, whose it is: later rounds of a loop belong to the same origin. */
	private close(): void {
		const holder = this.holder();
		const { origin } = this.store;
		if (!holder) return;
		if (origin === this.context.getExecutionId()) delete holder.segmind;
		else holder.segmind = { origin, items: {}, uploads: {} };
	}

	/** Under the MCP Server Trigger n8n has no node context: getContext throws (docs/n8n.md N135, N136). */
	private holder(): { segmind?: Store } | undefined {
		try {
			return this.context.getContext('node') as { segmind?: Store };
		} catch {
			return undefined;
		}
	}

	private ownerOf(place: Place): Owner | undefined {
		const { remembers } = this;
		if (!remembers) return undefined;
		return {
			...remembers,
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
			asked: this.asked,
		};
	}
}

/** n8n renames a stored file when its execution ends: only the last part of its id lasts (docs/n8n.md N170). */
export function storedName(id: string | undefined): string | undefined {
	return id === undefined ? undefined : (id.split(/[/:]/).pop() ?? id);
}
