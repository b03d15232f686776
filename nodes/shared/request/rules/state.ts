/** The types of the rules: what is known of an item's request, what can happen to it, and what can be done next. */
import type { Entry, KeptOutput, TracedCall, RequestRef, SentEntry } from '../../journal/entry';
import type { CompletedRequest, PollOutcome } from '../poll/pollOutcome';
import type { V1Content } from '../../output/v1Response';
import type { SearchResult } from '../search/searchResult';
import type {
	Creation,
	Generation,
	Loss,
	PreparedRequest,
	Submission,
	SubmissionResponse,
} from './submission';

export interface State {
	/** What n8n stores of the request; it survives this attempt. */
	readonly entry?: Entry;
	readonly attempt: Attempt;
	/** Key of the request's reservation in the cost count. */
	readonly reservation?: string;
	/** Entries that earlier attempts left for other parameters. */
	readonly unresumedEntries: readonly Entry[];
}

/** What this attempt has sent. */
export type Attempt =
	| { readonly is: 'none' }
	| ({ readonly is: 'prepared' } & Preparation)
	| ({ readonly is: 'underWay'; readonly id: string } & Preparation)
	| ({ readonly is: 'lost'; readonly id: string; readonly loss: Loss } & Preparation)
	| ({
			readonly is: 'responded';
			readonly id: string;
			readonly response: SubmissionResponse;
	  } & Preparation);

interface Preparation {
	readonly request: PreparedRequest;
	/** For a resend: what the request history shows of the earlier request. */
	readonly searchResult?: SearchResult;
}

/** What can happen to a request. `id` is the ID of the request's call; an event never changes the entry of another call. */
export type Event =
	/** The attempt starts with what earlier ones left: an entry for the same request, or only entries for other requests. */
	| {
			readonly kind: 'resumed';
			readonly entry?: Entry;
			readonly unresumedEntries: readonly Entry[];
	  }
	/** The request's cost is reserved, by this or by an earlier attempt. */
	| { readonly kind: 'reserved'; readonly key: string }
	| ({ readonly kind: 'prepared' } & Preparation)
	/** The call goes out now. */
	| { readonly kind: 'sent'; readonly call: Omit<SentEntry, 'is' | 'earlier'> }
	/** The call certainly wasn't accepted: it was rejected, or never went out. */
	| { readonly kind: 'notAccepted'; readonly id: string }
	/** The response was lost: nobody can tell whether the call was accepted. */
	| { readonly kind: 'lost'; readonly id: string; readonly at: number; readonly loss: Loss }
	/** The service has accepted the call, as the response or a row of the request history shows. */
	| {
			readonly kind: 'accepted';
			readonly id: string;
			readonly at: number;
			readonly ref?: RequestRef;
			/** Undefined if the request history, or a late response to an earlier attempt's call, showed the acceptance. */
			readonly response?: SubmissionResponse;
			readonly isFound?: boolean;
	  }
	/** A status check showed COMPLETED: the request is charged, whatever is seen later. */
	| { readonly kind: 'completed'; readonly id: string }
	/** The result has been fetched. `cost` is in USD; undefined if the service reported none. */
	| { readonly kind: 'finished'; readonly id: string; readonly cost?: number }
	/** The output item was made. `output` is undefined if it's too large to keep and can be fetched again. */
	| { readonly kind: 'delivered'; readonly id: string; readonly output?: KeptOutput }
	/** The request failed, which is free. */
	| { readonly kind: 'failed'; readonly id: string }
	/** The service's record has expired, nobody saw the request end, and the user wants a new request in that case. */
	| { readonly kind: 'expired'; readonly id: string }
	/** The attempt ends, with an item or an error. */
	| { readonly kind: 'closed' };

/** What this attempt has seen since the last event. */
export interface Findings {
	/** What the request history shows of a call whose response was lost. */
	readonly searchResult?: SearchResult;
	/** How the accepted request ended, or that the timeout passed. */
	readonly outcome?: PollOutcome;
	/** Whether the kept output was made with the current presentation parameters, and its stored files still exist. */
	readonly isOutputUsable?: boolean;
}

/** What a kind of call allows, and what the user asked for. */
export interface Policy {
	/** Whether repeating the call does no harm and costs nothing, as for an upload or a change of settings. */
	readonly isIdempotent?: boolean;
	/** The option Send Again If Unsure. */
	readonly sendAgainIfUnsure: boolean;
	/** ID of the credential in use. */
	readonly credential: string;
	/** What is sent; undefined for an action that isn't a request, such as an upload. */
	readonly submission?: Submission;
}

export type Next =
	| { readonly do: 'send' }
	| { readonly do: 'search'; readonly lost: TracedCall }
	/** A row of the history or a late response shows the request; a response may name no ID. */
	| {
			readonly do: 'adopt';
			readonly id: string;
			readonly found: Extract<SearchResult, { kind: 'one' }>;
	  }
	/** Check the status until the request ends. */
	| {
			readonly do: 'poll';
			readonly generation: Generation;
			readonly ref: RequestRef;
			readonly hasCompleted: boolean;
	  }
	/** The earlier request failed or expired: remove its entry, so that a new request can be sent. */
	| { readonly do: 'discardEntry'; readonly id: string; readonly why: 'failed' | 'expired' }
	| ({ readonly do: 'deliver' } & Delivery)
	| { readonly do: 'fail'; readonly why: FailureReason };

/** What the item is made from. */
export type Delivery =
	| { readonly from: 'kept'; readonly output: KeptOutput }
	/** What was created. Without a response, an earlier attempt created it. */
	| {
			readonly from: 'creation';
			readonly creation: Creation;
			readonly id: string;
			readonly ref?: RequestRef;
			readonly response?: SubmissionResponse;
	  }
	/** The output that a v1 call responded with. */
	| {
			readonly from: 'response';
			readonly generation: Generation;
			readonly id: string;
			readonly ref?: RequestRef;
			readonly content: V1Content;
			readonly headers: Record<string, string>;
	  }
	| {
			readonly from: 'result';
			readonly generation: Generation;
			readonly id: string;
			readonly ref: RequestRef;
			readonly result: CompletedRequest;
	  }
	/** The item is the unfinished request itself. */
	| {
			readonly from: 'request';
			readonly generation: Generation;
			readonly ref: RequestRef;
			readonly status: string;
	  };

export type FailureReason =
	/** The request may have been accepted, and must not be resent. */
	| {
			readonly is: 'mayBeAccepted';
			readonly entry: SentEntry;
			readonly searchResult?: SearchResult;
	  }
	/** The request may have been accepted, but another credential sent it, so the request history of this credential proves nothing. */
	| { readonly is: 'sentByAnother' }
	/** The request was charged, but its output wasn't kept, and it has no request ID. */
	| { readonly is: 'outputLost' }
	/** The request ended without a result, or hasn't ended yet. */
	| {
			readonly is: 'noResult';
			readonly id: string;
			readonly ref: RequestRef;
			readonly outcome: Exclude<PollOutcome, CompletedRequest>;
	  };
