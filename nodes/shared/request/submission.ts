import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { digest, stableJson } from '../base/hash';
import type { JsonBody } from '../inputs/json';
import { identityOfInputs, type Inputs } from '../inputs/readInputs';
import type { Trace } from '../journal/entry';
import type { Presentation } from '../output/finishedRequest';
import type { V1Content } from '../output/v1Answer';
import type { Session } from '../run/session';
import type { CallSubject } from '../service/answerErrors';
import type { HttpAnswer, HttpCall } from '../service/http';
import type { NetworkFault } from '../service/networkFault';

/** What an item asks the service to make, and how far it may go for it. Never changed. */
export type Submission = Generation | Creation;

interface AnySubmission {
	readonly itemIndex: number;
	readonly url: string;
	/** In the user's words: "model 'x'". */
	readonly subject: string;
	readonly inputs: Inputs;
	/** How far it may go: for `timeoutMs` 429 and 503 are waited out before acceptance, and a lost answer is searched for. */
	readonly presentation: Pick<Presentation, 'options'>;
}

/** A model's or a workflow's run. */
export interface Generation extends AnySubmission {
	/** With a reference by which it is asked for (v2, workflows), or with the output itself (v1). */
	readonly answers: 'reference' | 'output';
	readonly slug: string;
	readonly isWorkflow: boolean;
	/** Goes into every output of the request: `{model: slug}` or `{workflow: slug}`. */
	readonly label: IDataObject;
	/** What such a request costs on average, as published, USD. */
	readonly publishedCost?: number;
	/** False: the item is the request, not what it makes. */
	readonly waits: boolean;
	readonly presentation: Presentation;
}

/** Something that is made at the service, paid as long as it exists: an endpoint, a training. No request history knows it, and no rollback is promised (docs/service.md S48). */
export interface Creation extends AnySubmission {
	readonly answers: 'creation';
	/** What its id is the id of: "endpoint". */
	readonly idOf: string;
	/** Where a person sees whether it was made after all. */
	readonly whereToLook: string;
	/** What a success says, an id if it names one; undefined for an answer that cannot be the service's. */
	readonly read: (answer: HttpAnswer) => { id?: string } | undefined;
	/** The output item; without an answer for what an earlier try made. */
	readonly itemFrom: (id: string | undefined, answer?: HttpAnswer) => INodeExecutionData;
}

/** What the errors of its call are about. */
export function aboutSubmission(submission: Submission): CallSubject {
	const { subject } = submission;
	if (submission.answers === 'creation') return { purpose: 'manage', subject };
	if (submission.answers === 'output') return { purpose: 'runV1', subject };
	return { purpose: submission.isWorkflow ? 'workflow' : 'submit', subject };
}

/** The same for equal requests, whatever their files are called or where they went up. */
export async function evaluatedDigest(
	session: Session,
	{ url, inputs }: Submission,
): Promise<string> {
	return digest(stableJson([url, await identityOfInputs(session, inputs)]));
}

/** A request as it goes out. Made when nothing else stands in its way, since making its body may upload files. */
export interface PreparedRequest {
	readonly body: JsonBody;
	readonly call: HttpCall;
	readonly evaluated: string;
	readonly trace?: Trace;
	/** Limit of a call that answers with the output itself (v1), ms: the service works on it until then. */
	readonly worksForMs?: number;
}

/** What a success answered: the answer, and what it holds where it is the output itself. */
export interface Answered {
	answer: HttpAnswer;
	content?: V1Content;
}

/** How an answer was lost. */
export type Loss =
	/** With its connection, or in an error that did not end within its size. */
	| { by: 'connection'; fault: NetworkFault }
	| { by: 'connection'; fault?: undefined; answer: HttpAnswer }
	/** A gateway answered in the place of the service; or a success says nothing that could be used. */
	| { by: 'gateway' | 'unusableAnswer'; answer: HttpAnswer };
