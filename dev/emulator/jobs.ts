import { randomBytes } from 'node:crypto';
import { answerTo } from './conversation';
import type { FileStore, HostedFile } from './files';
import type { Ledger } from './ledger';
import type { MediaKind } from './media/render';
import { inputProblem, outputCount, priceOf, type Model } from './models';
import { promptOf } from './prompt';
import type { Balance, NumberPerJob, Orders } from './orders';
import type { JobState } from './types';
import type { PublishedWorkflow } from './workflows';

/** A request that another process or person makes on the same account. The emulator records no call and no charge for it, and doesn't list it in `jobs`. */
export interface ElsewhereRequest {
	/** Slug of a model or of a published workflow. */
	slug: string;
	/** Ignored for workflows. Default v2. */
	via?: 'v2' | 'v1';
	/** The body of its submission. */
	input: Record<string, unknown>;
	/** When the request is made, by the service's clock. The service doesn't know the request before that time. Default: now. */
	submittedAt?: number;
	/** The time from its submission to its end. Default: queueMs + jobMs. */
	durationMs?: number;
	/** The time from its submission until it appears in the history. Default 0. */
	lateMs?: number;
	/** The reason why it fails. Without a reason, it completes. */
	failure?: string;
	/** Email address of another user of the team, whose request is in the history's list but isn't found by its ID. Default: the account's own user. */
	user?: string;
}

/** The emulator's record of a request. Its state isn't stored: it depends on the clock. */
export interface Job extends JobRequest {
	index: number;
	requestId: string;
	submittedAt: number;
	startsAt: number;
	endsAt: number;
	/** Why the job fails; undefined if it completes. */
	failure: string | undefined;
	cost: number;
	heldCredits: Balance;
	/** The balance after the job was settled. */
	remaining: number | undefined;
	files: HostedFile[];
	/** The last frame of a video, if requested. */
	lastFrame?: HostedFile;
	/** What a language model answers. */
	answer?: string;
	/** The text that a transcribing model returns. */
	transcript?: string;
	downloads: number;
	/** Set for requests of other processes and people. */
	elsewhere?: Pick<ElsewhereRequest, 'user' | 'lateMs'>;
}

interface JobRequest {
	via: 'v2' | 'v1' | 'workflow';
	/** The slug of the model or workflow. */
	slug: string;
	model?: Model;
	workflow?: PublishedWorkflow;
	input: Record<string, unknown>;
}

interface JobContext {
	now: () => number;
	orders: Orders;
	ledger: Ledger;
	files: FileStore;
}

/** How long a job runs that fails because of its parameters (docs/service.md S87; 0.003 s was seen). */
const INVALID_JOB_MS = 3;

export function createJobStore(context: JobContext) {
	const { now, ledger } = context;
	const all: Job[] = [];
	/** Jobs of other processes and people. */
	const elsewhereJobs: Job[] = [];
	const byId = new Map<string, Job>();
	let openJobs: Job[] = [];

	const stateOf = (job: Job): JobState => stateAt(now(), job);

	/** Settles every job that has ended by now. Call it before reporting anything about money. */
	function settle(): void {
		const time = now();
		const ended = openJobs.filter((job) => job.endsAt <= time).sort((a, b) => a.endsAt - b.endsAt);
		if (ended.length === 0) return;
		openJobs = openJobs.filter((job) => job.endsAt > time);
		for (const job of ended) {
			if (job.failure === undefined) ledger.charge(job.heldCredits);
			else ledger.refund(job.heldCredits);
			const { credits, freeCredits } = ledger.balance;
			job.remaining = Math.round((credits + freeCredits) * 1e10) / 1e10;
		}
	}

	return {
		all,
		elsewhere: elsewhereJobs,
		/** Finds a request that has been submitted by now and isn't another user's. */
		find(requestId: string): Job | undefined {
			const job = byId.get(requestId);
			return job && job.submittedAt <= now() && job.elsewhere?.user === undefined ? job : undefined;
		},
		stateOf,
		settle,
		submit(request: JobRequest): Job {
			settle();
			const job = makeJob(request, { ...context, index: all.length, submittedAt: now() });
			all.push(job);
			byId.set(job.requestId, job);
			openJobs.push(job);
			return job;
		},
		submitElsewhere(jobRequest: JobRequest, request: ElsewhereRequest): Job {
			const job = makeElsewhereJob(jobRequest, request, context);
			elsewhereJobs.push(job);
			byId.set(job.requestId, job);
			return job;
		},
		views() {
			settle();
			return all.map((job) => viewOf(job, stateOf(job)));
		},
		clear(): void {
			all.length = 0;
			elsewhereJobs.length = 0;
			byId.clear();
			openJobs = [];
		},
	};
}

function stateAt(time: number, { startsAt, endsAt, failure }: Job): JobState {
	if (time >= endsAt) return failure === undefined ? 'COMPLETED' : 'FAILED';
	return time >= startsAt ? 'PROCESSING' : 'QUEUED';
}

/** Makes a job with a new request ID. If it doesn't fail, it gets its files. */
function newJob(
	request: JobRequest,
	{ orders, files }: JobContext,
	members: Omit<Job, keyof JobRequest | 'requestId' | 'remaining' | 'files' | 'downloads'>,
): Job {
	const job: Job = {
		...request,
		...members,
		requestId: randomBytes(16).toString('hex'),
		remaining: undefined,
		files: [],
		downloads: 0,
	};
	if (job.failure === undefined) addFiles(job, outputCountOf(request), files, orders);
	return job;
}

const outputCountOf = ({ model, input }: JobRequest): number =>
	model ? outputCount(model, input) : 1;
const usualCost = ({ model, workflow, input }: JobRequest): number =>
	model ? priceOf(model, input) : (workflow?.cost ?? 0);

function makeJob(
	request: JobRequest,
	context: JobContext & Pick<Job, 'index' | 'submittedAt'>,
): Job {
	const { orders, ledger, index, submittedAt } = context;
	const { slug, model, input } = request;
	const resolve = (value: NumberPerJob): number => numberForJob(value, { slug, input, index });
	const problem = model && inputProblem(model, input);
	const runMs = resolve(orders.jobMs);
	const startsAt = submittedAt + resolve(orders.queueMs);
	const cost = orders.cost === null ? usualCost(request) : resolve(orders.cost);
	return newJob(request, context, {
		index,
		submittedAt,
		startsAt,
		endsAt: startsAt + (problem === undefined ? runMs : Math.min(runMs, INVALID_JOB_MS)),
		failure: problem ?? failureByOrders(orders, slug, input, index),
		cost,
		heldCredits: ledger.reserve(cost),
	});
}

/** Makes a job of another process or person: no credits are reserved for it, and the orders for failures don't apply to it. */
function makeElsewhereJob(
	jobRequest: JobRequest,
	{ submittedAt, durationMs, lateMs, failure, user }: ElsewhereRequest,
	context: JobContext,
): Job {
	const { orders, now } = context;
	const start = submittedAt ?? now();
	const resolve = (value: NumberPerJob): number =>
		numberForJob(value, { ...jobRequest, index: -1 });
	return newJob(jobRequest, context, {
		index: -1,
		submittedAt: start,
		startsAt: start,
		endsAt: start + (durationMs ?? resolve(orders.queueMs) + resolve(orders.jobMs)),
		failure,
		cost: usualCost(jobRequest),
		heldCredits: { credits: 0, freeCredits: 0 },
		elsewhere: { user, lateMs },
	});
}

/** Returns the value of an order for one job. */
export function numberForJob(
	value: NumberPerJob,
	{ slug, input, index }: Pick<Job, 'slug' | 'input' | 'index'>,
): number {
	return typeof value === 'function' ? value(slug, input, index) : value;
}

function failureByOrders(
	orders: Orders,
	slug: string,
	input: Record<string, unknown>,
	index: number,
): string | undefined {
	const { failJobs, failWhen, failText } = orders;
	const fails =
		failJobs === 'all' || failJobs.includes(index) || (failWhen?.(input, slug, index) ?? false);
	return fails ? failText : undefined;
}

const mediaKinds: Record<Model['modality'], MediaKind | undefined> = {
	image: 'image',
	edit: 'image',
	video: 'video',
	audio: 'audio',
	transcript: undefined,
	text: undefined,
};

/** Adds the result files of a job. Their URLs are returned when it completes. */
function addFiles(job: Job, count: number, files: FileStore, orders: Orders): void {
	const { requestId, input } = job;
	const text = promptOf(input);
	const add = (kind: MediaKind, label: string, note = ''): HostedFile =>
		files.addResult({
			requestId,
			label,
			kind,
			text: text + note,
			quality: orders.media,
			fileBytes: orders.fileBytes,
		});
	if (job.workflow) {
		for (const { keyname, type } of job.workflow.outputs) {
			if (type === 'image' || type === 'video' || type === 'audio')
				job.files.push(add(type, `-${keyname}`));
		}
		return;
	}
	if (job.model?.modality === 'transcript') job.transcript = transcriptOf(input, files);
	if (job.model?.modality === 'text') job.answer = answerTo(input, files.textOf);
	const kind = job.model && mediaKinds[job.model.modality];
	if (!kind) return;
	for (let index = 0; index < count; index++) {
		job.files.push(
			add(kind, index === 0 ? '' : `-${index + 1}`, index === 0 ? '' : ` (${index + 1})`),
		);
	}
	if (kind === 'video' && input.return_last_frame === true)
		job.lastFrame = add('image', '-last', ' (last frame)');
}

/** Returns the text of a file that this emulator made; for any other file, a sentence with its name. */
function transcriptOf({ audio_url: address }: Record<string, unknown>, files: FileStore): string {
	const url = typeof address === 'string' ? URL.parse(address) : null;
	const path = url?.pathname ?? '';
	const file = url && files.find(path);
	return file?.text ?? `Emulated transcript of ${path.split('/').pop() || 'a file'}.`;
}

/** A job as a test reads it. */
export type JobView = ReturnType<typeof viewOf>;

function viewOf(job: Job, state: JobState) {
	const { index, requestId, via, slug, input, submittedAt, endsAt, cost, downloads } = job;
	const isFailed = state === 'FAILED';
	return {
		index,
		requestId,
		via,
		/** The model's slug, for v1 and v2. */
		model: job.workflow ? undefined : slug,
		/** The workflow's slug, for workflow runs. */
		workflow: job.workflow ? slug : undefined,
		input,
		state,
		submittedAt,
		/** When the job ended; undefined before. */
		finishedAt: isFailed || state === 'COMPLETED' ? endsAt : undefined,
		/** The amount that is charged if the job completes. */
		cost,
		/** The amount charged: `cost` if COMPLETED, otherwise 0. */
		charged: state === 'COMPLETED' ? cost : 0,
		/** The number of GETs of its result files. */
		downloads,
		error: isFailed ? job.failure : undefined,
		/** The URLs of its result files, in order. */
		files: [...job.files, ...(job.lastFrame ? [job.lastFrame] : [])].map((file) => file.url),
	};
}
