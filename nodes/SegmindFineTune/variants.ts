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

/** The members that every job needs; the template leaves them empty. */
const REQUIRED = ['name', 'data_source_path', 'instance_prompt'];
const COMMON = {
	name: z.string().default(''),
	data_source_path: z.string().default(''),
	instance_prompt: z.string().default(''),
	segmind_public: z.boolean().default(false),
};
const trigger_word = z.string().default('TOK');
const learning_rate = z.number().positive();
const steps = z.number().int().positive().default(2000);
const constant = (value: string) => z.literal(value).default(value);

/** The schemas of the variants. Their defaults are the template. Members that a schema doesn't name are allowed, because Segmind may have added some. */
const VARIANTS: Record<string, { name: string; about?: string; schema: z.AnyZodObject }> = {
	custom: {
		name: 'Custom',
		about: 'Any other kind of training. Segmind alone checks the job.',
		schema: z.object({}),
	},
	fastFlux: {
		name: 'Fast Flux',
		about: 'Trains on public datasets only',
		schema: z.object({
			...COMMON,
			trigger_word,
			base_model: constant('FAST_FLUX'),
			theme: constant('subject'),
			advance_parameters: z.object({
				steps,
				face_crop: z.boolean().default(false),
				finetune_type: constant('LORA'),
			}),
		}),
	},
	kontext: {
		name: 'Flux Kontext',
		schema: z.object({
			...COMMON,
			base_model: constant('FLUX'),
			theme: constant('KONTEXT'),
			train_type: constant('LORA'),
			machine_type: constant('NVIDIA_H100'),
			advance_parameters: z.object({ learning_rate: learning_rate.default(0.005), steps }),
		}),
	},
	fluxPro: {
		name: 'Flux Pro',
		schema: z.object({
			...COMMON,
			trigger_word,
			base_model: constant('FLUX_PRO'),
			theme: z.enum(['CHARACTER', 'GENERAL', 'PRODUCT', 'STYLE']).default('GENERAL'),
			advance_parameters: z.object({
				iterations: z.number().int().min(100).default(300),
				// The template leaves it out: Segmind's default depends on finetune_type.
				learning_rate: learning_rate.optional(),
				priority: z.enum(['HIGH_RES_ONLY', 'QUALITY', 'SPEED']).default('QUALITY'),
				captioning: z.boolean().default(true),
				lora_rank: z.union([z.literal(16), z.literal(32)]).default(32),
				finetune_type: z.enum(['FULL', 'LORA']).default('FULL'),
			}),
		}),
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
		([variant, { schema }]): INodeProperties => ({
			displayName: 'Job (JSON)',
			name: 'jobJson',
			type: 'json',
			default: JSON.stringify(schema.parse({ advance_parameters: {} }), null, 2),
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
	const empty = REQUIRED.find((name) => textIn(body.value[name]) === '');
	if (empty) throw wrongJob(empty, say`it is empty`);
	return body;
}

function wrongJob(member: string, why: Said): SegmindFailure {
	return badInput({
		what: say`'${member}' in Job (JSON) is wrong: ${why}`,
		todo: say`Correct it in Job (JSON).`,
	});
}
