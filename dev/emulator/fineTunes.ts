import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Orders } from './orders';
import { fineTuneStates, type FineTuneState } from './types';

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

export type FineTuneStore = ReturnType<typeof createFineTuneStore>;

export function createFineTuneStore(now: () => number, orders: Orders) {
	let all: FineTune[] = [];
	const step = (job: FineTune): number => {
		const last = job.failure === null ? fineTuneStates.length - 1 : 1;
		const passed = job.stepMs > 0 ? Math.floor((now() - job.submittedAt) / job.stepMs) : last;
		return Math.min(last, passed);
	};
	const stateOf = (job: FineTune): FineTuneState =>
		job.failure !== null && step(job) === 1 ? 'FAILED' : fineTuneStates[step(job)];
	return {
		get all() {
			return all;
		},
		find: (id: unknown) => all.find((job) => job.id === id),
		bySlug: (slug: string) => all.find((job) => job.slug === slug),
		submit(body: Record<string, unknown>, failure: string | null): FineTune {
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
		/** When the state it is in began. */
		sinceOf: (job: FineTune) => Math.max(job.updatedAt, job.submittedAt + step(job) * job.stepMs),
		views: () =>
			all.map((job) => ({
				finetuneId: job.id,
				name: String(job.body.name),
				state: stateOf(job),
				/** The submit body as sent. */
				body: job.body,
				public: job.public,
				/** Callable as a model once AVAILABLE. */
				slug: job.slug,
				error: stateOf(job) === 'FAILED' ? job.failure : null,
			})),
		clear(): void {
			all = [];
		},
	};
}

const text = z.string().min(1);

const common = {
	name: text,
	data_source_path: z.string().regex(/^(https?:\/\/|s3:\/\/segmind-)/),
	instance_prompt: text,
	base_model: text,
	theme: text,
	segmind_public: z.boolean(),
	advance_parameters: z.record(z.unknown()),
};

/** Members that may be left out are checked when they are there (docs/service.md S350 to S352). Base models unknown here get the common checks only. */
const variants: Record<string, z.AnyZodObject> = {
	FLUX_PRO: z.object({
		theme: z.enum(['CHARACTER', 'PRODUCT', 'STYLE', 'GENERAL']),
		trigger_word: text.optional(),
		advance_parameters: z
			.object({
				iterations: z.number().int().min(100),
				learning_rate: z.number(),
				priority: z.enum(['SPEED', 'QUALITY', 'HIGH_RES_ONLY']),
				captioning: z.boolean(),
				lora_rank: z.union([z.literal(32), z.literal(16)]),
				finetune_type: z.enum(['FULL', 'LORA']),
			})
			.partial(),
	}),
	FLUX: z.object({
		// Plain Flux shares the base model's name with Kontext (docs/service.md S351, S353).
		theme: z.enum(['KONTEXT', 'FLUX']),
		train_type: text.optional(),
		machine_type: text.optional(),
		advance_parameters: z.object({ learning_rate: z.number(), steps: z.number().int() }).partial(),
	}),
	FAST_FLUX: z.object({
		theme: z.literal('subject'),
		trigger_word: text.optional(),
		advance_parameters: z
			.object({ steps: z.number().int(), face_crop: z.boolean(), finetune_type: text })
			.partial(),
	}),
};

/** What is wrong with a submit body, as text, or undefined. */
export function submitFault(body: Record<string, unknown>): string | undefined {
	const missing = Object.keys(common).filter((name) => (body[name] ?? undefined) === undefined);
	if (missing.length > 0) return `Missing required fields: ${missing.join(', ')}`;
	for (const rules of [z.object(common), variants[String(body.base_model)]]) {
		const { error } = rules?.safeParse(body) ?? {};
		if (error) return `Invalid value for ${error.issues[0].path.join('.')}`;
	}
	const { theme, machine_type: machine = 'NVIDIA_H100' } = body;
	if (theme === 'KONTEXT' && machine !== 'NVIDIA_H100') return 'Invalid value for machine_type';
	return undefined;
}
