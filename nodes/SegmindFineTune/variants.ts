/** The variants of fine-tune jobs: the request body to fill in, and the specification's schema of it (docs/service.md S348 to S353). */
import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import type { SegmindFailure } from '../shared/base/failure';
import { choiceField, showIf } from '../shared/descriptions/fields';
import { badInput } from '../shared/errors/failures';
import { say, type Said } from '../shared/errors/say';
import type { JsonBody } from '../shared/parameters/json';
import { textIn } from '../shared/parameters/values';
import type { Item } from '../shared/run/item';

/** The members whose text must not be empty; the templates leave them empty. */
const FILLED_IN = ['name', 'data_source_path', 'instance_prompt'];
/** A member is required unless the specification gives it a default. */
const COMMON = {
	name: z.string(),
	data_source_path: z.string(),
	instance_prompt: z.string(),
	segmind_public: z.boolean(),
};
const COMMON_TEMPLATE = {
	name: '',
	data_source_path: '',
	instance_prompt: '',
	segmind_public: false,
};
const trigger_word = z.string().optional();
const learning_rate = z.number().positive();
const steps = z.number().int().positive();

interface Variant {
	name: string;
	about?: string;
	/** Other members are allowed, because Segmind may have added some. */
	schema: z.AnyZodObject;
	/** The body to fill in. */
	template: object;
}

const VARIANTS: Record<string, Variant> = {
	custom: {
		name: 'Custom',
		about: 'Any other kind of training. Segmind alone checks the job.',
		schema: z.object({}),
		template: {},
	},
	fastFlux: {
		name: 'Fast Flux',
		about: 'Trains on public datasets only',
		schema: z.object({
			...COMMON,
			trigger_word,
			base_model: z.literal('FAST_FLUX'),
			theme: z.literal('subject'),
			advance_parameters: z.object({
				steps,
				face_crop: z.boolean(),
				finetune_type: z.string(),
			}),
		}),
		template: {
			...COMMON_TEMPLATE,
			trigger_word: 'TOK',
			base_model: 'FAST_FLUX',
			theme: 'subject',
			advance_parameters: { steps: 2000, face_crop: false, finetune_type: 'LORA' },
		},
	},
	kontext: {
		name: 'Flux Kontext',
		schema: z.object({
			...COMMON,
			base_model: z.literal('FLUX'),
			theme: z.literal('KONTEXT'),
			train_type: z.string(),
			machine_type: z.literal('NVIDIA_H100'),
			advance_parameters: z.object({ learning_rate, steps }),
		}),
		template: {
			...COMMON_TEMPLATE,
			base_model: 'FLUX',
			theme: 'KONTEXT',
			train_type: 'LORA',
			machine_type: 'NVIDIA_H100',
			advance_parameters: { learning_rate: 0.005, steps: 2000 },
		},
	},
	fluxPro: {
		name: 'Flux Pro',
		schema: z.object({
			...COMMON,
			trigger_word,
			base_model: z.literal('FLUX_PRO'),
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
		template: {
			...COMMON_TEMPLATE,
			trigger_word: 'TOK',
			base_model: 'FLUX_PRO',
			theme: 'GENERAL',
			// Without learning_rate, because Segmind's default depends on finetune_type.
			advance_parameters: {
				iterations: 300,
				priority: 'QUALITY',
				captioning: true,
				lora_rank: 32,
				finetune_type: 'FULL',
			},
		},
	},
};

/** The fields of a job: its variant, and the request body of each variant. */
export const jobFields: INodeProperties[] = [
	choiceField(
		'variant',
		'Variant',
		'The kind of training',
		Object.entries(VARIANTS).map(([value, { name, about }]) => [value, name, about]),
		'fluxPro',
		{ noDataExpression: true },
	),
	...Object.entries(VARIANTS).map(
		([variant, { template }]): INodeProperties => ({
			displayName: 'Job (JSON)',
			name: 'jobJson',
			type: 'json',
			default: JSON.stringify(template, null, 2),
			required: true,
			description:
				'The request body, sent exactly as entered. The data_source_path is the s3_url from the output of Dataset: Upload, or a URL that returns a Content-Length for HEAD and GET requests.',
			...showIf({ variant: [variant] }),
		}),
	),
];

/** Reads the body of a job. @throws SegmindFailure that names the first wrong member, before any call */
export function readJobParameter({ parameters }: Item): JsonBody {
	const variant = parameters.choice('variant', Object.keys(VARIANTS));
	const body = parameters.jsonBody('jobJson');
	if (variant === 'custom') return body;
	const [issue] = VARIANTS[variant].schema.safeParse(body.value).error?.issues ?? [];
	if (issue) throw wrongJob(issue.path.join('.'), say`${issue.message}`);
	const empty = FILLED_IN.find((name) => textIn(body.value[name]) === '');
	if (empty) throw wrongJob(empty, say`it is empty`);
	return body;
}

function wrongJob(member: string, why: Said): SegmindFailure {
	return badInput({
		what: say`'${member}' in Job (JSON) is wrong: ${why}`,
		todo: say`Correct it in Job (JSON).`,
	});
}
