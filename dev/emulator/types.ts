/**
 * The emulator's public types: what a test reads from it and what it may order.
 * Times are ms (epoch for points in time), sizes bytes, money USD.
 */

import type { FaultHandle, FaultSpec } from './faultTypes';
import type { Balance, Orders } from './orderTypes';

export type * from './faultTypes';
export type * from './orderTypes';

/** One loopback listener each, so that origin rules are real. `hostile` and `storage` are not the credential's. */
export type OriginName =
	| 'api'
	| 'upload'
	| 'admin'
	| 'adminStaging'
	| 'files'
	| 'account'
	| 'console'
	| 'storage'
	| 'hostile';

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
] as const satisfies readonly OriginName[];

/** What a call asks for. `submit` covers v2 models and workflows, `poll` a `poll_url`. */
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

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

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
	/** Undefined while open, and when the connection was cut before an answer began. */
	status: number | undefined;
	/** The request, or the fine-tune job, it created or asked about. */
	requestId?: string;
	/** The fault that hit it, in words. */
	fault?: string;
}

export interface Leak {
	leak: true;
	origin: OriginName;
	method: string;
	path: string;
	/** Where the secret stood: `x-api-key`, `authorization`, `path` or `body`. */
	where: string;
	at: number;
}

export type JobState = 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

export interface JobView {
	index: number;
	requestId: string;
	via: 'v2' | 'v1' | 'workflow';
	/** Set for v1 and v2. */
	model?: string;
	/** Set for workflows. */
	workflow?: string;
	input: Record<string, unknown>;
	state: JobState;
	submittedAt: number;
	/** Undefined while unfinished. */
	finishedAt: number | undefined;
	/** What the job costs if it completes. */
	cost: number;
	/** What was taken for it: `cost` once COMPLETED, else 0. */
	charged: number;
	/** Result files fetched, counted at each GET. */
	downloads: number;
	error?: string;
	/** Result file addresses, in order. */
	files: string[];
}

/** A request that another process or person makes on the same account: it has no call, no charge and no entry among `jobs`. */
export interface ElsewhereRequest {
	/** Slug of a model or of a published workflow. */
	slug: string;
	/** Ignored for workflows. Default v2. */
	via?: 'v2' | 'v1';
	/** Equal to another request's body, or with more members. */
	input: Record<string, unknown>;
	/** By the service's clock; nobody knows the request before. Default now. */
	submittedAt?: number;
	/** From submission to the end. Default queueMs + jobMs. */
	durationMs?: number;
	/** How long after its submission it appears in the history. Default 0. */
	lateMs?: number;
	/** Why it fails. Default: it completes. */
	failure?: string;
	/** E-mail address of another user of the team: in the history's list, but not found by its id. Default: the account's own. */
	user?: string;
}

/** A dedicated endpoint, field for field as the list answers it. */
export interface EndpointRecord {
	endpoint_id: string;
	endpoint_name: string;
	model_name: string;
	workers_min: number;
	workers_max: number;
	idle_timeout: number;
	execution_timeout: number;
	scaler_type: string;
	scaler_value: number;
	gpu_id: string;
	status: string;
	created_at: string;
}

export type FineTuneState =
	| 'REQUESTED'
	| 'TRAINING_COMPLETED'
	| 'INFERENCE_QUEUED'
	| 'AVAILABLE'
	| 'FAILED';

export type FineTuneEvent = Extract<
	FineTuneState,
	'TRAINING_COMPLETED' | 'INFERENCE_QUEUED' | 'AVAILABLE'
>;

/** One POST to the registered webhook. */
export interface WebhookDelivery {
	at: number;
	event: FineTuneEvent;
	finetuneId: string;
	/** Who sent it: the service, its test button, or somebody who knows the address. */
	origin: 'service' | 'test' | 'forger';
	body: Record<string, unknown>;
	/** Undefined until answered, null when no answer came. */
	status: number | null | undefined;
}

export interface FineTuneView {
	finetuneId: string;
	name: string;
	state: FineTuneState;
	/** The submit body as sent. */
	body: Record<string, unknown>;
	public: boolean;
	/** Callable as a model once AVAILABLE. */
	slug: string;
	error: string | null;
}

/** A file on the storage origin. */
export interface StoredObject {
	url: string;
	bytes: number;
	public: boolean;
}

export interface ApiKeyRecord {
	api_key: string;
	name: string | null;
	created_at: string;
	expiry_date: string | null;
	model_access: unknown;
}

/** Field for field what the n8n credential `segmindSessionApi` takes. */
interface EmulatorSession {
	[name: string]: string | true;
	refreshToken: string;
	accessToken: string;
	customAddresses: true;
	accountUrl: string;
	consoleUrl: string;
}

export interface EmulatorOptions extends Partial<Orders> {
	/** First of consecutive ports; 0 or absent: any free ports. */
	port?: number;
	/** Default SG_0123456789abcdef. */
	key?: string;
	/** Default Date.now. Jobs, records and rate windows follow it; v1 calls and `delayMs` also need real time. */
	clock?: () => number;
}

/** Field for field what the n8n credential `segmindApi` takes. */
interface EmulatorCredentials {
	[name: string]: string | true;
	apiKey: string;
	customAddresses: true;
	baseUrl: string;
	uploadUrl: string;
	endpointAdminUrl: string;
	endpointAdminStagingUrl: string;
}

export interface Emulator {
	/** Origins without a trailing slash. */
	readonly urls: Readonly<Record<OriginName, string>>;
	readonly key: string;
	readonly credentials: EmulatorCredentials;
	/** The refresh token that is good now; the access token is left empty, to be fetched. */
	readonly session: EmulatorSession;
	readonly endpoints: { production: EndpointRecord[]; staging: EndpointRecord[] };
	readonly fineTunes: FineTuneView[];
	/** Address of the one webhook; null when there is none. */
	readonly webhook: string | null;
	/** What was sent to it, in order. */
	readonly deliveries: readonly WebhookDelivery[];
	/** Throws when one is registered already, and for an address that is not on loopback. Real time only: a driven clock delivers nothing. */
	registerWebhook(url: string): void;
	/** Throws when there is none. */
	removeWebhook(): void;
	/** The console's test button: a sample payload. Throws when there is none. */
	testWebhook(): void;
	/** What was uploaded to presigned URLs, in order. */
	readonly stored: StoredObject[];
	readonly apiKeys: ApiKeyRecord[];
	/** Every call in arrival order, control calls left out. */
	readonly calls: Call[];
	callsOf(kind: CallKind, ...more: CallKind[]): Call[];
	/** How many calls of each kind there were. */
	readonly counts: Partial<Record<CallKind, number>>;
	/** A fresh picture of all jobs, in submission order. */
	readonly jobs: JobView[];
	/** Gives its request id. Throws for an unknown slug. */
	submitElsewhere(request: ElsewhereRequest): string;
	/** As the credits call would tell it: reserved amounts are off. */
	readonly balance: Balance;
	/** Sum of what completed jobs cost. */
	readonly charged: number;
	/** Secrets that arrived where they should not. Must be [] in a good run. */
	readonly leaks: Leak[];
	set(orders: Partial<Orders>): void;
	fault(spec: FaultSpec): FaultHandle;
	/** Removes every fault. */
	clearFaults(): void;
	/** Initial orders, no records, no jobs, no faults; held calls are dropped. */
	reset(): void;
	/** Resolves when no call is open. */
	idle(): Promise<void>;
	/** Stops listening at one origin (connections are refused), until `listen`. */
	refuse(origin: OriginName): Promise<void>;
	listen(origin: OriginName): Promise<void>;
	/** Destroys every socket and timer. Safe to call twice. */
	close(): Promise<void>;
}
