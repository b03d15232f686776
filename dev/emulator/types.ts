/** The records that a test reads from the emulator. Times are ms (epoch for points in time), sizes bytes, money USD. */

/** Each has its own loopback listener, so that origin rules are real. The credential doesn't contain `hostile` and `storage`. */
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
	/** When its head arrived, by the clock of the test. */
	at: number;
	origin: OriginName;
	kind: CallKind;
	method: string;
	/** With the query string, as received. */
	path: string;
	/** Lower-case names; repeated headers joined by ", ". */
	headers: Record<string, string>;
	bodyBytes: number;
	/** Parsed JSON, form fields, or undefined. In bodies over 1 MB, texts over 200 characters are cut. */
	body: unknown;
	/** Undefined while open, and if the connection was cut before the response began. */
	status: number | undefined;
	/** The request or fine-tune job that the call created or referred to. */
	requestId?: string;
	/** Name of the fault that hit it. */
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

/** In the order in which a job goes through them, unless it fails. */
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
	at: number;
	event: FineTuneEvent;
	finetuneId: string;
	/** Who sent it: the service, or its test button. */
	origin: 'service' | 'test';
	body: Record<string, unknown>;
	/** Undefined until there is a response; null if there was none. */
	status: number | null | undefined;
}

export interface ApiKeyRecord {
	api_key: string;
	name: string | null;
	created_at: string;
	expiry_date: string | null;
	model_access: unknown;
}
