import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

/**
 * What n8n stores of one call that creates or changes something: a generation, a workflow run, an upload, an endpoint, a training, a key. Without an
 * entry nothing was sent, or what was sent is free and over. Plain JSON, about 1 kB without `output`; times in ms since the epoch.
 */
export type Entry = SentEntry | AcceptedEntry | DoneEntry;

interface AnyEntry {
	/** Tells this call from equal ones of the same moment. */
	id: string;
	/** When it was sent; of an accepted one, when it was accepted. */
	at: number;
	/** Digest of the evaluated request: URL and body, files by content. */
	evaluated?: string;
}

/** It's under way, or its response was lost and nobody can tell whether it was accepted. */
export interface SentEntry extends AnyEntry {
	is: 'sent';
	/** Id of the credential it was sent with. */
	by: string;
	/** How the request history recognizes it; undefined for a call that the history doesn't list. */
	trace?: Trace;
	/** When its response was given up; undefined while it's under way, and after a crash. */
	lostAt?: number;
	/** Until when the service may work on a call that responds with the output itself (v1). */
	runsUntil?: number;
	/** A gateway responded in place of the service, which by the published rule charges nothing for it (docs/service.md S40). */
	gateway?: true;
	/** While it's under way, the one it was resent for: that one counts again if this one certainly wasn't accepted. */
	earlier?: SentEntry;
}

/** The service has accepted it. */
interface AcceptedEntry extends AnyEntry {
	is: 'accepted';
	/** Undefined when its response named no ID. */
	ref?: RequestRef;
}

/** It completed: its output is here, or can be fetched again. */
export interface DoneEntry extends AnyEntry {
	is: 'done';
	ref?: RequestRef;
	output?: KeptOutput;
}

/** Where a request can be looked up. Member names are the service's, except for `submitted_at`. */
export interface RequestRef {
	request_id: string;
	poll_url?: string;
	status_url?: string;
	response_url?: string;
	/** Slug, if it's known. */
	model?: string;
	workflow?: string;
	/** ISO time of its submission, as far as this package knows it: the service keeps its record for an hour. */
	submitted_at?: string;
}

/** A finished item as it left the node, and the digest of the presentation parameters it was made under. */
export interface KeptOutput {
	json: IDataObject;
	binary?: IBinaryKeyData;
	presentation: string;
}

/** What the request history is searched for, without keeping the body. */
export interface Trace {
	/** Digest of URL and body: equal calls are interchangeable, whichever credential sends them. */
	likeness: string;
	fingerprint: Fingerprint;
}

/** A digest of each member of a body, to recognize it without keeping it. */
export type Fingerprint = Record<string, string>;

/** A call whose response was lost, and how the request history recognizes it. */
export type LostCall = SentEntry & Required<Pick<SentEntry, 'trace'>>;

/** The call of an entry, if it may be in the request history and nobody can tell whether it was accepted. */
export function lostCallOf(entry: Entry | undefined): LostCall | undefined {
	return entry?.is === 'sent' && entry.trace ? { ...entry, trace: entry.trace } : undefined;
}

/** Where the request of an entry can be looked up. */
export function refOf(entry: Entry | undefined): RequestRef | undefined {
	return entry === undefined || entry.is === 'sent' ? undefined : entry.ref;
}

/** The URL of the light status call (docs/service.md S84, S85). */
export function statusUrl(ref: RequestRef): string | undefined {
	return ref.status_url ?? ref.poll_url;
}

/** The URL of the result (docs/service.md S104). */
export function resultUrl(ref: RequestRef): string | undefined {
	return ref.response_url ?? ref.status_url?.replace(/\/status\/?(?=$|\?)/, '') ?? ref.poll_url;
}

/** Whether the status of a request can be checked, and its result fetched. */
export function canFetch(ref: RequestRef | undefined): boolean {
	return ref !== undefined && (statusUrl(ref) ?? resultUrl(ref)) !== undefined;
}
