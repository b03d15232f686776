/** What a test may order of the service, and the shapes its answers can take. Times are ms, sizes bytes, money USD. */

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
	| 'outputNull'
	/** `output` is there and empty. */
	| 'outputEmptyText'
	| 'outputEmptyList'
	| 'outputEmptyObject'
	/** Every member that could carry something is null. */
	| 'allNull'
	/** `{"image_output": url}` (by kind), without status, id or metrics: a shape that nobody published. */
	| 'unnamed';

/** `bytes` is what most models do; `json` an object with base64 `image`; `videoUrl` {"status":"Success","video":url}. */
export type V1Shape = 'bytes' | 'base64' | 'base64Array' | 'videoUrl' | 'sam3';

export interface RateLimit {
	/** Calls a window allows. A 429 itself is not counted. */
	perMinute: number;
	/** Length of the fixed window. The first counted call opens the first window. Default 60000. */
	windowMs?: number;
	/** Send `x-rate-limit-remaining` with every counted answer. Default false. */
	sendRemaining?: boolean;
	/** Tell the reset with every counted answer too, not only with a 429. Default false. */
	sendReset?: boolean;
	/** What a 429 says about the reset: ISO or epoch seconds in `x-rate-limit-reset-at-utc`, `Retry-After`, or nothing. Default `iso`. */
	reset?: 'iso' | 'epoch' | 'retryAfter' | 'none';
}

/**
 * Where an answer holds its list: it is the list, or it holds it under a name, under a name in `data`, or under a
 * name after an empty list of errors.
 */
export type ListPlace = 'array' | 'object' | 'data' | 'afterErrors';

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
	/** The service's clock minus the test's: everything it tells and does by time goes by it, the calls recorded do not. Best set before any job. Default 0. */
	clockAheadMs: number;
	/** Off: 404. Default true. */
	history: boolean;
	/** How one history record is answered: bare, under `data`, or as a list of rows. Default `record`. */
	historyRecord: 'record' | 'data' | 'rows';
	/** Type of `request_body` in history rows. Default `object`. */
	historyBody: 'object' | 'text';
	/** Rows in the order asked for, or newest first, oldest first or mixed (the same on every page) whatever was asked. Default `asked`. */
	historyOrder: 'asked' | 'newestFirst' | 'oldestFirst' | 'mixed';
	/** How long after its submission a request appears in the history, in the list and by its id. Default 0. */
	historyLateMs: JobNumber;
	/** Which rows `model_name` lets through: of this slug, of every slug that contains it, or all. Default `equal`. */
	historyModelFilter: 'equal' | 'contains' | 'ignored';
	/** The most rows on a page, whatever `per_page` says; null: as asked. Default null. */
	historyPageRows: number | null;
	/** How times are written: 2026-11-21T10:00:00.000Z, the same without a zone (UTC, microseconds), Sat, 21 Nov 2026 10:00:00 GMT, or epoch numbers. Default `iso`. */
	historyDates: 'iso' | 'isoWithoutZone' | 'gmt' | 'epochSeconds' | 'epochMs';
	/** Changes each row of the history before it is answered; `endsAt` says when the job ends, ms since the epoch. Default null. */
	historyRow: ((row: Record<string, unknown>, endsAt: number) => Record<string, unknown>) | null;
	/** Off: workflow runs have no rows. Default true. */
	historyOfWorkflows: boolean;
	/** Off: 404. Default true. */
	modelList: boolean;
	/** Where the list of models lies: under its long key, bare, under `models` after another member, or in `data`. Default `usual`. */
	modelListPlace: 'usual' | 'array' | 'models' | 'data';
	/**
	 * The `parameters` of each model: as the service's own user interface takes them, not there, null, a list, with
	 * defaults and limits as text, of types and components that nobody knows, or with hostile names and texts besides. Default `full`.
	 */
	modelParameters: 'full' | 'missing' | 'null' | 'list' | 'textDefaults' | 'unknown' | 'hostile';
	/** Slugs whose entries have `is_visible` false; they can be called all the same. Default []. */
	hiddenModels: string[];
	/** This many more entries, extra-model-1 and on, which cannot be called. Default 0. */
	extraModels: number;
	/** Entries with hostile slugs and titles, and some that are no objects, at the end. Default false. */
	hostileModels: boolean;
	/** Default `urls`. */
	uploadAnswer: 'urls' | 'file_urls';
	/** Default: what the modality has by the documentation. */
	resultShape: ResultShape | null;
	/** Metrics of a finished job. `ms` is the specified spelling (docs/service.md S97). Default `full`. */
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
	failedStatus: 200 | 400 | 422 | 500;
	/** Which answers about a FAILED job carry the reason: only the result, as specified, or the status too. Default `result`. */
	failedReason: 'result' | 'both';
	/** Whether answers about a FAILED job carry `request_id`. Default true. */
	failedId: boolean;
	/** `error` as text, `error_message` as object; by default text for v2 and object for workflows. */
	failedError: 'default' | 'text' | 'object';
	/** Default: base64 when the input says `base64: true`, else what the model has. */
	v1Shape: V1Shape | null;
	/** A wrong label for v1 bytes. Default null. */
	v1ContentType: string | null;
	/** Which URLs a v2 submit and its status answers give. Default `all`. */
	requestUrls: 'all' | 'pollOnly' | 'none';
	/** What a poll_url answers: the result, or only the status, as it may do for workflows. Default `result`. */
	pollAnswer: 'result' | 'status';
	/** Default `text`: JSON as text. */
	workflowOutput: 'text' | 'array' | 'broken';
	/**
	 * Which URLs a workflow submit gives: all, only the poll_url, none, those of plain requests (/v2/requests/…), or the
	 * one of older pages, {base_url}/requests/{id}, whose result is `{"image_output": url}` without a status word. Default `all`.
	 */
	workflowUrls: 'all' | 'pollOnly' | 'none' | 'generic' | 'older';
	/** Slugs this key may not use: 403. Default []. */
	deniedModels: string[];
	/** `tiny`: small valid files; `real`: media that show the prompt. Default `tiny` (CLI: `real`). */
	media: 'tiny' | 'real';
	/** Makes every result file this long, generated while sent. Default null. */
	fileBytes: number | null;
	/** `file_size` of media in results, whatever the files have; null: the true size. Default null. */
	toldFileBytes: number | null;
	/** How the credits are told. Default `numbers`. */
	creditForm: 'numbers' | 'text' | 'null' | 'missing';
	/** The bare list of endpoints, or where it lies, see ListPlace. Default `array`. */
	endpointList: ListPlace;
	/** Off: deletions of endpoints and keys answer 200 with `{"success": false}` and delete nothing. Default true. */
	deletionsWork: boolean;
	/** On: new fine-tune jobs are taken, which the deprecated service refuses with 410. Default false. */
	fineTuneOpen: boolean;
	/** `s3_url` of a prepared dataset upload: a web address or s3://bucket/path. Both do as `data_source_path`. Default `web`. */
	datasetAddress: 'web' | 's3';
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
	/** Where a refresh answers the new access token. `unusable`: nowhere, though one refresh is spent. Default `access_token`. */
	refreshAnswer: 'access_token' | 'accessToken' | 'token' | 'data' | 'text' | 'unusable';
	/** `read`: the session may read but change no key: 403 insufficient_scope. Default `full`. */
	sessionScope: 'full' | 'read';
	/** How a call about an API key that the account does not have is refused: 404 not_found or 401 invalid_api_key. Default `not_found`. */
	unknownKey: 'not_found' | 'invalid_api_key';
	/** The bare list of keys, or where it lies (under `api_keys`), see ListPlace. Default `array`. */
	keyList: ListPlace;
	/** False: a policy is saved but not live. Default true. */
	cachePurged: boolean;
	/** Where the answer says so: `cache_purged` as a boolean, as text, under `data`, or nowhere. Default `flag`. */
	cachePurgedForm: 'flag' | 'text' | 'nested' | 'absent';
	/** HTTP status of a saved policy; null: 200 when it is live, else 202. Default null. */
	modelAccessStatus: 200 | 202 | null;
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
