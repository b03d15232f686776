import { z } from 'zod';

/** Passed for every job: `model` is the model or workflow slug, `index` the job's index since reset. */
export type JobNumber =
	| number
	| ((model: string, input: Record<string, unknown>, index: number) => number);

const isFunction = (value: unknown): boolean => typeof value === 'function';
const jobNumber = z.custom<JobNumber>((value) => typeof value === 'number' || isFunction(value));
const ms = z.number();
const count = z.number().int().min(0);
const on = z.boolean().default(true);
const off = z.boolean().default(false);
const jobIndexes = z.union([z.array(count), z.literal('all')]).default([]);

/** One of several forms of a response; the first is the usual one. */
const form = <Name extends string, More extends string>(usual: Name, ...others: More[]) =>
	z.enum([usual, ...others] as [Name, ...More[]]).default(usual as z.util.noUndefined<Name>);

const balance = z.object({ credits: z.number(), freeCredits: z.number() }).strict();
export type Balance = z.infer<typeof balance>;

const rateLimit = z
	.object({
		/** Calls a window allows. A 429 itself is not counted. */
		perMinute: count,
		/** Length of the fixed window. The first counted call opens the first window. Default 60000. */
		windowMs: ms.positive().optional(),
		/** Send `x-rate-limit-remaining` with every counted response. Default false. */
		sendRemaining: z.boolean().optional(),
		/** What a 429 says about the reset: ISO or epoch seconds in `x-rate-limit-reset-at-utc`, `Retry-After`, or nothing. Default `iso`. */
		reset: z.enum(['iso', 'epoch', 'retryAfter', 'none']).optional(),
	})
	.strict();
export type RateLimit = z.infer<typeof rateLimit>;

/** `bytes` is what most models do; `json` an object with base64 `image`; `videoUrl` {"status":"Success","video":url}. */
const v1Shape = z.enum(['bytes', 'base64', 'base64Array', 'videoUrl', 'sam3']);
export type V1Shape = z.infer<typeof v1Shape>;

/**
 * How a finished v2 result carries its media or text. `outputEmpty…`: `output` is there and empty. `allNull`: every member that could carry
 * something is null. `unnamed`: `{"image_output": url}` (by kind), without status, id or metrics, a shape that nobody published.
 */
const resultShape = z.enum([
	'images',
	'video',
	'videoArray',
	'audio',
	'outputUrl',
	'outputUrls',
	'outputJson',
	'outputObject',
	'outputNull',
	'outputEmptyText',
	'outputEmptyList',
	'outputEmptyObject',
	'allNull',
	'unnamed',
]);
export type ResultShape = z.infer<typeof resultShape>;

const webhookOrders = z
	.object({
		/** How often each event is delivered, all at the same time. Default 1. */
		copies: count,
		/** How long after the change of state. Default 0. */
		lateMs: ms,
		/** `reversed`: all events of a job once it is available, the last one first. Default `inOrder`. */
		order: z.enum(['inOrder', 'reversed']),
		/** Where the payload has event and job; its real shape isn't published. Default `flat`. */
		shape: z.enum(['flat', 'nested', 'callback']),
	})
	.strict();
export type WebhookOrders = z.infer<typeof webhookOrders>;

/**
 * All orders with their defaults, each documented here in full. `set` changes some of them, `reset` restores
 * those given at start. Times are ms, sizes bytes, money USD.
 */
const ordersSchema = z
	.object({
		/** QUEUED lasts this long. Fixed when the job is submitted. */
		queueMs: jobNumber.default(50),
		/** PROCESSING lasts this long. Fixed when the job is submitted. */
		jobMs: jobNumber.default(300),
		/** How long a v1 call takes; null means queueMs + jobMs. */
		v1Ms: jobNumber.nullable().default(null),
		/** The cost of a job; null means the model's average cost times the number of images. */
		cost: jobNumber.nullable().default(null),
		/** Sets the balance at once. */
		balance: balance.default({ credits: 100, freeCredits: 0 }),
		/** 404 "No credits found for the user" instead of a balance. */
		noCreditRecord: off,
		rateLimit: rateLimit.nullable().default(null),
		/** A request's record exists for this long after its submission; then 404. */
		recordMs: ms.default(3_600_000),
		/** Result files and assets live this long. */
		fileMs: ms.default(7 * 24 * 3_600_000),
		/** The service's clock minus the test's. It applies to everything except the times of recorded calls. Set it before any job. */
		clockAheadMs: ms.default(0),
		/** Off: 404. */
		history: on,
		/** The form of a single history record: bare, under `data`, or as a list of rows. */
		historyRecord: form('record', 'data', 'rows'),
		/** Rows in the requested order; or newest first, oldest first or mixed, whatever was requested. */
		historyOrder: form('asked', 'newestFirst', 'oldestFirst', 'mixed'),
		/** How long after its submission a request appears in the history, in the list and by its id. */
		historyLateMs: jobNumber.default(0),
		/** Which rows `model_name` lets through: of this slug, of every slug that contains it, or all. */
		historyModelFilter: form('equal', 'contains', 'ignored'),
		/**
		 * How pages are counted: from 1, where page 0 is rejected or fails, or from 0; or every page is the first one, or one beyond the last one is
		 * the last one.
		 */
		historyPages: form('fromOne', 'failingAtZero', 'fromZero', 'ignored', 'clamped'),
		/** Most rows per page, whatever `per_page` says, also in the response; null means as requested. */
		historyPageRows: count.min(1).nullable().default(null),
		/** Modifies each row of the history before it is returned; `endsAt` is when the job ends, ms since the epoch. */
		historyRow: z
			.custom<(row: Record<string, unknown>, endsAt: number) => Record<string, unknown>>(isFunction)
			.nullable()
			.default(null),
		/** Off: workflow runs have no rows. */
		historyOfWorkflows: on,
		uploadAnswer: form('urls', 'file_urls'),
		/** Null: the form that the docs show for the modality. */
		resultShape: resultShape.nullable().default(null),
		/**
		 * What a transcribing model returns, which nobody published: in `output` the provider's JSON as text, the same as an object, or the words
		 * alone; or the words under a name of their own. v1 returns the first three as the whole body.
		 */
		transcriptShape: form('outputJson', 'outputObject', 'outputText', 'text', 'transcript'),
		/** Metrics of a finished job. `ms` is the specified spelling (docs/service.md S97). */
		metrics: form('full', 'missing', 'null', 'ms'),
		/** A status word sent instead of QUEUED and PROCESSING. */
		progressWord: z.string().nullable().default(null),
		/** Which URLs of submit responses point to the hostile origin: all, or the named ones. */
		foreignUrls: z
			.union([z.boolean(), z.array(z.enum(['poll_url', 'status_url', 'response_url']))])
			.default(false),
		/** A job for which it is true fails. */
		failWhen: z
			.custom<(input: Record<string, unknown>, model: string, index: number) => boolean>(isFunction)
			.nullable()
			.default(null),
		/** Indexes (since reset) of jobs that fail. */
		failJobs: jobIndexes,
		/** The text of an ordered failure. */
		failText: z.string().default('The model could not process this input.'),
		/** HTTP status of the response for a FAILED job. */
		failedStatus: z
			.union([z.literal(422), z.literal(200), z.literal(400), z.literal(500)])
			.default(422),
		/** Which responses about a FAILED job contain the reason: only the result, as specified, or the status too. */
		failedReason: form('result', 'both'),
		/** Whether responses about a failed job have `request_id`. */
		failedId: on,
		/** `error` as text, `error_message` as object; by default text for v2 and object for workflows. */
		failedError: form('default', 'text', 'object'),
		/** Null: base64 when the input says `base64: true`, else what the model has. */
		v1Shape: v1Shape.nullable().default(null),
		/** A wrong label for v1 bytes. */
		v1ContentType: z.string().nullable().default(null),
		/** Which URLs the responses to a v2 submission and its status checks contain. */
		requestUrls: form('all', 'pollOnly', 'none'),
		/** What a poll_url responds with: the result, or only the status, as it may do for workflows. */
		pollAnswer: form('result', 'status'),
		/** `text`: JSON as text. */
		workflowOutput: form('text', 'array', 'broken'),
		/**
		 * Which URLs a workflow submit gives: all, only the poll_url, none, those of plain requests (/v2/requests/…), or the
		 * one of older pages, {base_url}/requests/{id}, whose result is `{"image_output": url}` without a status word.
		 */
		workflowUrls: form('all', 'pollOnly', 'none', 'generic', 'older'),
		/** Slugs that this key has no access to: 403. */
		deniedModels: z.array(z.string()).default([]),
		/** `tiny`: small valid files; `real`: media that show the prompt. */
		media: form('tiny', 'real'),
		/** Makes every result file this long, generated while sent. */
		fileBytes: count.nullable().default(null),
		/** The bare list of endpoints, or an object that holds it. */
		endpointList: form('array', 'object'),
		/** On: new fine-tune jobs are accepted. The deprecated service rejects them with 410. */
		fineTuneOpen: off,
		/** Time from one fine-tune state to the next. Fixed at submit. */
		fineTuneStepMs: ms.default(1000),
		/** Indexes (since reset) of fine-tune jobs that fail. */
		failFineTunes: jobIndexes,
		/** How events of fine-tune jobs reach the registered webhook. `lateMs` and `order` are fixed at submit. */
		webhooks: webhookOrders.partial().default({}),
		/** Whether a refresh also returns a new refresh token and ends the old one. */
		rotateRefreshToken: off,
		/** Account calls a minute; null: no limit. */
		authPerMinute: count.nullable().default(null),
	})
	.strict();
export type Orders = z.infer<typeof ordersSchema>;

/** Some of the orders; one given as undefined stays as it is. */
export const someOrders = ordersSchema.partial();

/** Changes the named orders. @throws ZodError for an unknown order or an invalid value */
export function applyOrders(orders: Orders, changes: Partial<Orders>): void {
	for (const [name, value] of Object.entries(someOrders.parse(changes)))
		if (value !== undefined) Object.assign(orders, { [name]: value });
}

export const defaultOrders: Readonly<Orders> = ordersSchema.parse({});

/** What holds with these orders and otherwise by default. @throws ZodError as above */
export function initialOrders(changes: Partial<Orders>): Orders {
	const orders = { ...defaultOrders };
	applyOrders(orders, changes);
	return orders;
}
