import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Orders } from './orders';
import { fineTuneStates, type FineTuneState } from './types';

/** A fine-tune job. Its state isn't stored: it depends on the clock. */
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

/** Returns the path of the job's weights on the storage origin. */
export const weightsPath = (job: FineTune): string => `/weights/${job.id}.safetensors`;

export function createFineTuneStore(now: () => number, orders: Orders) {
	let all: FineTune[] = [];
	const stateIndex = (job: FineTune): number => {
		const last = job.failure === null ? fineTuneStates.length - 1 : 1;
		const steps = job.stepMs > 0 ? Math.floor((now() - job.submittedAt) / job.stepMs) : last;
		return Math.min(last, steps);
	};
	const stateOf = (job: FineTune): FineTuneState =>
		job.failure !== null && stateIndex(job) === 1 ? 'FAILED' : fineTuneStates[stateIndex(job)];
	return {
		get all() {
			return all;
		},
		find: (id: unknown) => all.find((job) => job.id === id),
		findBySlug: (slug: string) => all.find((job) => job.slug === slug),
		submit(body: Record<string, unknown>, failure: string | null): FineTune {
			const { failFineTunes } = orders;
			const isOrderedToFail = failFineTunes === 'all' || failFineTunes.includes(all.length);
			const id = randomUUID();
			const job: FineTune = {
				id,
				body,
				public: body.segmind_public === true,
				submittedAt: now(),
				stepMs: orders.fineTuneStepMs,
				failure: failure ?? (isOrderedToFail ? 'GPU overloaded, try with smaller dataset' : null),
				slug: `${String(body.name)}-${id.slice(0, 8)}`,
				updatedAt: now(),
			};
			all.push(job);
			return job;
		},
		stateOf,
		/** Returns the time at which the job's current state began. */
		stateSince: (job: FineTune) =>
			Math.max(job.updatedAt, job.submittedAt + stateIndex(job) * job.stepMs),
		views: () =>
			// As models, they can be called by the slug once they are AVAILABLE.
			all.map((job) => ({ finetuneId: job.id, public: job.public, slug: job.slug })),
		clear(): void {
			all = [];
		},
	};
}

const text = z.string().min(1);

const commonFields = {
	name: text,
	data_source_path: z.string().regex(/^(https?:\/\/|s3:\/\/segmind-)/),
	instance_prompt: text,
	base_model: text,
	theme: text,
	segmind_public: z.boolean(),
	advance_parameters: z.record(z.unknown()),
};

/** The rules for fields by base model, in addition to the common ones. Optional fields are checked only if they are sent (docs/service.md S350 to S352). */
const baseModelFields: Record<string, z.AnyZodObject> = {
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
		// Plain Flux shares the base model's name with Kontext (docs/service.md S351).
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

/** Returns what is wrong with the body of a submission, or undefined if it's valid. */
export function submissionProblem(body: Record<string, unknown>): string | undefined {
	const missing = Object.keys(commonFields).filter(
		(name) => (body[name] ?? undefined) === undefined,
	);
	if (missing.length > 0) return `Missing required fields: ${missing.join(', ')}`;
	for (const rules of [z.object(commonFields), baseModelFields[String(body.base_model)]]) {
		const { error } = rules?.safeParse(body) ?? {};
		if (error) return `Invalid value for ${error.issues[0].path.join('.')}`;
	}
	const { theme, machine_type: machine = 'NVIDIA_H100' } = body;
	if (theme === 'KONTEXT' && machine !== 'NVIDIA_H100') return 'Invalid value for machine_type';
	return undefined;
}
