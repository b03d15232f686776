import type { Entry, KeptOutput, LostCall, RequestRef, SentEntry } from '../../journal/entry';
import type { Completed, Ended } from '../poll/ended';
import type { V1Content } from '../../output/v1Answer';
import type { Searched } from '../search/searched';
import type {
	Creation,
	Generation,
	Loss,
	PreparedRequest,
	Submission,
	SubmissionResponse,
} from './submission';

/** What is known of an item's request, what can happen to it, and what can be done about it. `step.ts` and `next.ts` hold the rules. */

export interface State {
	/** What n8n stores: it outlives this attempt. */
	readonly entry?: Entry;
	readonly attempt: Attempt;
	/** Key of its reservation in the cost count. */
	readonly reservation?: string;
	/** Entries of earlier attempts that asked for something else. */
	readonly left: readonly Entry[];
}

/** What this attempt has sent; it ends with the attempt. */
export type Attempt =
	| { readonly is: 'none' }
	| ({ readonly is: 'prepared' } & Prepared)
	| ({ readonly is: 'underWay'; readonly id: string } & Prepared)
	| ({ readonly is: 'lost'; readonly id: string; readonly loss: Loss } & Prepared)
	| ({
			readonly is: 'responded';
			readonly id: string;
			readonly response: SubmissionResponse;
	  } & Prepared);

interface Prepared {
	readonly request: PreparedRequest;
	/** What the request history shows of the earlier request that this one is sent again for. */
	readonly searched?: Searched;
}

/** What happens to a call, and to the request that it becomes. `id`: of the call; the entry of another call stays as it is. */
export type Event =
	/** Earlier attempts left the same request, or only others. */
	| { readonly kind: 'resumed'; readonly entry?: Entry; readonly left: readonly Entry[] }
	/** It has a place in the cost count, which may be that of an earlier attempt. */
	| { readonly kind: 'reserved'; readonly key: string }
	| ({ readonly kind: 'prepared' } & Prepared)
	/** It goes out now. */
	| { readonly kind: 'sent'; readonly call: Omit<SentEntry, 'is' | 'earlier'> }
	/** It certainly wasn't accepted: it was rejected, or never left. */
	| { readonly kind: 'notAccepted'; readonly id: string }
	/** Nobody can tell whether it was accepted. */
	| { readonly kind: 'lost'; readonly id: string; readonly at: number; readonly loss: Loss }
	/** The service has accepted it, as its response or a row of the request history shows. */
	| {
			readonly kind: 'accepted';
			readonly id: string;
			readonly at: number;
			readonly ref?: RequestRef;
			/** Missing when the request history or the response to an earlier attempt showed it. */
			readonly response?: SubmissionResponse;
			readonly isFound?: boolean;
	  }
	/** Its status is COMPLETED: it's charged, whatever is seen later. */
	| { readonly kind: 'completed'; readonly id: string }
	/** Its result is here. `cost`: USD, if the service reported it. */
	| { readonly kind: 'finished'; readonly id: string; readonly cost?: number }
	/** Its output is an item. Undefined: too large to keep, and it can be fetched again. */
	| { readonly kind: 'delivered'; readonly id: string; readonly output?: KeptOutput }
	/** FAILED: free and over. */
	| { readonly kind: 'failed'; readonly id: string }
	/** Its record has expired, it was never seen to end, and the user wants another one then. */
	| { readonly kind: 'expired'; readonly id: string }
	/** This attempt is over, with an item or an error. */
	| { readonly kind: 'closed' };

/** What this attempt has seen since the last event. */
export interface Seen {
	/** What the request history shows of a call whose response was lost. */
	readonly searched?: Searched;
	/** How the accepted request ended, or that the timeout has passed. */
	readonly ended?: Ended;
	/** Whether the kept output is what is asked for now, and its stored files still exist. */
	readonly isOutputGood?: boolean;
}

/** What a kind of call allows, and what the user asked for. */
export interface Policy {
	/** Doing it twice does no harm and costs nothing: an upload, a change of settings. */
	readonly isIdempotent?: boolean;
	/** The option Send Again If Unsure. */
	readonly sendAgainIfUnsure: boolean;
	/** Id of the credential in use. */
	readonly credential: string;
	/** What is sent; missing for an action without a request, such as an upload. */
	readonly submission?: Submission;
}

export type Next =
	| { readonly do: 'send' }
	| { readonly do: 'search'; readonly lost: LostCall }
	/** The request is known: by a row of the history, or by a late response, which may name no ID. */
	| {
			readonly do: 'adopt';
			readonly id: string;
			readonly found: Extract<Searched, { kind: 'one' }>;
	  }
	/** Wait for its end. */
	| {
			readonly do: 'poll';
			readonly generation: Generation;
			readonly ref: RequestRef;
			readonly hasCompleted: boolean;
	  }
	/** The earlier request is over: another one takes its place. */
	| { readonly do: 'makeRoom'; readonly id: string; readonly why: 'failed' | 'expired' }
	| ({ readonly do: 'deliver' } & Delivery)
	| { readonly do: 'fail'; readonly why: FailureReason };

/** What the item is made from. */
export type Delivery =
	| { readonly from: 'kept'; readonly output: KeptOutput }
	/** What was created; without a response, by an earlier attempt. */
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
			readonly result: Completed;
	  }
	/** The item is the request. */
	| {
			readonly from: 'request';
			readonly generation: Generation;
			readonly ref: RequestRef;
			readonly status: string;
	  };

export type FailureReason =
	/** It may have been accepted, and the user hasn't asked for it to be sent again. */
	| { readonly is: 'mayBeAccepted'; readonly entry: SentEntry; readonly searched?: Searched }
	/** The same, and another credential sent it: this one's request history proves nothing. */
	| { readonly is: 'sentByAnother' }
	/** It was charged, its output isn't here, and its request has no ID. */
	| { readonly is: 'outputLost' }
	/** It ended without a result, or hasn't ended yet. */
	| {
			readonly is: 'ended';
			readonly id: string;
			readonly ref: RequestRef;
			readonly ended: Exclude<Ended, Completed>;
	  };
