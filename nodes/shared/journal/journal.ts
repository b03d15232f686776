import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { SegmindFailure } from '../base/failure';
import { digest, stableJson } from '../base/hash';
import { failureFrom } from '../errors/failures';
import { say } from '../errors/say';
import { canFetch, type RequestRef } from '../service/requestRef';
import type { Entry, KeptOutput, Output } from './entry';
import { memory, type MemorySlot } from './memory';
import { makingParametersOf, requestParametersOf } from './requestParameters';

/** What n8n stores of this node across Retry On Fail and across a retry of a failed execution (docs/n8n.md N134). Plain JSON. */
interface Store {
	version: number;
	/** The execution that created the store. A retry of it has another ID, but keeps this one. */
	origin?: string;
	/** By item: run index, item index, digest of the input item, and how many equal items come before it. */
	items: Record<string, Entry>;
	/** Uploaded files of this execution: content key to hosted URL. */
	uploads: Record<string, string>;
}

/** Of the form of the store, its keys and digests. A change of one needs another number. */
const STORE_VERSION = 1;

/** An output with larger inline files isn't kept if it can be fetched again. */
const MAX_INLINE_BYTES = 5 * 1024 * 1024;

/** The journal of one item: what earlier attempts left, and the only way to change it. */
export class ItemJournal {
	/** The entry that this attempt has resumed, or written last; undefined if there is none. */
	entry?: Entry;

	constructor(
		private readonly store: Store,
		/** See `Store.items`. */
		private readonly key: string,
		private readonly parametersDigest: string,
		/** Undefined if the memory keeps nothing of this run. */
		readonly slot: MemorySlot | undefined,
	) {}

	/** Writes the entry to n8n's storage and to the memory of this process. */
	write(newEntry: Entry | undefined): void {
		const entry = newEntry && { ...newEntry, parametersDigest: this.parametersDigest };
		this.entry = entry;
		if (entry) this.store.items[this.key] = entry;
		else delete this.store.items[this.key];
		if (!this.slot) return;
		if (entry) memory.store(this.slot, entry);
		else memory.forget(this.slot);
	}

	/** The service has reported COMPLETED, which is charged. `cost`: as reported with the result, in USD. */
	noteCompletion(cost: number | undefined): void {
		const { entry } = this;
		if (entry?.is !== 'accepted') return;
		this.write({ ...entry, hasCompleted: true, cost: cost ?? entry.cost });
	}

	/** The entry that earlier attempts left for the same input and the same unevaluated parameters. */
	get sameEntry(): Entry | undefined {
		const entries = this.slot?.isStep ? [this.storedEntry] : this.leftEntries;
		return entries.find((entry) => entry?.parametersDigest === this.parametersDigest);
	}

	/**
	 * The entries that earlier attempts left for this item, the latest first: in n8n's storage and, in a retry or in the editor, in the memory. A retry may
	 * start from an old snapshot (docs/n8n.md N137, N141). Only n8n's storage has an output that is large or can be fetched again.
	 */
	get leftEntries(): Entry[] {
		const { slot, storedEntry: stored } = this;
		const remembered = slot ? memory.find(slot) : [];
		if (!stored) return remembered;
		const hasOutput = stored.is === 'accepted' && stored.output !== undefined;
		const latest = remembered.map((entry) =>
			hasOutput && entry.id === stored.id ? stored : entry,
		);
		// A remembered entry is the later state of the stored one, which must not be found under the parameters it had before.
		const all = latest.some(({ id }) => id === stored.id) ? latest : [...latest, stored];
		// In queue mode, another process may have sent a later request.
		return all.sort((one, other) => other.at - one.at);
	}

	private get storedEntry(): Entry | undefined {
		return this.store.items[this.key];
	}
}

/** Returns the part of an output that is kept for retries; undefined if it's large and can be fetched again. */
export function outputToKeep(
	{ json, binary, files }: Output,
	ref?: RequestRef,
	presentationDigest = '',
): KeptOutput | undefined {
	const inlineBytes = Object.values(binary ?? {}).reduce(
		(sum, file) => sum + (file.id ? 0 : file.data.length * 0.75),
		0,
	);
	return inlineBytes > MAX_INLINE_BYTES && canFetch(ref)
		? undefined
		: { json, binary, files, presentationDigest };
}

interface JournalSettings {
	/** The node's parameters, as its description lists them. */
	properties: readonly INodeProperties[];
	/** ID of the credential in use. */
	credentialId: string;
	/** False if no retry resumes the calls of this node: the entries end with this run. */
	isKept: boolean;
	/** False for an agent's tool: each call of an agent is a new request. */
	isRemembered: boolean;
}

/**
 * What a retry must know of a node's items. The key of an entry is the run index, the item's index and the input item; the entry names the node's
 * unevaluated parameters. During an execution and its retries n8n freezes everything upstream, so a random seed or a fresh upload URL doesn't look like a new request.
 */
export class Journal {
	readonly credentialId: string;

	/** Digest of the presentation parameters. An output that was made with other parameters is fetched again. */
	readonly presentationDigest: string;

	private readonly store: Store;

	/** How often the node has run before in this execution. */
	readonly runIndex: number;

	private readonly parametersDigest: string;

	private readonly items = new Map<number, ItemJournal>();

	/** The digest of each input item, and how many equal ones come before it. Made when the first item is looked up: some nodes never do. */
	private inputs?: readonly string[];

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly settings: JournalSettings,
	) {
		const { parameters } = context.getNode();
		this.credentialId = settings.credentialId;
		this.presentationDigest = digest(stableJson(makingParametersOf(parameters)));
		this.parametersDigest = digest(
			stableJson(requestParametersOf(parameters, settings.properties)),
		);
		this.runIndex = Number(context.evaluateExpression('{{ $runIndex }}', 0));
		this.store = this.openStore();
		this.store.origin ??= context.getExecutionId();
	}

	/** All requests that earlier attempts left in n8n's storage. Times in ms since the epoch. */
	get storedRequests(): Array<{ requestId: string; acceptedAt: number }> {
		return Object.values(this.store.items).flatMap((entry) => {
			const ref = entry.is === 'accepted' ? entry.ref : undefined;
			return ref ? [{ requestId: ref.request_id, acceptedAt: entry.at }] : [];
		});
	}

	/** Returns the journal of an item. */
	ofItem(itemIndex: number): ItemJournal {
		let itemJournal = this.items.get(itemIndex);
		if (!itemJournal) {
			const position = `${this.runIndex}:${itemIndex}`;
			this.inputs ??= numbered(this.context.getInputData().map(inputDigest));
			const input = this.inputs[itemIndex];
			const key = `${position}:${input}`;
			const slot = this.slotOf(position, input, key);
			itemJournal = new ItemJournal(this.store, key, this.parametersDigest, slot);
			this.items.set(itemIndex, itemJournal);
		}
		return itemJournal;
	}

	/** Returns the URL of a file that was uploaded earlier in this execution; undefined if it wasn't. */
	urlOfUpload(contentKey: string): string | undefined {
		return this.store.uploads[contentKey];
	}

	rememberUpload(contentKey: string, url: string): void {
		this.store.uploads[contentKey] = url;
	}

	/**
	 * The run ends. Unless it throws, a later run makes the delivered items again. Clears the entries if nothing can be retried: all items succeeded, or
	 * failures became items, for which n8n doesn't run the node again.
	 */
	end({ delivered, throwsError, mayRunAgain }: RunEnd): void {
		const isRetry = this.context.getMode() === 'retry';
		// n8n lets users retry a failed execution again, whether the earlier retry succeeded or failed.
		const isMadeAgain = !throwsError && !isRetry;
		if (!throwsError && !mayRunAgain) this.closeStore();
		for (const [at, { slot }] of this.items) {
			if (!slot) continue;
			slot.hasEnded = true;
			if (isMadeAgain && delivered.has(at)) memory.forget(slot);
			else memory.release(slot);
		}
	}

	private openStore(): Store {
		const holder = this.settings.isKept ? this.storeHolder() : undefined;
		if (!holder) return emptyStore();
		holder.segmind ??= emptyStore();
		if (holder.segmind.version !== STORE_VERSION) throw otherVersionFailure();
		return holder.segmind;
	}

	/** Removes the store. A retry keeps its origin, because later loop runs belong to the same origin. */
	private closeStore(): void {
		const holder = this.storeHolder();
		const { origin } = this.store;
		if (!holder) return;
		if (origin === this.context.getExecutionId()) delete holder.segmind;
		else holder.segmind = emptyStore(origin);
	}

	/** Returns the object that has the store. Undefined under the MCP Server Trigger, where getContext throws (docs/n8n.md N135). */
	private storeHolder(): { segmind?: Store } | undefined {
		try {
			return this.context.getContext('node') as { segmind?: Store };
		} catch {
			return undefined;
		}
	}

	/**
	 * Returns where the memory keeps an item. In the editor, the items of a step may have changed since its last run: others may have been removed before
	 * this one, or its input may have changed in a field that isn't sent.
	 */
	private slotOf(position: string, input: string, key: string): MemorySlot | undefined {
		if (!this.settings.isRemembered) return undefined;
		const { id: node } = this.context.getNode();
		const { id: workflow } = this.context.getWorkflow();
		const retryKey = ['retry', this.store.origin, node, key].join('|');
		const isStep = this.context.getMode() === 'manual' && Boolean(workflow);
		const stepKeys = [position, `${this.runIndex}:${input}`];
		const keys = isStep
			? [...stepKeys.map((stepKey) => ['step', workflow, node, stepKey].join('|')), retryKey]
			: [retryKey];
		return {
			keys,
			isStep,
			execution: this.context.getExecutionId(),
			hasEnded: false,
			hasStored: false,
		};
	}
}

/** Returns the error of a retry that can't read what an earlier attempt has stored, and so doesn't know what that sent. */
function otherVersionFailure(): SegmindFailure {
	return failureFrom('unknownOutcome', {
		what: say`An earlier attempt ran with another version of this package, which stored its requests in another form`,
		charge: 'perhaps',
		next: say`Look for its requests with Get Many before you run the workflow again.`,
		outcomeUnknown: true,
	});
}

function emptyStore(origin?: string): Store {
	return { version: STORE_VERSION, origin, items: {}, uploads: {} };
}

/** Adds to each text how many equal ones come before it. */
function numbered(texts: readonly string[]): string[] {
	const counts = new Map<string, number>();
	return texts.map((text) => {
		const count = counts.get(text) ?? 0;
		counts.set(text, count + 1);
		return `${text}:${count}`;
	});
}

function inputDigest({ json, binary }: INodeExecutionData): string {
	// Code of a user may have left out the content.
	const binaries = Object.entries(binary ?? {}).map(([name, { id, data = '', ...file }]) => [
		name,
		storedName(id) ?? digest(data),
		file.mimeType,
		file.fileName ?? '',
	]);
	return digest(stableJson([json, binaries]));
}

/** How a run of the node ends. */
interface RunEnd {
	/** The indexes of the items that were delivered. */
	delivered: ReadonlySet<number>;
	/** Whether the run throws an error, so that n8n may retry it. */
	throwsError: boolean;
	/** Whether n8n may run the node again in the same execution. */
	mayRunAgain: boolean;
}

/** Returns the last part of a stored file's ID. n8n renames a stored file when its execution ends, but keeps this part. */
export function storedName(id: string | undefined): string | undefined {
	return id === undefined ? undefined : (id.split(/[/:]/).pop() ?? id);
}
