import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

/**
 * The life of one creating call: a generation, a workflow run, an upload, an endpoint, a training, a key. Pure: an entry and an event give the
 * next entry, an entry and a policy give what to do. The table stands in docs/architecture.md, and a test walks through it.
 *
 * What must never happen: an accepted request is forgotten; a call that may have been accepted is sent again, unless the request history was
 * searched and by the service's rule the first one is free (a gateway answered), or the user has asked for it.
 */
export type State =
	/** Nothing was sent, or it was refused for free. */
	| 'new'
	/** A call is under way; after a crash or a Stop its outcome is as unknown as a lost answer's. */
	| 'sending'
	/** The service has it. */
	| 'accepted'
	/** Completed, and its output is here or can be fetched again. */
	| 'finished'
	/** The service says that it failed. Free; it keeps its id, since the service itself may try it again. */
	| 'failed'
	/** It may have been accepted: the answer was lost. */
	| 'unknown';

/** How an answer got lost. */
export type Cause =
	/** The connection broke or went silent after sending. */
	| 'connection'
	/** A gateway answered in the place of the service, which by the published rule charges nothing for such an answer. */
	| 'gateway';

/** Where a request can be looked up. Member names are the service's. */
export interface RequestRef {
	request_id: string;
	poll_url?: string;
	status_url?: string;
	response_url?: string;
	/** Slug, when it is known. */
	model?: string;
	workflow?: string;
}

/** A finished item as it left the node, and the digest of the presentation parameters it was made under. */
export interface KeptOutput {
	json: IDataObject;
	binary?: IBinaryKeyData;
	presentation: string;
}

/** The credential a call was made with. */
export interface Maker {
	id: string;
	name: string;
}

/** What a retry must know of an item. Plain JSON, a few hundred bytes without `output`. Times in ms since the epoch. */
export interface Entry {
	state: State;
	/** Tells this sending from equal ones of the same moment. */
	sendingId?: string;
	sentAt?: number;
	/** When its answer was given up. */
	lostAt?: number;
	cause?: Cause;
	/** One digest per member of the body, to recognise it in the request history without keeping it. */
	fingerprint?: Record<string, string>;
	request?: RequestRef;
	acceptedAt?: number;
	/** Its record had expired: the service keeps one for an hour. */
	expired?: true;
	/** What failed, or may have been accepted, before it is sent again: when that is refused, this is what still has to be asked for. */
	earlier?: Entry;
	output?: KeptOutput;
	by?: Maker;
}

export type Event =
	| {
			type: 'sending';
			at: number;
			sendingId?: string;
			fingerprint?: Record<string, string>;
			by?: Maker;
	  }
	/** Certainly not accepted, or refused by the service in its own words. */
	| { type: 'refused' }
	| { type: 'lost'; at: number; cause: Cause }
	/** By the service's answer, or by a row of the request history that is certainly this one. */
	| { type: 'accepted'; at: number; request: RequestRef; by?: Maker }
	| { type: 'failed' }
	| { type: 'expired' }
	| { type: 'finished'; output?: KeptOutput }
	/** A failed or expired request is given up, so that it can be sent again. */
	| { type: 'discarded' };

/** The states in which an event may come. Anything else is a bug in this package, and throws. */
export const TRANSITIONS: Record<Event['type'], Partial<Record<State, State>>> = {
	// What a crash left in `sending`, and what is `unknown`, is sent again only after `decide` and `afterSearch` said so.
	sending: { new: 'sending', sending: 'sending', unknown: 'sending', failed: 'sending' },
	// Before anything was sent it is the end of a try that had given up a failed request.
	refused: { sending: 'new', new: 'new' },
	lost: { sending: 'unknown' },
	accepted: { sending: 'accepted', unknown: 'accepted' },
	failed: { accepted: 'failed', finished: 'failed', failed: 'failed' },
	expired: { accepted: 'accepted', finished: 'finished', failed: 'failed' },
	discarded: { failed: 'new', accepted: 'new' },
	// A call without a request of its own, such as an upload, is finished by its answer.
	finished: { sending: 'finished', accepted: 'finished', finished: 'finished', failed: 'finished' },
};

/** States of a call that may have been accepted without our knowing it. */
const MAYBE_ACCEPTED: ReadonlySet<State> = new Set(['sending', 'unknown']);

/** True for a call that may have been accepted, and nobody knows whether it was. */
export function isOpen({ state }: Entry): boolean {
	return MAYBE_ACCEPTED.has(state);
}

/** The entry after an event. @throws Error when the event cannot come in this state */
export function after(entry: Entry, event: Event): Entry {
	const state = TRANSITIONS[event.type][entry.state];
	if (state === undefined) throw new Error(`${event.type} cannot follow ${entry.state}`);
	switch (event.type) {
		case 'sending':
			return {
				state,
				sendingId: event.sendingId,
				sentAt: event.at,
				fingerprint: event.fingerprint,
				by: event.by,
				earlier: entry.state === 'new' ? entry.earlier : withoutEarlier(entry),
			};
		case 'refused':
			return entry.earlier ?? { state };
		case 'discarded':
			// A failed one may be tried again by the service itself.
			return entry.state === 'failed' ? { state, earlier: withoutEarlier(entry) } : { state };
		case 'lost':
			return { ...entry, state, lostAt: event.at, cause: event.cause };
		case 'accepted': {
			const { by = event.by, sentAt } = entry;
			return { state, sentAt, request: event.request, acceptedAt: event.at, by };
		}
		case 'failed':
			return { ...entry, state, output: undefined };
		case 'expired':
			return { ...entry, state, expired: true };
		case 'finished':
			return { ...entry, state, output: event.output, fingerprint: undefined };
	}
}

function withoutEarlier(entry: Entry): Entry {
	return { ...entry, earlier: undefined };
}

/** What a kind of call allows, and what the user asked for. */
export interface Policy {
	/** Doing it twice does no harm and costs nothing: an upload, a change of settings. */
	isHarmlessTwice: boolean;
	/** The request history knows such calls. */
	searchable: boolean;
	/** The option of the same name: send again what may have been accepted. */
	resubmitWhenUnknown: boolean;
	/** The credential in use now. */
	maker: Maker;
}

export type Decision =
	/** Its output is here. */
	| { do: 'replay'; output: KeptOutput }
	/** It was accepted: ask for it. */
	| { do: 'resume'; request: RequestRef }
	/** It may have been accepted: search the request history first, then `afterSearch`. */
	| { do: 'search' }
	| { do: 'send' }
	| { do: 'refuse'; why: Refusal };

export type Refusal =
	/** It may have been accepted, and the user has not asked for it to be sent again. */
	| 'mayBeAccepted'
	/** The same, and another credential made it: this one's request history says nothing of it. */
	| 'madeByAnother'
	/** It was charged, its output is not here, and nothing is known to ask for. */
	| 'outputLost';

/** What to do for an item before anything is sent. */
export function decide(entry: Entry, policy: Policy): Decision {
	const { output, request } = entry;
	switch (entry.state) {
		case 'new':
			return { do: 'send' };
		case 'finished':
			if (output !== undefined) return { do: 'replay', output };
			return canAsk(request) ? { do: 'resume', request } : { do: 'refuse', why: 'outputLost' };
		case 'accepted':
			return request ? { do: 'resume', request } : { do: 'refuse', why: 'outputLost' };
		case 'failed':
			// Asked for once more, since the service tries again by itself; an id is not always known, as with a v1 call.
			return canAsk(request) ? { do: 'resume', request } : { do: 'send' };
		case 'sending':
		case 'unknown':
			return decideUnknown(entry, policy);
	}
}

function canAsk(request: RequestRef | undefined): request is RequestRef {
	return request !== undefined && request.request_id !== '';
}

function decideUnknown(entry: Entry, policy: Policy): Decision {
	const { isHarmlessTwice, searchable, resubmitWhenUnknown, maker } = policy;
	if (isHarmlessTwice) return { do: 'send' };
	// The two may be of one account: then its history has it.
	if (entry.by !== undefined && entry.by.id !== maker.id && !resubmitWhenUnknown)
		return { do: 'refuse', why: 'madeByAnother' };
	if (searchable && entry.fingerprint !== undefined) return { do: 'search' };
	return resubmitWhenUnknown ? { do: 'send' } : { do: 'refuse', why: 'mayBeAccepted' };
}

/** What the request history said of a call that may have been accepted. */
export type Found =
	| { kind: 'found'; requestId: string }
	/** Read completely, late enough for a row to have appeared: there is none. */
	| { kind: 'none' }
	/** It could not be read completely. */
	| { kind: 'outOfReach' }
	/** Rows that may be it, and may be another's. */
	| { kind: 'ambiguous'; candidates: string[] };

/** What to do for an unknown one after the search; what was found becomes `accepted` and is asked for. */
export function afterSearch(
	{ cause }: Entry,
	found: Exclude<Found, { kind: 'found' }>,
	{ resubmitWhenUnknown }: Policy,
): 'send' | 'refuse' {
	if (found.kind === 'ambiguous') return 'refuse';
	return cause === 'gateway' || resubmitWhenUnknown ? 'send' : 'refuse';
}

/** True when a request that a retry asked for may be sent again: it failed, or it has expired unfinished and the user has asked for that. */
export function mayResubmit(entry: Entry, { resubmitWhenUnknown, maker }: Policy): boolean {
	if (entry.state === 'failed') return true;
	const isOurs = entry.by === undefined || entry.by.id === maker.id;
	return entry.state === 'accepted' && entry.expired === true && resubmitWhenUnknown && isOurs;
}
