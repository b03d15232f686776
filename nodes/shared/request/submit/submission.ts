import type { IDataObject } from 'n8n-workflow';

import { digest, stableJson } from '../../base/hash';
import type { JsonBody } from '../../inputs/json';
import type { Fingerprint, Policy } from '../../journal/entry';
import type { ItemJournal } from '../../journal/journal';
import type { Options } from '../../run/options';
import type { Session } from '../../run/session';
import type { CallSubject } from '../../service/answerErrors';

/** What an item asks the service to make, and how far it may go for it. Never changed. */
export interface Submission {
	readonly itemIndex: number;
	readonly url: string;
	/** In the user's words: "model 'x'". */
	readonly subject: string;
	readonly purpose: CallSubject['purpose'];
	/** Goes into every output of the request: `{model: slug}` or `{workflow: slug}`. */
	readonly label: IDataObject;
	/** Slug, to look a lost one up by; undefined when the request history does not know such calls. */
	readonly slug?: string;
	/** The body, made only when it is really sent, since making it may upload files. */
	readonly makeBody: () => Promise<JsonBody>;
	/** What is asked for, evaluated, files by content: the same value for the same request. */
	readonly identity: () => Promise<unknown>;
	/** Limit of a call that answers with the output itself (v1), ms: the service works on it until then. */
	readonly worksForMs?: number;
	/** How far it may go. For `timeoutMs` 429 and 503 are waited out before acceptance, and a lost answer is searched for. */
	readonly options: Options;
	/** What such a request costs on average, as published, USD. */
	readonly publishedCost?: number;
	/** What is known of the model and contradicts a body, a sentence each. */
	readonly contradictions?: (body: Record<string, unknown>) => string[];
	/** Slugs like the model's, for one that the service does not know. */
	readonly nearest?: () => string[];
	/** Set for what is made outside the inference API: an endpoint, a training. */
	readonly managed?: ManagedResource;
}

/** A call that no request history knows, and for which no rollback is promised (docs/service.md S48). */
interface ManagedResource {
	/** What its id is the id of: "endpoint". */
	readonly idOf: string;
	/** Where a person sees whether it was made after all. */
	readonly whereToLook: string;
}

export function journalOf(session: Session, { itemIndex }: Submission): ItemJournal {
	return session.journal.of(itemIndex);
}

/** What `decide` is asked with. */
export function policyOf(session: Session, submission: Submission): Policy {
	return {
		isHarmlessTwice: false,
		isSearchable: submission.slug !== undefined,
		sendAgainIfUnsure: submission.options.sendAgainIfUnsure,
		credential: session.journal.credential,
	};
}

/** The same for equal requests, whatever their files are called or where they went up. */
export async function evaluatedDigest({ url, identity }: Submission): Promise<string> {
	return digest(stableJson([url, await identity()]));
}

/** The same for calls that are interchangeable: address and body. */
export function likenessOf({ url }: Submission, fingerprint: Fingerprint): string {
	return digest(stableJson([url, fingerprint]));
}
