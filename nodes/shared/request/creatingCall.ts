import type { IDataObject } from 'n8n-workflow';

import { digest, stableJson } from '../base/hash';
import type { JsonBody } from '../inputs/json';
import type { ItemRecord } from '../journal/journal';
import type { Policy } from '../journal/lifecycle';
import type { Likeness } from '../journal/submissions';
import type { Reservation } from '../run/costLimit';
import type { Session } from '../run/session';
import type { CallSubject } from '../service/answerErrors';

/** A call of one item that starts something at the service. */
export interface CreatingCall {
	itemIndex: number;
	record: ItemRecord;
	url: string;
	/** In the user's words: "model 'x'". */
	subject: string;
	purpose: CallSubject['purpose'];
	/** Goes into every output of the request: `{model: slug}` or `{workflow: slug}`. */
	label: IDataObject;
	/** Slug, to look a lost submission up by; '' when the request history does not know such calls. */
	slug: string;
	/** The body, made only when it is really sent, since making it may upload files. */
	makeBody: () => Promise<JsonBody>;
	/** What is asked for, evaluated, files by content: the same value for the same request. Only needed in manual runs. */
	identity: () => Promise<unknown>;
	/** Limit of the call itself, ms. */
	callLimitMs?: number;
	/** Set where the call answers with the output itself (v1): the service then works on during the call. */
	isV1?: true;
	/** How long 429 and 503 may be waited out before acceptance, ms. */
	patienceMs: number;
	resubmitWhenUnknown: boolean;
	/** Least balance to start with, USD. */
	minimumBalance?: number;
	/** Most that this execution of the node may spend, USD; and what such a request costs on average, as published. */
	maximumCost?: number;
	publishedCost?: number;
	/** Its place in the count of costs, once it is sent. */
	reservation?: Reservation;
	/** What is known of the model and contradicts a body, a sentence each. */
	contradictions?: (body: Record<string, unknown>) => string[];
	/** The body that was sent by this execution. */
	sentBody?: Record<string, unknown>;
	/** Set for what is made outside the inference API: an endpoint, a training. */
	managed?: ManagedResource;
}

/** A call that no request history knows, and for which no rollback is promised. */
interface ManagedResource {
	/** What its id is the id of: "endpoint". */
	idOf: string;
	/** Where a person sees whether it was made after all. */
	whereToLook: string;
}

/** What the lifecycle is asked with. */
export function policyOf(session: Session, call: CreatingCall): Policy {
	return {
		isHarmlessTwice: false,
		searchable: call.slug !== '',
		resubmitWhenUnknown: call.resubmitWhenUnknown,
		maker: session.client.credential,
	};
}

/** What the call is recognised by among the submissions of this process: `fingerprint` is that of its body. */
export function likenessOf(
	session: Session,
	{ url }: CreatingCall,
	fingerprint: Record<string, string>,
): Likeness {
	const alike = digest(stableJson([url, fingerprint]));
	return { alike, key: digest(stableJson([session.client.credential.id, alike])) };
}
