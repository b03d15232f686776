import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { digest, stableJson } from '../base/hash';
import { askedFor } from './askedFor';
import { after, type Entry, type Event, type Maker } from './lifecycle';
import { memory, type Owner } from './memory';
import { submissions } from './submissions';

/** What n8n keeps of this node across the tries of Retry On Fail and across Retry of a failed execution (docs/n8n.md N134). Plain JSON. */
interface Store {
	/** The execution that wrote it first. */
	origin?: string;
	entries: Record<string, Entry>;
	/** Uploaded files of this execution: content key to hosted URL. */
	uploads: Record<string, string>;
}

/** Largest inline files kept of an output that can be fetched again, bytes. */
const INLINE_LIMIT = 5 * 1024 * 1024;

/** The journal's place of one item: its entry, and the only way to change it. */
export class ItemRecord {
	constructor(
		private readonly store: Store,
		private readonly owner: Owner | undefined,
		private readonly key: string,
	) {
		this.reconcile();
	}

	get entry(): Entry {
		return this.store.entries[this.key] ?? { state: 'new' };
	}

	/** Takes the entry one event further. @throws Error when the event cannot come in its state */
	apply(event: Event): void {
		this.set(after(this.entry, event));
	}

	/** It completed: its output is kept, unless it is large and can be fetched again. */
	finish(item: INodeExecutionData, presentation = ''): void {
		const { json, binary } = item;
		const inlineBytes = Object.values(binary ?? {}).reduce(
			(sum, file) => sum + (file.id ? 0 : file.data.length * 0.75),
			0,
		);
		const canFetch = Boolean(this.entry.request?.response_url ?? this.entry.request?.poll_url);
		const output =
			inlineBytes > INLINE_LIMIT && canFetch ? undefined : { json, binary, presentation };
		this.apply({ type: 'finished', output });
	}

	/**
	 * The evaluated request of a manual run: takes over what an ended run of the same step in the editor was accepted for, asked for exactly the
	 * same and has not delivered. Returns the ids of requests left behind there that asked for something else.
	 */
	takeOver(evaluated: string): string[] {
		const { owner } = this;
		if (!owner?.isManual) return [];
		const left = this.entry.state === 'new' ? memory.leftBehind(owner) : [];
		const equal = left.find((other) => other.evaluated === evaluated);
		this.evaluated = evaluated;
		this.set(equal ? memory.take(equal, owner) : this.entry);
		return equal
			? []
			: left.flatMap(({ entry }) => (entry.request?.request_id ? [entry.request.request_id] : []));
	}

	/** It left the node as a good item: asked for again, it is made again; but a retry of the same execution asks for the same. */
	delivered(): void {
		if (this.owner && !this.owner.isRetry) memory.forget(this.owner);
	}

	private evaluated?: string;

	private set(entry: Entry): void {
		if (entry.state === 'new' && !entry.earlier) delete this.store.entries[this.key];
		else this.store.entries[this.key] = entry;
		if (entry.request) submissions.claim(entry.request.request_id);
		if (this.owner) memory.note(this.owner, entry, this.evaluated);
	}

	/** Of what n8n stored and what this process remembers the later one counts: a retry may start from an old snapshot (docs/n8n.md N137, N141). */
	private reconcile(): void {
		if (!this.owner) return;
		const remembered = memory.ofOrigin(this.owner);
		if (remembered && latest(remembered.entry) > latest(this.entry))
			this.set(memory.take(remembered, this.owner));
	}
}

function latest({ acceptedAt, sentAt }: Entry): number {
	return acceptedAt ?? sentAt ?? 0;
}

interface Settings {
	/** The node's parameters, as its description lists them. */
	properties: readonly INodeProperties[];
	/** The credential in use. */
	maker: Maker;
	/** Off for calls that no retry resumes: entries are then of this call alone. */
	isKept: boolean;
	/** Off for the tools of an agent: each of its calls asks for something new. */
	isRemembered: boolean;
}

/**
 * What a retry must know of a node's items. The key of an item is what the node is set up to ask for, unevaluated, and the item that came in:
 * inside an execution and its retries n8n freezes everything upstream, so a random seed or a fresh upload URL does not look like a new request.
 */
export class Journal {
	readonly maker: Maker;

	/** Digest of how outputs are presented; one made under another presentation is fetched again. */
	readonly presentation: string;

	private readonly store: Store;

	private readonly runIndex: number;

	private readonly asked: string;

	private readonly records = new Map<number, ItemRecord>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly settings: Settings,
	) {
		const { parameters } = context.getNode();
		const options = (parameters.options ?? {}) as Record<string, unknown>;
		this.maker = settings.maker;
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
		// Whoever else looks for a lost request must not take these for it.
		for (const { request } of Object.values(this.store.entries))
			if (request) submissions.claim(request.request_id);
	}

	record(itemIndex: number, item: INodeExecutionData): ItemRecord {
		let record = this.records.get(itemIndex);
		if (!record) {
			const key = this.keyOf(itemIndex, item);
			record = new ItemRecord(this.store, this.ownerOf(itemIndex, key), key);
			this.records.set(itemIndex, record);
		}
		return record;
	}

	/** The execution and node that what is remembered belongs to; undefined when nothing is. */
	get place(): Pick<Owner, 'execution' | 'node'> | undefined {
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
		for (const key of Object.keys(this.store.entries)) {
			if (key.startsWith(prefix)) delete this.store.entries[key];
		}
		if (Object.keys(this.store.entries).length === 0) this.close();
	}

	private open(): Store {
		const empty: Store = { entries: {}, uploads: {} };
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
		else holder.segmind = { origin, entries: {}, uploads: {} };
	}

	/** Under the MCP Server Trigger n8n has no node context: getContext throws (docs/n8n.md N135, N136). */
	private holder(): { segmind?: Store } | undefined {
		try {
			return this.context.getContext('node') as { segmind?: Store };
		} catch {
			return undefined;
		}
	}

	private ownerOf(itemIndex: number, key: string): Owner | undefined {
		if (!this.place) return undefined;
		return {
			...this.place,
			origin: this.store.origin ?? '',
			workflow: this.context.getWorkflow().id ?? '',
			position: `${this.runIndex}:${itemIndex}`,
			key,
			isManual: this.context.getMode() === 'manual',
			isRetry: this.context.getMode() === 'retry',
		};
	}

	private keyOf(itemIndex: number, item: INodeExecutionData): string {
		const binaries = Object.entries(item.binary ?? {}).map(([name, file]) => [
			name,
			storedName(file.id) ?? digest(file.data),
			file.mimeType,
			file.fileName ?? '',
		]);
		return `${this.runIndex}:${itemIndex}:${digest(this.asked + stableJson([item.json, binaries]))}`;
	}
}

/** n8n renames a stored file when its execution ends: only the last part of its id lasts (docs/n8n.md N170). */
export function storedName(id: string | undefined): string | undefined {
	return id === undefined ? undefined : (id.split(/[/:]/).pop() ?? id);
}
