/**
 * The emulator's public types: what a test reads from it and what it may order.
 * Times are ms (epoch for points in time), sizes bytes, money USD.
 */

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
	/** When its head arrived, by the emulator's clock. */
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
	/** The request it created or asked about. */
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

/** Given for every job: `model` is the model or workflow slug, `index` the job's index since reset. */
export type JobNumber =
	| number
	| ((model: string, input: Record<string, unknown>, index: number) => number);

/** How a finished v2 result carries its media or text. */
export type ResultShape =
	| 'images'
	| 'video'
	| 'videoArray'
	| 'audio'
	| 'outputUrl'
	| 'outputUrls'
	| 'outputJson'
	| 'outputObject'
	| 'outputNull';

/** `bytes` is what most models do; `json` an object with base64 `image`; `videoUrl` {"status":"Success","video":url}. */
export type V1Shape = 'bytes' | 'base64' | 'base64Array' | 'videoUrl' | 'sam3';

export interface RateLimit {
	/** Calls a window allows. A 429 itself is not counted. */
	perMinute: number;
	/** Length of the fixed window. The first counted call opens the first window. Default 60000. */
	windowMs?: number;
	/** Send `x-rate-limit-remaining` with every counted answer. Default false. */
	sendRemaining?: boolean;
	/** What a 429 says about the reset: ISO or epoch seconds in `x-rate-limit-reset-at-utc`, `Retry-After`, or nothing. Default `iso`. */
	reset?: 'iso' | 'epoch' | 'retryAfter' | 'none';
}

export interface Balance {
	credits: number;
	freeCredits: number;
}

/** Standing orders. `set` changes some; `reset` goes back to those given at start. */
export interface Orders {
	/** QUEUED lasts this long. Fixed when the job is submitted. Default 50. */
	queueMs: JobNumber;
	/** PROCESSING lasts this long. Fixed when the job is submitted. Default 300. */
	jobMs: JobNumber;
	/** How long a v1 call takes; null means queueMs + jobMs. Default null. */
	v1Ms: JobNumber | null;
	/** What a job costs; null means the model's average cost times the images asked for. Default null. */
	cost: JobNumber | null;
	/** Sets the balance at once. Default 100 and 0. */
	balance: Balance;
	/** 404 "No credits found for the user" instead of a balance. Default false. */
	noCreditRecord: boolean;
	rateLimit: RateLimit | null;
	/** A request is known this long after its submission; then 404. Default one hour. */
	recordMs: number;
	/** Result files and assets live this long. Default seven days. */
	fileMs: number;
	/** Off: 404. Default true. */
	history: boolean;
	/** How one history record is answered: bare, under `data`, or as a list of rows. Default `record`. */
	historyRecord: 'record' | 'data' | 'rows';
	/** Type of `request_body` in history rows. Default `object`. */
	historyBody: 'object' | 'text';
	/** Off: 404. Default true. */
	modelList: boolean;
	/** Default `urls`. */
	uploadAnswer: 'urls' | 'file_urls';
	/** Default: what the modality has by the documentation. */
	resultShape: ResultShape | null;
	/** Metrics of a finished job. `ms` is the specification's spelling. Default `full`. */
	metrics: 'full' | 'missing' | 'null' | 'ms';
	/** A status word sent instead of QUEUED and PROCESSING. Default null. */
	progressWord: string | null;
	/** Submit answers point to the hostile origin: all URLs, or those named. Default false. */
	foreignUrls: boolean | Array<'poll_url' | 'status_url' | 'response_url'>;
	/** A job for which it is true fails. Library only. */
	failWhen: ((input: Record<string, unknown>, model: string, index: number) => boolean) | null;
	/** Indexes (since reset) of jobs that fail. Default []. */
	failJobs: number[] | 'all';
	/** The text of an ordered failure. */
	failText: string;
	/** HTTP status under which a FAILED job is told. Default 422. */
	failedStatus: 422 | 200;
	/** `error` as text, `error_message` as object; by default text for v2 and object for workflows. */
	failedError: 'default' | 'text' | 'object';
	/** Default: base64 when the input says `base64: true`, else what the model has. */
	v1Shape: V1Shape | null;
	/** A wrong label for v1 bytes. Default null. */
	v1ContentType: string | null;
	/** Default `text`: JSON as text. */
	workflowOutput: 'text' | 'array' | 'broken';
	/** Which URLs a workflow submit gives: all, only the poll_url, or those of plain requests (/v2/requests/…). Default `all`. */
	workflowUrls: 'all' | 'pollOnly' | 'generic';
	/** Slugs this key may not use: 403. Default []. */
	deniedModels: string[];
	/** `tiny`: small valid files; `real`: media that show the prompt. Default `tiny` (CLI: `real`). */
	media: 'tiny' | 'real';
	/** Makes every result file this long, generated while sent. Default null. */
	fileBytes: number | null;
	/** A bare array, or an object that holds it under `endpoints`. Default `array`. */
	endpointList: 'array' | 'object';
	/** Off: fine-tune jobs are refused with 410, as the deprecated service does. Default true. */
	fineTuneOpen: boolean;
	/** Time from one fine-tune state to the next. Fixed at submit. Default 1000. */
	fineTuneStepMs: number;
	/** Indexes (since reset) of fine-tune jobs that fail. Default []. */
	failFineTunes: number[] | 'all';
	/** How events of fine-tune jobs reach the registered webhook. `forged`, `lateMs` and `order` are fixed at submit. */
	webhooks: Partial<WebhookOrders>;
	/** A refresh also gives a new refresh token and ends the old one. Default false. */
	rotateRefreshToken: boolean;
	/** Lifetime of an access token. Default one hour. */
	accessTokenMs: number;
	/** Account calls a minute; null: no limit. Default null. */
	authPerMinute: number | null;
	/** Token refreshes an hour; null: no limit. Default 10. */
	refreshesPerHour: number | null;
	/** A bare array of keys, or an object that holds it under `api_keys`. Default `array`. */
	keyList: 'array' | 'object';
	/** False: a policy is saved but not live, 202. Default true. */
	cachePurged: boolean;
}

export interface WebhookOrders {
	/** How often each event is delivered, all at the same time. Default 1. */
	copies: number;
	/** How long after the change of state. Default 0. */
	lateMs: number;
	/** `reversed`: all events of a job once it is available, the last one first. Default `inOrder`. */
	order: 'inOrder' | 'reversed';
	/** At submit somebody else delivers AVAILABLE, for the job and for one that does not exist. Default false. */
	forged: boolean;
	/** Where event and job stand in the payload, whose real shape is not published. Default `flat`. */
	shape: 'flat' | 'nested' | 'callback';
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
export interface EmulatorSession {
	[name: string]: string;
	refreshToken: string;
	accessToken: string;
	accountUrl: string;
	consoleUrl: string;
}

/** What may be handed to `fault({ on })`. Over the control path: a kind, a list, or a pattern with `path` as part of the path. */
export type FaultTarget = CallKind | CallKind[] | CallPattern | ((call: Call) => boolean);

export interface CallPattern {
	kind?: CallKind | CallKind[];
	origin?: OriginName;
	method?: string;
	/** Part of the path, or an expression. */
	path?: string | RegExp;
}

/**
 * What happens to the call.
 * - `dropBeforeAccept`: the socket is destroyed, nothing was created.
 * - `dropAfterAccept`: served as usual (job created and charged), then the socket is destroyed without an answer.
 * - `hang`: never answered, nothing created; `hangAfterAccept`: served, never answered.
 * - `{ status, body?, headers? }`: this answer, nothing created (`accept: true`: served first). A text body is text/html.
 * - `{ delayMs }`: answered late, in real time; creating calls are accepted at once.
 * - `{ truncate }`: that many body bytes of the promised length, then the socket is destroyed; `{ stall }`: then nothing more.
 * - `{ trickleMs }`: the body in ten parts, so long apart.
 * - `{ redirect }`: 307, or `status`.
 * - `{ body, contentType? }`: 200 with this body instead; creating calls create their job first.
 */
export type FaultAction =
	| 'dropBeforeAccept'
	| 'dropAfterAccept'
	| 'hang'
	| 'hangAfterAccept'
	| { status: number; body?: unknown; headers?: Record<string, string>; accept?: boolean }
	| { delayMs: number }
	| { truncate: number }
	| { stall: number }
	| { trickleMs: number }
	| { redirect: string; status?: 301 | 302 | 303 | 307 | 308 }
	| { body: unknown; contentType?: string; headers?: Record<string, string> };

export interface FaultSpec {
	on: FaultTarget;
	/** How many calls it hits. Default 1; Infinity (`"always"` in JSON) for all. */
	times?: number | 'always';
	/** Matches let through first. Default 0. */
	after?: number;
	do: FaultAction;
}

export interface FaultHandle {
	/** Calls hit so far. */
	readonly hits: number;
	remove(): void;
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
export interface EmulatorCredentials {
	[name: string]: string;
	apiKey: string;
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
	/** A fresh picture of all jobs, in submission order. */
	readonly jobs: JobView[];
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
