import { randomBytes } from 'node:crypto';
import type { FileStore, HostedFile } from './files';
import type { Ledger } from './ledger';
import type { MediaKind } from './media/render';
import { missingParameter, outputCount, type Model } from './models';
import { promptOf } from './prompt';
import type { Balance, JobNumber, Orders } from './orders';
import type { JobState } from './types';
import type { PublishedWorkflow } from './workflows';

/** A request that another process or person makes on the same account: it has no call, no charge and no entry among `jobs`. */
export interface ElsewhereRequest {
	/** Slug of a model or of a published workflow. */
	slug: string;
	/** Ignored for workflows. Default v2. */
	via?: 'v2' | 'v1';
	/** Equal to another request's body, or with more members. */
	input: Record<string, unknown>;
	/** When the request was made, by the service's clock; it's unknown before that. By default now. */
	submittedAt?: number;
	/** From submission to the end. Default queueMs + jobMs. */
	durationMs?: number;
	/** Time from its submission until it appears in the history. Default 0. */
	lateMs?: number;
	/** Why it fails. Default: it completes. */
	failure?: string;
	/** E-mail address of another user of the team: in the history's list, but not found by its id. Default: the account's own. */
	user?: string;
}

/** A job. Its state is not stored: it follows from the clock. */
export interface Job extends JobOrder {
	index: number;
	requestId: string;
	submittedAt: number;
	startsAt: number;
	endsAt: number;
	/** Why it will fail; undefined when it will complete. */
	failure: string | undefined;
	cost: number;
	reservation: Balance;
	/** Balance after the job was settled. */
	remaining: number | undefined;
	files: HostedFile[];
	/** Last frame of a video, if requested. */
	lastFrame?: HostedFile;
	/** What a transcribing model hears. */
	transcript?: string;
	downloads: number;
	/** Set for requests that were made elsewhere. */
	elsewhere?: Pick<ElsewhereRequest, 'user' | 'lateMs'>;
}

interface JobOrder {
	via: 'v2' | 'v1' | 'workflow';
	/** Model or workflow slug. */
	slug: string;
	model?: Model;
	workflow?: PublishedWorkflow;
	input: Record<string, unknown>;
}

interface Surroundings {
	now: () => number;
	orders: Orders;
	ledger: Ledger;
	files: FileStore;
}

// A job with rejected parameters ends as soon as it starts (docs/service.md S87; seen after 0.003 s).
const refusedAfterMs = 3;

export function createJobStore(surroundings: Surroundings) {
	const { now, ledger } = surroundings;
	const all: Job[] = [];
	/** Jobs of other processes and people. */
	const elsewhere: Job[] = [];
	const byId = new Map<string, Job>();
	let open: Job[] = [];

	const stateOf = (job: Job): JobState => stateAt(now(), job);

	/** Settles every job that has ended by now. Call it before reporting anything about money. */
	function settle(): void {
		const time = now();
		const ended = open.filter((job) => job.endsAt <= time).sort((a, b) => a.endsAt - b.endsAt);
		if (ended.length === 0) return;
		open = open.filter((job) => job.endsAt > time);
		for (const job of ended) {
			if (job.failure === undefined) ledger.keep(job.reservation);
			else ledger.giveBack(job.reservation);
			const { credits, freeCredits } = ledger.balance;
			job.remaining = Math.round((credits + freeCredits) * 1e10) / 1e10;
		}
	}

	return {
		all,
		elsewhere,
		/** A request that has been submitted by now and is the account's own. */
		find(requestId: string): Job | undefined {
			const job = byId.get(requestId);
			return job && job.submittedAt <= now() && job.elsewhere?.user === undefined ? job : undefined;
		},
		stateOf,
		settle,
		submit(order: JobOrder): Job {
			settle();
			const job = makeJob(order, { ...surroundings, index: all.length, submittedAt: now() });
			all.push(job);
			byId.set(job.requestId, job);
			open.push(job);
			return job;
		},
		submitElsewhere(order: JobOrder, request: ElsewhereRequest): Job {
			const job = makeElsewhere(order, request, surroundings);
			elsewhere.push(job);
			byId.set(job.requestId, job);
			return job;
		},
		views() {
			settle();
			return all.map((job) => view(job, stateOf(job)));
		},
		clear(): void {
			all.length = 0;
			elsewhere.length = 0;
			byId.clear();
			open = [];
		},
	};
}

function stateAt(time: number, { startsAt, endsAt, failure }: Job): JobState {
	if (time >= endsAt) return failure === undefined ? 'COMPLETED' : 'FAILED';
	return time >= startsAt ? 'PROCESSING' : 'QUEUED';
}

/** What both kinds of job have. Without a failure it gets its files. */
function newJob(
	order: JobOrder,
	{ orders, files }: Surroundings,
	own: Omit<Job, keyof JobOrder | 'requestId' | 'remaining' | 'files' | 'downloads'>,
): Job {
	const job: Job = {
		...order,
		...own,
		requestId: randomBytes(16).toString('hex'),
		remaining: undefined,
		files: [],
		downloads: 0,
	};
	if (job.failure === undefined) addFiles(job, countOf(order), files, orders);
	return job;
}

const countOf = ({ model, input }: JobOrder): number => (model ? outputCount(model, input) : 1);
const averageCost = (order: JobOrder): number =>
	Math.round((order.model?.cost ?? order.workflow?.cost ?? 0) * countOf(order) * 1e10) / 1e10;

function makeJob(
	order: JobOrder,
	surroundings: Surroundings & Pick<Job, 'index' | 'submittedAt'>,
): Job {
	const { orders, ledger, index, submittedAt } = surroundings;
	const { via, slug, model, input } = order;
	const number = (value: JobNumber): number => jobNumber(value, { slug, input, index });
	const refused = model && missingParameter(model.required, input);
	const run = number(orders.jobMs);
	const startsAt = submittedAt + number(orders.queueMs);
	const cost = orders.cost === null ? averageCost(order) : number(orders.cost);
	return newJob(order, surroundings, {
		index,
		submittedAt,
		startsAt,
		endsAt:
			via === 'v1' && orders.v1Ms !== null
				? submittedAt + number(orders.v1Ms)
				: startsAt + (refused === undefined ? run : Math.min(run, refusedAfterMs)),
		failure:
			refused === undefined ? failureOrdered(orders, slug, input, index) : requirement(refused),
		cost,
		reservation: ledger.reserve(cost),
	});
}

/** A job of which only the history and its own addresses tell: nothing is reserved, no order makes it fail. */
function makeElsewhere(
	order: JobOrder,
	{ submittedAt, durationMs, lateMs, failure, user }: ElsewhereRequest,
	surroundings: Surroundings,
): Job {
	const { orders, now } = surroundings;
	const from = submittedAt ?? now();
	const number = (value: JobNumber): number => jobNumber(value, { ...order, index: -1 });
	return newJob(order, surroundings, {
		index: -1,
		submittedAt: from,
		startsAt: from,
		endsAt: from + (durationMs ?? number(orders.queueMs) + number(orders.jobMs)),
		failure,
		cost: averageCost(order),
		reservation: { credits: 0, freeCredits: 0 },
		elsewhere: { user, lateMs },
	});
}

/** An ordered number, as it is for this job. */
export function jobNumber(
	value: JobNumber,
	{ slug, input, index }: Pick<Job, 'slug' | 'input' | 'index'>,
): number {
	return typeof value === 'function' ? value(slug, input, index) : value;
}

/** What the service says about a missing parameter. */
export function requirement(parameter: string): string {
	return `${parameter.charAt(0).toUpperCase()}${parameter.slice(1)} is required for this model.`;
}

function failureOrdered(
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

/** The files of a job. Their URLs are returned when it completes. */
function addFiles(job: Job, count: number, files: FileStore, orders: Orders): void {
	const { requestId, input, endsAt: createdAt } = job;
	const text = promptOf(input);
	const add = (kind: MediaKind, label: string, note = ''): HostedFile =>
		files.addResult({
			requestId,
			label,
			kind,
			text: text + note,
			input,
			quality: orders.media,
			fileBytes: orders.fileBytes,
			createdAt,
		});
	if (job.workflow) {
		for (const { keyname, type } of job.workflow.outputs) {
			if (type === 'image' || type === 'video' || type === 'audio')
				job.files.push(add(type, `-${keyname}`));
		}
		return;
	}
	if (job.model?.modality === 'transcript') job.transcript = transcriptOf(input, files);
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

/** The words of a file that this emulator made, else a sentence that names the file. */
function transcriptOf({ audio_url: address }: Record<string, unknown>, files: FileStore): string {
	const url = typeof address === 'string' ? URL.parse(address) : null;
	const path = url?.pathname ?? '';
	const known = url && files.find(path);
	return known?.text ?? `Emulated transcript of ${path.split('/').pop() || 'a file'}.`;
}

/** What a test sees of a job. */
export type JobView = ReturnType<typeof view>;

function view(job: Job, state: JobState) {
	const { index, requestId, via, slug, input, submittedAt, endsAt, cost, downloads } = job;
	const isFailed = state === 'FAILED';
	return {
		index,
		requestId,
		via,
		/** Set for v1 and v2. */
		model: job.workflow ? undefined : slug,
		/** Set for workflows. */
		workflow: job.workflow ? slug : undefined,
		input,
		state,
		submittedAt,
		/** Undefined while unfinished. */
		finishedAt: isFailed || state === 'COMPLETED' ? endsAt : undefined,
		/** What the job costs if it completes. */
		cost,
		/** The amount charged: `cost` if COMPLETED, otherwise 0. */
		charged: state === 'COMPLETED' ? cost : 0,
		/** Result files fetched, counted at each GET. */
		downloads,
		error: isFailed ? job.failure : undefined,
		/** Result file addresses, in order. */
		files: [...job.files, ...(job.lastFrame ? [job.lastFrame] : [])].map((file) => file.url),
	};
}
