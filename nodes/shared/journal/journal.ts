import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import type { RequestRef } from '../request/requestRef';
import { digest, stableJson } from '../base/hash';

/**
 * What a retry must know of an item (design.md section 4, Journal). Lives in the node context, which n8n keeps across Retry On Fail tries
 * and across Retry of a failed execution (platform fact 12). Plain JSON.
 */
export interface JournalEntry {
	/** `sending`: a creating call is under way, or was when everything ended; its outcome is unknown. */
	state: 'new' | 'sending' | 'accepted' | 'finished';
	/** When the creating call was sent, ms since the epoch, and on which body: to find it again in the request history. */
	sentAt?: number;
	fingerprint?: Record<string, string>;
	request?: RequestRef;
	acceptedAt?: number;
	/** The item as it was put out, and the digest of the presentation parameters it was made under. */
	output?: { json: IDataObject; binary?: IBinaryKeyData; presentation: string };
	/** Set when a finished output was too large to keep: the id of the request it can be fetched by, if any. */
	notKept?: true;
}

interface JournalStore {
	entries: Record<string, JournalEntry>;
	/** Uploaded files of this execution: content key to hosted URL. */
	uploads: Record<string, string>;
	/** Ids of requests that were bought afresh since, because they failed. */
	replaced?: string[];
}

/** Parameters that say how to wait or present, not what to buy: changing them before a retry must not buy again. */
const PRESENTATION_PARAMETERS = ['options', 'simplify', 'waitForCompletion'];

/** Largest inline binary content kept in the journal, bytes. */
const INLINE_LIMIT = 5 * 1024 * 1024;

export class Journal {
	private readonly store: JournalStore;

	private readonly runIndex: number;

	private readonly base: string;

	/** Items whose creating call has no answer yet. */
	private readonly underWay = new Set<JournalEntry>();

	/** Digest of how outputs are presented; a finished output made under another one is fetched again. */
	readonly presentation: string;

	/** `kept` off: entries are of this call alone, for calls that no retry resumes. */
	constructor(
		private readonly context: IExecuteFunctions,
		credentialName: string,
		private readonly kept: boolean,
	) {
		const node = context.getNode();
		const job: Record<string, unknown> = { ...node.parameters };
		const presentation = PRESENTATION_PARAMETERS.map((name) => job[name]);
		for (const name of PRESENTATION_PARAMETERS) delete job[name];
		this.presentation = digest(stableJson(presentation));
		this.base = digest(stableJson([job, node.credentials?.[credentialName]?.id ?? null]));
		this.runIndex = Number(context.evaluateExpression('{{ $runIndex }}', 0)) || 0;
		const holder = kept ? (context.getContext('node') as { segmind?: JournalStore }) : {};
		this.store = holder.segmind ??= { entries: {}, uploads: {} };
	}

	/** The entry of an item; made when there is none. Same raw parameters, credential and input give the same entry. */
	entry(itemIndex: number, item: INodeExecutionData): JournalEntry {
		const key = this.key(itemIndex, item);
		return (this.store.entries[key] ??= { state: 'new' });
	}

	/** True when something was sent for an item that a retry of this execution does not send again. */
	holds(itemIndex: number, item: INodeExecutionData): boolean {
		return (this.store.entries[this.key(itemIndex, item)]?.state ?? 'new') !== 'new';
	}

	/** Forgets what was bought for an item, so that it is submitted afresh. */
	renew(entry: JournalEntry): void {
		const id = entry.request?.request_id;
		if (id) (this.store.replaced ??= []).push(id);
		for (const member of Object.keys(entry) as Array<keyof JournalEntry>) delete entry[member];
		entry.state = 'new';
	}

	/** Makes the creating call of an item. Until it is answered, what it buys is known to nobody. */
	async whileUnderWay<T>(entry: JournalEntry, call: () => Promise<T>): Promise<T> {
		this.underWay.add(entry);
		try {
			return await call();
		} finally {
			this.underWay.delete(entry);
		}
	}

	/** Since when another item may be buying the very same, ms since the epoch; Infinity when none is. */
	equalUnderWaySince(fingerprint: Record<string, string>): number {
		const members = Object.entries(fingerprint);
		const equal = [...this.underWay].filter((other) =>
			members.every(([name, value]) => other.fingerprint?.[name] === value),
		);
		return Math.min(...equal.map(({ sentAt = Infinity }) => sentAt));
	}

	/** Keeps a finished output; binaries as references to n8n's store, inline bytes only up to 5 MB. */
	finish(entry: JournalEntry, output: INodeExecutionData): void {
		entry.state = 'finished';
		const inlineBytes = Object.values(output.binary ?? {}).reduce(
			(sum, file) => sum + (file.id ? 0 : file.data.length * 0.75),
			0,
		);
		if (inlineBytes > INLINE_LIMIT) {
			entry.notKept = true;
			return;
		}
		entry.output = { json: output.json, binary: output.binary, presentation: this.presentation };
	}

	/** URL of a file uploaded earlier in this execution. */
	uploaded(contentKey: string): string | undefined {
		return this.store.uploads[contentKey];
	}

	rememberUpload(contentKey: string, url: string): void {
		this.store.uploads[contentKey] = url;
	}

	/** Request ids that belong, or belonged, to an item of this execution: the history search must not hand them out twice. */
	claimedIds(): Set<string> {
		const ids = Object.values(this.store.entries).flatMap((entry) =>
			entry.request?.request_id ? [entry.request.request_id] : [],
		);
		return new Set([...ids, ...(this.store.replaced ?? [])]);
	}

	/** Deletes the entries of this run; only for a run without a failed item. */
	clearRun(): void {
		if (!this.kept) return;
		const prefix = `${this.runIndex}:`;
		for (const key of Object.keys(this.store.entries)) {
			if (key.startsWith(prefix)) delete this.store.entries[key];
		}
		if (Object.keys(this.store.entries).length === 0)
			delete (this.context.getContext('node') as { segmind?: JournalStore }).segmind;
	}

	private key(itemIndex: number, item: INodeExecutionData): string {
		const binaries = Object.entries(item.binary ?? {}).map(([name, file]) => [
			name,
			file.id ?? digest(file.data),
			file.mimeType,
			file.fileName ?? '',
		]);
		return `${this.runIndex}:${itemIndex}:${digest(this.base + stableJson([item.json, binaries]))}`;
	}
}

/** A digest a member: enough to recognise a body in the history without keeping it. */
export function fingerprintOf(body: Record<string, unknown>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [name, digest(stableJson(value))]),
	);
}
