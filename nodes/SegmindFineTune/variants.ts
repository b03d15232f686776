/** The request body of a fine-tune job, and the specification's schema of each variant (docs/service.md S348 to S352). */
import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { badInput } from '../shared/errors/failures';
import { say } from '../shared/errors/say';
import type { JsonBody } from '../shared/parameters/json';
import type { Item } from '../shared/run/item';

const filledIn = z.string().trim().min(1);
const trigger_word = z.string().optional();
const learning_rate = z.number().positive();
const steps = z.number().int().positive();

/**
 * What every job has. A member is required unless the specification gives it a default. Other members are allowed, because Segmind may have added some.
 */
const JOB = z.object({
	name: filledIn,
	data_source_path: filledIn,
	instance_prompt: filledIn,
	segmind_public: z.boolean(),
	base_model: filledIn,
	theme: filledIn,
	advance_parameters: z.object({}),
});

/** The jobs of the specification by `base_model`. */
const VARIANTS = new Map<unknown, z.AnyZodObject>(
	Object.entries({
		FAST_FLUX: JOB.extend({
			trigger_word,
			theme: z.literal('subject'),
			advance_parameters: z.object({ steps, face_crop: z.boolean(), finetune_type: z.string() }),
		}),
		/** Flux Kontext. */
		FLUX: JOB.extend({
			theme: z.literal('KONTEXT'),
			train_type: z.string(),
			machine_type: z.literal('NVIDIA_H100'),
			advance_parameters: z.object({ learning_rate, steps }),
		}),
		FLUX_PRO: JOB.extend({
			trigger_word,
			theme: z.enum(['CHARACTER', 'GENERAL', 'PRODUCT', 'STYLE']),
			advance_parameters: z
				.object({
					iterations: z.number().int().min(100),
					learning_rate,
					priority: z.enum(['HIGH_RES_ONLY', 'QUALITY', 'SPEED']),
					captioning: z.boolean(),
					lora_rank: z.union([z.literal(16), z.literal(32)]),
					finetune_type: z.enum(['FULL', 'LORA']),
				})
				.partial(),
		}),
	}),
);

export const jobField: INodeProperties = {
	displayName: 'Job (JSON)',
	name: 'jobJson',
	type: 'json',
	default: '{}',
	required: true,
	description:
		"The request body, sent exactly as entered. This node's documentation has an example for Flux Pro, Flux Kontext and Fast Flux. The data_source_path is the s3_url from the output of Dataset: Upload, or a URL that returns a Content-Length for HEAD and GET requests.",
};

/** Reads the body of a job. @throws SegmindFailure that names the first wrong member, before any call */
export function readJobParameter({ parameters }: Item): JsonBody {
	const body = parameters.jsonBody('jobJson');
	const schema = VARIANTS.get(body.value.base_model) ?? JOB;
	const [issue] = schema.safeParse(body.value).error?.issues ?? [];
	if (issue)
		throw badInput(
			say`'${issue.path.join('.')}' in Job (JSON) is wrong: '${issue.message}'`,
			say`Correct it in Job (JSON).`,
		);
	return body;
}
