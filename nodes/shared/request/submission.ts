import type { IDataObject } from 'n8n-workflow';

import type { JsonBody } from '../inputs/json';
import type { Inputs } from '../inputs/readInputs';
import type { Trace } from '../journal/entry';
import type { Presentation } from '../output/finishedRequest';
import type { V1Content } from './oneCall';
import type { CallSubject } from '../service/responseErrors';
import type { CallOutcome, HttpResponse, HttpCall } from '../service/http';

/** What an item asks Segmind to make, and the options for it: a run of a model or a workflow. Never changed. */
export interface Submission {
	readonly itemIndex: number;
	readonly url: string;
	/** In the user's words: "model 'x'". */
	readonly subject: string;
	readonly inputs: Inputs;
	/** Whether a successful response refers to the request (v2, workflows) or holds its output (v1). */
	readonly responds: 'reference' | 'output';
	readonly slug: string;
	readonly isWorkflow: boolean;
	/** Part of every output item: `{model: slug}` or `{workflow: slug}`. */
	readonly madeBy: IDataObject;
	/** Published average cost of a request to this model or workflow, in USD. */
	readonly publishedCost?: number;
	/** False if the item is the unfinished request instead of its result. */
	readonly waits: boolean;
	/** `timeoutMs` also limits waiting for the rate limit before acceptance, and searching for a lost response. */
	readonly presentation: Presentation;
}

/** Returns what an error about a submission's call names. */
export function callSubjectOfSubmission({
	subject,
	responds,
	isWorkflow,
}: Submission): CallSubject {
	if (responds === 'output') return { purpose: 'runV1', subject };
	return { purpose: isWorkflow ? 'workflow' : 'submit', subject };
}

/** A request, ready to be sent. It's made at the last moment, because making its body may upload files. */
export interface PreparedRequest {
	readonly body: JsonBody;
	readonly call: HttpCall;
	/** Digest of URL and inputs, files by content. */
	readonly evaluated: string;
	readonly trace: Trace;
}

/** A successful response, with its output if it holds one. */
export interface SubmissionResponse {
	readonly response: HttpResponse;
	readonly content?: V1Content;
}

/** The call that an attempt has sent, unless it certainly wasn't accepted. */
export interface SentCall {
	readonly loss?: Loss;
	readonly response?: SubmissionResponse;
}

/** How a response was lost. */
export interface Loss {
	/**
	 * `connection`: the connection broke, an exception occurred after the call went out, or the response says nothing about acceptance: a redirect, or an
	 * error response that exceeded its size limit. `gateway`: a gateway responded instead of the service. `unusableResponse`: a successful response.
	 */
	readonly by: 'connection' | 'gateway' | 'unusableResponse';
	readonly outcome: CallOutcome;
}

/** What the search for a call whose response was lost has shown. */
export type SearchResult =
	/** Rows that may be the call's own, but may also be another item's. */
	| { readonly kind: 'several'; readonly candidates: string[] }
	/** The history was read completely and late enough: neither the request nor a candidate is there. */
	| { readonly kind: 'none' }
	/** The history wasn't read completely. `isLasting`: this key has no history, so no retry can read it either. */
	| { readonly kind: 'unread'; readonly isLasting: boolean }
	/** The call, or an equal one of this process, still waits for its response. */
	| { readonly kind: 'underWay' };
