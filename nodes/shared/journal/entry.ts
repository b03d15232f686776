import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

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
	/** Recognises its body in the request history. */
	fingerprint?: Fingerprint;
	/** When its answer was given up; undefined while it is under way, and after a crash. */
	lostAt?: number;
	/** Until when the service may work on a call that answers with the output itself (v1). */
	runsUntil?: number;
	/** A gateway answered in the place of the service, which by the published rule charges nothing for such an answer (docs/service.md S40). */
	gateway?: true;
}

/** The service has it: ask for it. */
interface AcceptedEntry extends AnyEntry {
	is: 'accepted';
	ref: RequestRef;
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

/** A digest of each member of a body, to recognise it without keeping it. */
export type Fingerprint = Record<string, string>;

/** What a kind of call allows, and what the user asked for. */
export interface Policy {
	/** Doing it twice does no harm and costs nothing: an upload, a change of settings. */
	isHarmlessTwice: boolean;
	/** The request history knows such calls. */
	isSearchable: boolean;
	/** The option Send Again If Unsure. */
	sendAgainIfUnsure: boolean;
	/** Id of the credential in use. */
	credential: string;
}

/** What the request history said of a call whose answer was lost. */
export type Searched =
	| { kind: 'one'; requestId: string }
	/** Requests that may be it, and may be another's. */
	| { kind: 'several'; candidates: string[] }
	/** Read completely, late enough for a row to have appeared: neither it nor a candidate is there. */
	| { kind: 'none' }
	/**
	 * Not read completely. `isLasting`: there is no history for this key, so that no later try can read it. `isUnderWay`: it, or an equal call of
	 * this process, still waits for its answer, which will tell.
	 */
	| { kind: 'unread'; isLasting: boolean; isUnderWay?: true };

export type Decision =
	| { do: 'send' }
	/** Its output is here. */
	| { do: 'give'; output: KeptOutput }
	/** It was accepted: ask for it. */
	| { do: 'ask'; ref: RequestRef }
	/** It may have been accepted: search the request history, then decide again. */
	| { do: 'search' }
	| { do: 'accept'; requestId: string }
	| { do: 'refuse'; why: Refusal };

export type Refusal =
	/** It may have been accepted, and the user has not asked for it to be sent again. */
	| 'mayBeAccepted'
	/** The same, and another credential sent it: this one's request history proves nothing. */
	| 'sentByAnother'
	/** It was charged, its output is not here, and nothing is known to ask for. */
	| 'outputLost';

/** What to do for an item before anything is sent. Pure. */
export function decide(entry: Entry | undefined, policy: Policy, searched?: Searched): Decision {
	switch (entry?.is) {
		case undefined:
			return { do: 'send' };
		case 'done':
			if (entry.output) return { do: 'give', output: entry.output };
			return entry.ref?.request_id
				? { do: 'ask', ref: entry.ref }
				: { do: 'refuse', why: 'outputLost' };
		case 'accepted':
			return { do: 'ask', ref: entry.ref };
		case 'sent':
			return decideSent(entry, policy, searched);
	}
}

function decideSent(
	{ by, fingerprint, gateway }: SentEntry,
	{ isHarmlessTwice, isSearchable, sendAgainIfUnsure, credential }: Policy,
	searched?: Searched,
): Decision {
	if (isHarmlessTwice) return { do: 'send' };
	if (by !== credential && !sendAgainIfUnsure) return { do: 'refuse', why: 'sentByAnother' };
	if (isSearchable && fingerprint && searched === undefined) return { do: 'search' };
	if (searched?.kind === 'one') return { do: 'accept', requestId: searched.requestId };
	if (searched?.kind === 'unread' && searched.isUnderWay)
		return { do: 'refuse', why: 'mayBeAccepted' };
	const isFree =
		gateway === true &&
		(searched?.kind === 'none' || (searched?.kind === 'unread' && searched.isLasting));
	return sendAgainIfUnsure || isFree ? { do: 'send' } : { do: 'refuse', why: 'mayBeAccepted' };
}
