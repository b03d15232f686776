import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { HistorySays } from '../base/failure';

/**
 * What a retry must know of one call that creates something: a generation, a workflow run, an upload, an endpoint, a training, a key. No entry:
 * nothing was sent, or what was sent is free and over. Plain JSON, about 1 kB without `output`; times in ms since the epoch.
 *
 * What must never happen: an accepted request is forgotten; a call that may have been accepted is sent again, unless the request history was
 * searched and by the service's rule the first one is free (a gateway answered), or the user has asked for it.
 */
export type Entry = SentEntry | AcceptedEntry | DoneEntry;

interface AnyEntry {
	/** Tells this call from equal ones of the same moment. */
	id: string;
	/** When it was sent; of an accepted one, when it was accepted. */
	at: number;
	/** Digest of the evaluated request: address and body, files by content. */
	evaluated?: string;
}

/** It is under way, or nobody knows what came of it. */
export interface SentEntry extends AnyEntry {
	is: 'sent';
	/** Id of the credential it was sent with. */
	by: string;
	/** How it is recognised in the request history; undefined for a call that no history knows. */
	trace?: Trace;
	/** When its answer was given up; undefined while it is under way, and after a crash. */
	lostAt?: number;
	/** Until when the service may work on a call that answers with the output itself (v1). */
	runsUntil?: number;
	/** A gateway answered in the place of the service, which by the published rule charges nothing for such an answer (docs/service.md S40). */
	gateway?: true;
	/** While it is under way, the one it was sent in the place of: that one counts again when this one certainly was not accepted. */
	earlier?: SentEntry;
}

/** The service has it: ask for it. */
interface AcceptedEntry extends AnyEntry {
	is: 'accepted';
	/** Undefined when its answer named no id. */
	ref?: RequestRef;
}

/** It completed: its output is here, or can be fetched again. */
export interface DoneEntry extends AnyEntry {
	is: 'done';
	ref?: RequestRef;
	output?: KeptOutput;
}

/** Where a request can be looked up. Member names are the service's, but for `submitted_at`. */
export interface RequestRef {
	request_id: string;
	poll_url?: string;
	status_url?: string;
	response_url?: string;
	/** Slug, when it is known. */
	model?: string;
	workflow?: string;
	/** ISO time of its submission, as far as this package knows it: its record lives for an hour. */
	submitted_at?: string;
}

/** A finished item as it left the node, and the digest of the presentation parameters it was made under. */
export interface KeptOutput {
	json: IDataObject;
	binary?: IBinaryKeyData;
	presentation: string;
}

/** What a sent call is recognised by, without its body being kept. */
export interface Trace {
	/** Digest of address and body: equal calls are interchangeable, whichever credential sends them. */
	likeness: string;
	fingerprint: Fingerprint;
}

/** A digest of each member of a body, to recognise it without keeping it. */
export type Fingerprint = Record<string, string>;

/** What happens to a call, and to the request that it becomes. */
export type RequestEvent =
	/** It goes out now. */
	| { kind: 'sent'; call: Omit<SentEntry, 'is' | 'earlier'> }
	/** It certainly was not accepted: it was refused, or never left. `id`: of the call; any other one's entry stays. */
	| { kind: 'notAccepted'; id: string }
	/** Its answer is lost. */
	| { kind: 'lost'; at: number; by: 'connection' | 'gateway' | 'unusableAnswer' }
	/** The service has it, as its answer or a row of the request history says. */
	| { kind: 'accepted'; id: string; at: number; ref?: RequestRef }
	/** Its status says COMPLETED: it is charged, whatever is seen later. */
	| { kind: 'completed' }
	/** Its result is here; what it cost, USD, where the service says so. */
	| { kind: 'finished'; cost?: number }
	/** Its output is an item. Undefined: too large to keep, and it can be fetched again. */
	| { kind: 'delivered'; output?: KeptOutput }
	/** FAILED: free and over. */
	| { kind: 'failed' }
	/** Its record has expired without an end, and the user has asked for another one then. */
	| { kind: 'expired' };

/** What is remembered of a call after an event. Pure. */
export function transition(entry: Entry | undefined, event: RequestEvent): Entry | undefined {
	switch (event.kind) {
		case 'sent':
			return { is: 'sent', ...event.call, earlier: asEarlier(entry) };
		case 'notAccepted':
			return entry?.is === 'sent' && entry.id === event.id ? entry.earlier : entry;
		case 'lost':
			return entry?.is === 'sent' ? lost(entry, event) : entry;
		case 'accepted': {
			const { id, at, ref } = event;
			return { is: 'accepted', id, at, evaluated: entry?.evaluated, ref };
		}
		case 'completed':
		case 'finished':
			return entry?.is === 'accepted' ? { ...entry, is: 'done' } : entry;
		case 'delivered': {
			if (!entry) return undefined;
			const { id, at, evaluated } = entry;
			return { is: 'done', id, at, evaluated, ref: refOf(entry), output: event.output };
		}
		case 'failed':
		case 'expired':
			return entry?.is === 'accepted' ? undefined : entry;
	}
}

/** Of a call that is sent again only the last one before counts. */
function asEarlier(entry: Entry | undefined): SentEntry | undefined {
	return entry?.is === 'sent' ? { ...entry, earlier: undefined } : undefined;
}

function lost(entry: SentEntry, { at, by }: Extract<RequestEvent, { kind: 'lost' }>): SentEntry {
	return {
		...entry,
		earlier: undefined,
		lostAt: at,
		...(by === 'gateway' && { gateway: true as const }),
		// The service itself has answered: it no longer works on it.
		...(by === 'unusableAnswer' && { runsUntil: undefined }),
	};
}

/** Where the request of an entry can be looked up. */
export function refOf(entry: Entry | undefined): RequestRef | undefined {
	return entry === undefined || entry.is === 'sent' ? undefined : entry.ref;
}

/** True for a request that has an address to be asked at. */
export function canBeFetched(ref: RequestRef | undefined): boolean {
	return (ref?.response_url ?? ref?.status_url ?? ref?.poll_url) !== undefined;
}

/** What a kind of call allows, and what the user asked for. */
export interface Policy {
	/** Doing it twice does no harm and costs nothing: an upload, a change of settings. */
	isIdempotent: boolean;
	/** The option Send Again If Unsure. */
	sendAgainIfUnsure: boolean;
	/** Id of the credential in use. */
	credential: string;
	/** This try has sent it already: of what it lost it sends no other. */
	hasSent: boolean;
}

/** What the request history said of a call whose answer was lost. */
export type Searched =
	/** A row that certainly is its own; or its answer came after all, which may name no id (v1). */
	| { kind: 'one'; requestId?: string }
	/** Requests that may be it, and may be another's. */
	| { kind: 'several'; candidates: string[] }
	/** Read completely, late enough for a row to have appeared: neither it nor a candidate is there. */
	| { kind: 'none' }
	/** Not read completely. `isLasting`: there is no history for this key, so that no later try can read it. */
	| { kind: 'unread'; isLasting: boolean }
	/** It, or an equal call of this process, still waits for its answer, which will tell; or the service may be at work on it still. */
	| { kind: 'underWay' };

export type Decision =
	| { do: 'send' }
	/** Its output is here; with a `ref` it can be fetched again. */
	| { do: 'reuse'; output: KeptOutput; ref?: RequestRef }
	/** It was accepted: wait for its end. Without a `ref` there is nothing to ask for. */
	| { do: 'wait'; ref?: RequestRef }
	/** The request history shows that it was accepted, or its late answer, which may name no id. */
	| { do: 'adopt'; requestId?: string }
	| { do: 'refuse'; why: Refusal };

export type Refusal =
	/** It may have been accepted, and the user has not asked for it to be sent again. */
	| 'mayBeAccepted'
	/** The same, and another credential sent it: this one's request history proves nothing. */
	| 'sentByAnother'
	/** It was charged, its output is not here, and nothing is known to ask for. */
	| 'outputLost';

/** What the request history must be searched for before it can be decided; undefined when it need not be, or does not know such calls. */
export function needsSearch(entry: Entry | undefined, policy: Policy): LostCall | undefined {
	if (entry?.is !== 'sent' || policy.isIdempotent || isForeign(entry, policy)) return undefined;
	return entry.trace && { ...entry, trace: entry.trace };
}

/** A call that may have been accepted, and by what it is recognised. */
export type LostCall = SentEntry & Required<Pick<SentEntry, 'trace'>>;

/** What to do for an item. `searched`: what the history said, where `needsSearch`. */
export function decide(entry: Entry | undefined, policy: Policy, searched?: Searched): Decision {
	switch (entry?.is) {
		case undefined:
			return { do: 'send' };
		case 'done':
			if (entry.output) return { do: 'reuse', output: entry.output, ref: entry.ref };
			return entry.ref ? { do: 'wait', ref: entry.ref } : { do: 'refuse', why: 'outputLost' };
		case 'accepted':
			return { do: 'wait', ref: entry.ref };
		case 'sent':
			return decideSent(entry, policy, searched);
	}
}

function decideSent(entry: SentEntry, policy: Policy, searched?: Searched): Decision {
	if (policy.isIdempotent) return { do: 'send' };
	if (isForeign(entry, policy)) return { do: 'refuse', why: 'sentByAnother' };
	if (searched?.kind === 'one') return { do: 'adopt', requestId: searched.requestId };
	const isFree =
		entry.gateway === true &&
		(searched?.kind === 'none' || (searched?.kind === 'unread' && searched.isLasting));
	const maySend = !policy.hasSent && searched?.kind !== 'underWay';
	return maySend && (policy.sendAgainIfUnsure || isFree)
		? { do: 'send' }
		: { do: 'refuse', why: 'mayBeAccepted' };
}

function isForeign({ by }: SentEntry, { credential, sendAgainIfUnsure }: Policy): boolean {
	return by !== credential && !sendAgainIfUnsure;
}

/** How an accepted request ended, as far as the service says. */
type Ending =
	| { kind: 'failed' | 'finished' | 'timeUp' }
	| { kind: 'missing'; isExpired: boolean; history: HistorySays };

/**
 * What makes room for another request in the place of one that an earlier try had accepted, by what is seen now: it failed, which is free and
 * final (docs/service.md S94), or it has expired unfinished and the user has asked for that.
 */
export function makesRoom(
	entry: Entry | undefined,
	{ sendAgainIfUnsure, hasSent }: Policy,
	ending: Ending,
): 'failed' | 'expired' | undefined {
	if (hasSent || entry?.is !== 'accepted') return undefined;
	if (ending.kind === 'failed') return 'failed';
	if (ending.kind !== 'missing' || !ending.isExpired || !sendAgainIfUnsure) return undefined;
	return ending.history === 'none' || ending.history === 'unfinished' ? 'expired' : undefined;
}
