import { randomUUID } from 'node:crypto';
import { isRecord } from './prompt';
import type { Orders } from './orders';
import type { FineTuneState, FineTuneView } from './types';

/** A fine-tune job. Its state follows from the clock. */
export interface FineTune {
	id: string;
	body: Record<string, unknown>;
	public: boolean;
	submittedAt: number;
	stepMs: number;
	failure: string | null;
	slug: string;
	updatedAt: number;
}

/** Where its weights lie on the storage origin. */
export const weightsPath = (job: FineTune): string => `/weights/${job.id}.safetensors`;

const course: FineTuneState[] = [
	'REQUESTED',
	'TRAINING_COMPLETED',
	'INFERENCE_QUEUED',
	'AVAILABLE',
];

export interface FineTuneStore {
	readonly all: readonly FineTune[];
	find(id: unknown): FineTune | undefined;
	bySlug(slug: string): FineTune | undefined;
	submit(body: Record<string, unknown>, failure: string | null): FineTune;
	stateOf(job: FineTune): FineTuneState;
	/** When the state it is in began. */
	sinceOf(job: FineTune): number;
	views(): FineTuneView[];
	clear(): void;
}

export function createFineTuneStore(now: () => number, orders: Orders): FineTuneStore {
	let all: FineTune[] = [];
	const step = (job: FineTune): number => {
		const last = job.failure === null ? course.length - 1 : 1;
		const passed = job.stepMs > 0 ? Math.floor((now() - job.submittedAt) / job.stepMs) : last;
		return Math.min(last, passed);
	};
	const stateOf = (job: FineTune): FineTuneState =>
		job.failure !== null && step(job) === 1 ? 'FAILED' : course[step(job)];
	return {
		get all() {
			return all;
		},
		find: (id) => all.find((job) => job.id === id),
		bySlug: (slug) => all.find((job) => job.slug === slug),
		submit(body, failure) {
			const { failFineTunes } = orders;
			const ordered = failFineTunes === 'all' || failFineTunes.includes(all.length);
			const id = randomUUID();
			const job: FineTune = {
				id,
				body,
				public: body.segmind_public === true,
				submittedAt: now(),
				stepMs: orders.fineTuneStepMs,
				failure: failure ?? (ordered ? 'GPU overloaded, try with smaller dataset' : null),
				slug: `${String(body.name)}-${id.slice(0, 8)}`,
				updatedAt: now(),
			};
			all.push(job);
			return job;
		},
		stateOf,
		sinceOf: (job) => Math.max(job.updatedAt, job.submittedAt + step(job) * job.stepMs),
		views: () =>
			all.map((job) => ({
				finetuneId: job.id,
				name: String(job.body.name),
				state: stateOf(job),
				body: job.body,
				public: job.public,
				slug: job.slug,
				error: stateOf(job) === 'FAILED' ? job.failure : null,
			})),
		clear() {
			all = [];
		},
	};
}

type Rule = 'text' | 'url' | 'boolean' | 'number' | 'integer' | 'object' | readonly unknown[];

const common: Record<string, Rule> = {
	name: 'text',
	data_source_path: 'url',
	instance_prompt: 'text',
	base_model: 'text',
	theme: 'text',
	segmind_public: 'boolean',
	advance_parameters: 'object',
};

interface Variant {
	top: Record<string, Rule>;
	advance: Record<string, Rule>;
}

/** Members that may be left out are checked when they are there (docs/service.md S350 to S352). */
const variants: Record<string, Variant> = {
	FLUX_PRO: {
		top: { theme: ['CHARACTER', 'PRODUCT', 'STYLE', 'GENERAL'], trigger_word: 'text' },
		advance: {
			iterations: 'integer',
			learning_rate: 'number',
			priority: ['SPEED', 'QUALITY', 'HIGH_RES_ONLY'],
			captioning: 'boolean',
			lora_rank: [32, 16],
			finetune_type: ['FULL', 'LORA'],
		},
	},
	FLUX: {
		// Plain Flux shares the base model's name with Kontext (docs/service.md S351, S353).
		top: { theme: ['KONTEXT', 'FLUX'], train_type: 'text', machine_type: 'text' },
		advance: { learning_rate: 'number', steps: 'integer' },
	},
	FAST_FLUX: {
		top: { theme: ['subject'], trigger_word: 'text' },
		advance: { steps: 'integer', face_crop: 'boolean', finetune_type: 'text' },
	},
};

const fewestIterations = 100;

/** What is wrong with a submit body, in words, or undefined. Base models unknown here get the common checks only. */
export function submitFault(body: Record<string, unknown>): string | undefined {
	const missing = Object.keys(common).filter(
		(name) => body[name] === undefined || body[name] === null,
	);
	if (missing.length > 0) return `Missing required fields: ${missing.join(', ')}`;
	const variant = variants[String(body.base_model)];
	const advance = isRecord(body.advance_parameters) ? body.advance_parameters : {};
	const wrong =
		wrongField(common, body) ??
		wrongField(variant?.top ?? {}, body) ??
		wrongField(variant?.advance ?? {}, advance);
	if (wrong !== undefined) return `Invalid value for ${wrong}`;
	if (
		body.theme === 'KONTEXT' &&
		body.machine_type !== undefined &&
		body.machine_type !== 'NVIDIA_H100'
	) {
		return 'Invalid value for machine_type';
	}
	if (Number(advance.iterations) < fewestIterations)
		return `iterations must be at least ${fewestIterations}`;
	return undefined;
}

function wrongField(
	rules: Record<string, Rule>,
	body: Record<string, unknown>,
): string | undefined {
	return Object.keys(rules).find(
		(name) => body[name] !== undefined && !follows(rules[name], body[name]),
	);
}

function follows(rule: Rule, value: unknown): boolean {
	switch (rule) {
		case 'text':
			return typeof value === 'string' && value !== '';
		case 'url':
			return typeof value === 'string' && /^(https?:\/\/|s3:\/\/segmind-)/.test(value);
		case 'boolean':
			return typeof value === 'boolean';
		case 'number':
			return typeof value === 'number';
		case 'integer':
			return Number.isInteger(value);
		case 'object':
			return isRecord(value);
		default:
			return rule.includes(value);
	}
}
