/** The records that a test reads from the emulator. Times are ms (epoch for points in time), sizes bytes, money USD. */

/** The origins of the service. Each has its own listener, so that tests of the rules about origins are realistic. `hostile` is a foreign origin. */
export const originNames = [
	'api',
	'upload',
	'admin',
	'adminStaging',
	'files',
	'account',
	'console',
	'storage',
	'hostile',
] as const;
export type OriginName = (typeof originNames)[number];

/** The kind of a call. `submit` covers v2 models and workflows, `poll` a `poll_url`. */
export type CallKind =
	| 'submit'
	| 'v1'
	| 'status'
	| 'result'
	| 'poll'
	| 'credits'
	| 'upload'
	| 'models'
	| 'prices'
	| 'history'
	| 'file'
	| 'endpoint'
	| 'finetune'
	| 'storage'
	| 'account'
	| 'console'
	| 'hostile'
	| 'other';

export interface Call {
	/** Position in arrival order, from 0. */
	index: number;
	/** When the head of the call arrived, by the test's clock. */
	at: number;
	origin: OriginName;
	kind: CallKind;
	method: string;
	/** The path with the query, as received. */
	path: string;
	/** Names are in lowercase; repeated headers are joined by ", ". */
	headers: Record<string, string>;
	bodyBytes: number;
	/** The parsed JSON or form, or undefined. In bodies over 1 MB, strings over 200 characters are truncated. */
	body: unknown;
	/** Undefined until the response begins; stays undefined if the connection is cut before that. */
	status: number | undefined;
	/** The ID of the request or fine-tune job that the call created or referred to. */
	requestId?: string;
	/** The name of the fault that affected the call. */
	fault?: string;
}

export interface Leak {
	leak: true;
	origin: OriginName;
	method: string;
	path: string;
	/** Where the secret was: `x-api-key`, `authorization`, `path` or `body`. */
	where: string;
	at: number;
}

export type JobState = 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

/** The states of a fine-tune job that doesn't fail, in order. */
export const fineTuneStates = [
	'REQUESTED',
	'TRAINING_COMPLETED',
	'INFERENCE_QUEUED',
	'AVAILABLE',
] as const;
export type FineTuneState = (typeof fineTuneStates)[number] | 'FAILED';
/** The changes of state that produce events (docs/service.md S360). */
export type FineTuneEvent = Exclude<FineTuneState, 'REQUESTED' | 'FAILED'>;

/** One POST to the registered webhook. */
export interface WebhookDelivery {
	body: Record<string, unknown>;
	/** Undefined until there is a response; null if there won't be one. */
	status: number | null | undefined;
}

export interface ApiKeyRecord {
	api_key: string;
	name: string | null;
	created_at: string;
	expiry_date: string | null;
	model_access: unknown;
}
