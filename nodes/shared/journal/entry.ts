import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { RequestRef } from '../service/requestRef';

/**
 * What n8n stores of one call that creates or changes something: a generation, a workflow run, an upload, an endpoint, a fine-tune job, a key. Without
 * an entry, nothing was sent, or what was sent was rejected or failed, and is free. Plain JSON, about 1 kB without `output`; times in ms since the epoch.
 */
export type Entry = SentEntry | AcceptedEntry;

interface EntryBase {
	/** Distinguishes this call from equal calls of the same moment. */
	id: string;
	/** When the call was sent; in an accepted entry, when it was accepted. */
	at: number;
	/** Digest of the evaluated request: URL and inputs, files by content. */
	requestDigest?: string;
	/** Digest of the node's unevaluated parameters that determine the request. The journal sets it. */
	parametersDigest?: string;
}

/** The call is under way, or its response was lost and nobody can tell whether it was accepted. */
export interface SentEntry extends EntryBase {
	is: 'sent';
	/** ID of the credential that sent the call. */
	credentialId: string;
	/** Digest of slug and body: equal calls are interchangeable, whichever credential sends them. Undefined for what isn't in the request history. */
	callDigest?: string;
	/** Recognizes the call in the request history. Undefined for what isn't in the request history. */
	fingerprint?: Fingerprint;
	/** When the node stopped waiting for the response; undefined while the call is under way, and after a crash. */
	lostAt?: number;
	/** A gateway responded in place of the service, so by the published rule the call isn't charged (`isFreeAfterGateway`). */
	isFree?: boolean;
	/** Segmind responded with an error in place of a result (version 1), which may be charged. No search can tell more. */
	refusal?: Refusal;
	/** While a resend is under way, the entry of the earlier call. It's restored if the resend certainly wasn't accepted. */
	earlier?: SentEntry;
}

export interface Refusal {
	reason: string;
	requestId?: string;
}

/** The service has accepted the call. */
interface AcceptedEntry extends EntryBase {
	is: 'accepted';
	/** Undefined if the response named no ID. */
	ref?: RequestRef;
	/** Whether the service has reported COMPLETED, which is charged. */
	hasCompleted?: true;
	/** The cost that Segmind reported with the result, in USD. */
	cost?: number;
	output?: KeptOutput;
}

/** A file of an output: its binary field, which is missing if the file wasn't downloaded, and its URL, which is missing if it came as bytes. */
export interface OutputFile {
	field: string;
	url?: string;
}

/** An output as it's made and kept, before it's arranged into the items that leave the node (`output/arrangement.ts`). */
export interface Output {
	json: IDataObject;
	binary?: IBinaryKeyData;
	/** In order; undefined if the output has no result yet. */
	files?: OutputFile[];
}

/** An output, and the digest of the presentation parameters that it was made with. */
export interface KeptOutput extends Output {
	presentationDigest: string;
}

/** A digest of each member of a body, to recognize the body without keeping it. */
export type Fingerprint = Record<string, string>;
