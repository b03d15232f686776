import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { JsonBody } from '../../inputs/json';
import type { Inputs } from '../../inputs/readInputs';
import type { Trace } from '../../journal/entry';
import type { Presentation } from '../../output/finishedRequest';
import type { V1Content } from '../../output/v1Answer';
import type { CallSubject } from '../../service/answerErrors';
import type { HttpAnswer, HttpCall } from '../../service/http';
import type { NetworkFault } from '../../service/networkFault';

/** What an item asks the service to make, and how far it may go for it. Never changed. */
export type Submission = Generation | Creation;

interface AnySubmission {
	readonly itemIndex: number;
	readonly url: string;
	/** In the user's words: "model 'x'". */
	readonly subject: string;
	readonly inputs: Inputs;
	/** For `timeoutMs` a rate limit is waited out before acceptance, and a lost response is searched for. */
	readonly presentation: Pick<Presentation, 'options'>;
}

/** A run of a model or a workflow. */
export interface Generation extends AnySubmission {
	/** A success holds where the request is (v2, workflows), or its output (v1). */
	readonly responds: 'reference' | 'output';
	readonly slug: string;
	readonly isWorkflow: boolean;
	/** Goes into every output of the request: `{model: slug}` or `{workflow: slug}`. */
	readonly label: IDataObject;
	/** What such a request costs on average, as published, USD. */
	readonly publishedCost?: number;
	/** Off: the item is the request, not its result. */
	readonly waits: boolean;
	readonly presentation: Presentation;
}

/** An endpoint or a training, charged as long as it exists. The request history doesn't list it, and no rollback is promised (docs/service.md S48). */
export interface Creation extends AnySubmission {
	readonly responds: 'creation';
	/** What its ID is the ID of: "endpoint". */
	readonly idOf: string;
	/** Where a person sees whether it was made after all. */
	readonly whereToLook: string;
	/** What a success says, an ID if it names one; undefined for a response that can't be the service's. */
	readonly read: (response: HttpAnswer) => { id?: string } | undefined;
	/** The output item; without a response for what an earlier attempt made. */
	readonly itemFrom: (id: string | undefined, response?: HttpAnswer) => INodeExecutionData;
}

/** What the errors of its call are about. */
export function aboutSubmission(submission: Submission): CallSubject {
	const { subject } = submission;
	if (submission.responds === 'creation') return { purpose: 'manage', subject };
	if (submission.responds === 'output') return { purpose: 'runV1', subject };
	return { purpose: submission.isWorkflow ? 'workflow' : 'submit', subject };
}

/** A request as it goes out. Made only when it's really sent, because making its body may upload files. */
export interface PreparedRequest {
	readonly body: JsonBody;
	readonly call: HttpCall;
	/** Digest of URL and inputs, files by content. */
	readonly evaluated: string;
	/** Missing for what the request history doesn't list. */
	readonly trace?: Trace;
	/** Timeout of a call that responds with the output itself (v1), ms: the service works on it until then. */
	readonly worksForMs?: number;
}

/** A success, with its output if that is what it holds. */
export interface SubmissionResponse {
	readonly response: HttpAnswer;
	readonly content?: V1Content;
}

/** How a response was lost. */
export type Loss =
	/** With its connection, or in an exception after it went out. */
	| { readonly by: 'connection'; readonly fault: NetworkFault }
	/** The response says nothing about acceptance: a redirect, or an error that didn't end within its size. */
	| { readonly by: 'connection'; readonly response: HttpAnswer }
	/** A gateway responded in place of the service; or a success says nothing that could be used. */
	| { readonly by: 'gateway' | 'unusableResponse'; readonly response: HttpAnswer };
