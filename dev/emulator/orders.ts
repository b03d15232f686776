import { z } from 'zod';

/** A number, or a function of the job: `model` is the slug of the model or workflow, `index` the job's index since the last reset. */
export type NumberPerJob =
	| number
	| ((model: string, input: Record<string, unknown>, index: number) => number);

const isFunction = (value: unknown): boolean => typeof value === 'function';
const numberPerJob = z.custom<NumberPerJob>(
	(value) => typeof value === 'number' || isFunction(value),
);
const ms = z.number();
const count = z.number().int().min(0);
const onByDefault = z.boolean().default(true);
const offByDefault = z.boolean().default(false);
const jobIndexes = z.union([z.array(count), z.literal('all')]).default([]);

/** Defines an order that selects one of several forms of a response. The first form is the default. */
const form = <Name extends string, More extends string>(usual: Name, ...others: More[]) =>
	z.enum([usual, ...others] as [Name, ...More[]]).default(usual as z.util.noUndefined<Name>);

const balance = z.object({ credits: z.number(), freeCredits: z.number() }).strict();
export type Balance = z.infer<typeof balance>;

const rateLimit = z
	.object({
		/** The number of calls that a window allows. A call that gets a 429 isn't counted. */
		perMinute: count,
		/** The length of a fixed window. The first counted call opens the first window. Default 60000. */
		windowMs: ms.positive().optional(),
		/** Whether each response has the header `x-rate-limit-remaining`. Default false. */
		sendRemaining: z.boolean().optional(),
		/** How a 429 names the end of the window: as an ISO time in `x-rate-limit-reset-at-utc`, or in `Retry-After`. Default `iso`. */
		reset: z.enum(['iso', 'retryAfter']).optional(),
	})
	.strict();
export type RateLimit = z.infer<typeof rateLimit>;

/** The form of a v1 response. `bytes`: the file itself, as for most models. `base64`: an object whose `image` is base64. `videoUrl`: `{"video": url}`. */
const v1Shape = z.enum(['bytes', 'base64', 'base64Array', 'videoUrl']);
export type V1Shape = z.infer<typeof v1Shape>;

/**
 * The form of a completed v2 result. `outputEmpty…`: `output` is present but empty.
 * `unnamed`: `{"image_output": url}` (or another kind), without status, ID or metrics, which is published for workflows only.
 */
const resultShape = z.enum([
	'images',
	'video',
	'audio',
	'outputUrl',
	'outputJson',
	'outputObject',
	'outputNull',
	'outputEmptyText',
	'outputEmptyList',
	'outputEmptyObject',
	'unnamed',
]);
export type ResultShape = z.infer<typeof resultShape>;

const webhookOrders = z
	.object({
		/** How many times each event is delivered, all at the same time. Default 1. */
		copies: count,
		/** The form of the payload, because the real one isn't published. Default `flat`. */
		shape: z.enum(['flat', 'nested', 'callback']),
	})
	.strict();
export type WebhookOrders = z.infer<typeof webhookOrders>;

/**
 * The orders are a test's standing instructions to the emulator: they apply to all calls, while a fault affects single calls. `set` changes some
 * of them, and `reset` restores those that were set at the start. Times are ms, sizes bytes, money USD.
 */
const ordersSchema = z
	.object({
		/** How long a job is QUEUED. Jobs that are already submitted keep their time. */
		queueMs: numberPerJob.default(50),
		/** How long a job is PROCESSING. Jobs that are already submitted keep their time. */
		jobMs: numberPerJob.default(300),
		/** The cost of a job; null means the model's average cost times the number of images. */
		cost: numberPerJob.nullable().default(null),
		/** Sets the balance at once. */
		balance: balance.default({ credits: 100, freeCredits: 0 }),
		/** On: reading the balance gets the 404 "No credits found for the user". */
		noCreditRecord: offByDefault,
		rateLimit: rateLimit.nullable().default(null),
		/** How long a request can be looked up after its submission; then it gets a 404. */
		recordMs: ms.default(3_600_000),
		/** How far the service's clock is ahead of the test's. It doesn't affect the times in the records of calls, leaks and deliveries. Set it before any job. */
		clockAheadMs: ms.default(0),
		/** Off: the request history doesn't exist (404). */
		history: onByDefault,
		/** The sequence of rows: as requested; or newest first, oldest first or mixed, whatever was requested. */
		historyOrder: form('requested', 'newestFirst', 'oldestFirst', 'mixed'),
		/** How long after its submission a request appears in the history. */
		historyLateMs: numberPerJob.default(0),
		/** The rows that the filter `model_name` returns: those of this slug, those of every slug that contains it, or all. */
		historyModelFilter: form('equal', 'contains', 'ignored'),
		/** How pages are counted: from 1; every page is the first one (`ignored`); or every page beyond the last one is the last one (`clamped`). */
		historyPages: form('fromOne', 'ignored', 'clamped'),
		/** The maximum number of rows per page, although the response repeats the requested `per_page`; null means no maximum. */
		historyPageRows: count.min(1).nullable().default(null),
		/** Modifies each row of the history before it is returned; `endsAt` is when the job ends, ms since the epoch. */
		historyRow: z
			.custom<(row: Record<string, unknown>, endsAt: number) => Record<string, unknown>>(isFunction)
			.nullable()
			.default(null),
		/** The member of the response to an upload that contains the URLs. */
		uploadResponse: form('urls', 'file_urls'),
		/** The form of a v2 result; null means the form that Segmind's docs show for the modality. */
		resultShape: resultShape.nullable().default(null),
		/**
		 * What a transcribing model returns, which isn't published: in `output` the provider's JSON as text, the provider's JSON as an object, or only
		 * the transcript; or the transcript in `text` or `transcript`. In v1, the first three are the whole body.
		 */
		transcriptShape: form('outputJson', 'outputObject', 'outputText', 'text', 'transcript'),
		/** Metrics of a job that has ended (docs/service.md S97). */
		metrics: form('full', 'missing', 'null'),
		/** A word that is sent as the status instead of QUEUED and PROCESSING. */
		progressWord: z.string().nullable().default(null),
		/** Which URLs in the response to a submission point to the hostile origin: all, none, or those in the list. */
		foreignUrls: z
			.union([z.boolean(), z.array(z.enum(['poll_url', 'status_url', 'response_url']))])
			.default(false),
		/** A job fails if this returns true. */
		failWhen: z
			.custom<(input: Record<string, unknown>, model: string, index: number) => boolean>(isFunction)
			.nullable()
			.default(null),
		/** Indexes of jobs that fail, counted since the last reset. */
		failJobs: jobIndexes,
		/** The reason of a failure that `failJobs` or `failWhen` orders. */
		failText: z.string().default('The model could not process this input.'),
		/** The HTTP status of responses about a FAILED job. */
		failedStatus: z
			.union([z.literal(422), z.literal(200), z.literal(400), z.literal(500)])
			.default(422),
		/** Which responses about a FAILED job contain the reason: only the result, as specified, or the response to a status check too. */
		failedReason: form('result', 'both'),
		/** The reason of a failure: `error` as text, as specified, or `error_message` as an object (docs/service.md S158). */
		failedError: form('text', 'object'),
		/** The form of a v1 response; null means base64 if the input has `base64: true`, otherwise the model's form. */
		v1Shape: v1Shape.nullable().default(null),
		/** Which URLs the responses to a v2 submission and its status checks contain. */
		requestUrls: form('all', 'pollOnly', 'none'),
		/** The `output` of a workflow run: JSON as text, an array, or broken JSON as text. */
		workflowOutput: form('text', 'array', 'broken'),
		/**
		 * Which URLs the response to a workflow submission contains: all, only the poll_url, none, or only {base_url}/requests/{id}, which older pages
		 * describe and whose result is `{"image_output": url}` without a status.
		 */
		workflowUrls: form('all', 'pollOnly', 'none', 'older'),
		/** Slugs that the key has no access to: they get a 403. */
		deniedModels: z.array(z.string()).default([]),
		/** Result files: `tiny` means small valid files; with `real`, pictures show the prompt. */
		media: form('tiny', 'real'),
		/** The length of every result file; null means its real length. A shorter file is padded with zeros while it is sent. */
		fileBytes: count.nullable().default(null),
		/** The list of endpoints: an array, or an object that contains it. */
		endpointList: form('array', 'object'),
		/** On: new fine-tune jobs are accepted. Off: they are rejected with 410, as by the deprecated service. */
		fineTuneOpen: offByDefault,
		/** The time from one fine-tune state to the next. Jobs that are already submitted keep theirs. */
		fineTuneStepMs: ms.default(1000),
		/** Indexes of fine-tune jobs that fail, counted since the last reset. */
		failFineTunes: jobIndexes,
		/** How events of fine-tune jobs reach the registered webhook. */
		webhooks: webhookOrders.partial().default({}),
		/** Whether refreshing the session also returns a new refresh token and revokes the old one. */
		rotateRefreshToken: offByDefault,
		/** The maximum number of account calls per minute; null means no limit. */
		authPerMinute: count.nullable().default(null),
	})
	.strict();
export type Orders = z.infer<typeof ordersSchema>;

/** A subset of the orders. An order that is undefined stays as it is. */
export const someOrders = ordersSchema.partial();

/** Changes the named orders. @throws ZodError for an unknown order or an invalid value */
export function applyOrders(orders: Orders, changes: Partial<Orders>): void {
	for (const [name, value] of Object.entries(someOrders.parse(changes)))
		if (value !== undefined) Object.assign(orders, { [name]: value });
}

const defaultOrders: Readonly<Orders> = ordersSchema.parse({});

/** Returns the default orders with these changes. @throws ZodError for an unknown order or an invalid value */
export function initialOrders(changes: Partial<Orders>): Orders {
	const orders = { ...defaultOrders };
	applyOrders(orders, changes);
	return orders;
}
