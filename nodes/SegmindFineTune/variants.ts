import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { badInput } from '../shared/base/failure';
import { isBlank } from '../shared/base/text';
import { shown } from '../shared/base/redact';
import {
	filled,
	numberOf,
	oneOf,
	textIn,
	trueOrFalse,
	wholeNumber,
	wrong,
} from '../shared/inputs/values';

/** The trainings there are, with exactly the specified fields (docs/service.md S348 to S352). */

export const VARIANTS = ['fluxPro', 'kontext', 'fastFlux', 'custom'] as const;
export type Variant = (typeof VARIANTS)[number];

/** noDataExpression: which fields there are follows from it. */
export const variantField: INodeProperties = {
	displayName: 'Variant',
	name: 'variant',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Custom', value: 'custom', description: 'Any other training; nothing is filled in' },
		{ name: 'Fast Flux', value: 'fastFlux', description: 'Trains on public datasets only' },
		{ name: 'Flux Kontext', value: 'kontext' },
		{ name: 'Flux Pro', value: 'fluxPro' },
	],
	default: 'fluxPro',
	description: 'The kind of training',
};

const THEMES = ['CHARACTER', 'GENERAL', 'PRODUCT', 'STYLE'] as const;
const PRIORITIES = ['HIGH_RES_ONLY', 'QUALITY', 'SPEED'] as const;
const FINETUNE_TYPES = ['FULL', 'LORA'] as const;
const LORA_RANKS = [32, 16] as const;
const MACHINE_TYPES = ['NVIDIA_H100'] as const;
const FEWEST_ITERATIONS = 100;
const DEFAULT_ITERATIONS = 300;
const LEARNING_RATE = { FULL: 0.00001, LORA: 0.0001 } as const;

/** `show` members without the operation, which the operation adds. */
const when = (variants: Variant[], more: Record<string, string[]> = {}) => ({
	displayOptions: { show: { variant: variants, ...more } },
});

export const jobFields: INodeProperties[] = [
	{
		displayName: 'Job (JSON)',
		name: 'jobJson',
		type: 'json',
		default: '{}',
		required: true,
		description: 'The whole body of the call, sent exactly as written',
		...when(['custom']),
	},
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. my-sneakers',
		description: 'Name of the job',
		...when(['fluxPro', 'kontext', 'fastFlux']),
	},
	{
		displayName: 'Data Source Path',
		name: 'dataSourcePath',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.s3_url }}',
		description:
			'Address of the ZIP with the training images: the s3_url from the output of Dataset: Upload, or a public address that answers HEAD and GET with its length. Fast Flux needs a public one.',
		...when(['fluxPro', 'kontext', 'fastFlux']),
	},
	{
		displayName: 'Instance Prompt',
		name: 'instancePrompt',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. a photo of TOK sneakers',
		description: 'What the images show',
		...when(['fluxPro', 'kontext', 'fastFlux']),
	},
	{
		displayName: 'Trigger Word',
		name: 'triggerWord',
		type: 'string',
		default: 'TOK',
		description: 'The word that stands for the trained subject in prompts',
		...when(['fluxPro', 'fastFlux']),
	},
	{
		displayName: 'Theme',
		name: 'theme',
		type: 'options',
		options: [
			{ name: 'Character', value: 'CHARACTER' },
			{ name: 'General', value: 'GENERAL' },
			{ name: 'Product', value: 'PRODUCT' },
			{ name: 'Style', value: 'STYLE' },
		],
		default: 'GENERAL',
		description: 'What kind of thing is trained',
		...when(['fluxPro']),
	},
	{
		displayName: 'Finetune Type',
		name: 'finetuneType',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Full', value: 'FULL', description: 'Full fine-tune, then extraction into a LoRA' },
			{ name: 'LoRA', value: 'LORA', description: 'Raw LoRA training' },
		],
		default: 'FULL',
		description: 'How the model is trained; the default of Learning Rate follows from it',
		...when(['fluxPro']),
	},
	{
		displayName: 'Iterations',
		name: 'iterations',
		type: 'number',
		typeOptions: { minValue: FEWEST_ITERATIONS, numberPrecision: 0 },
		default: DEFAULT_ITERATIONS,
		description: 'Number of training iterations, at least 100',
		...when(['fluxPro']),
	},
	{
		displayName: 'Learning Rate',
		name: 'learningRate',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 10 },
		default: 0.00001,
		description: 'Step size of the training; 0.00001 is the default for a full fine-tune',
		...when(['fluxPro'], { finetuneType: ['FULL'] }),
	},
	{
		displayName: 'Learning Rate',
		name: 'learningRate',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 10 },
		default: 0.0001,
		description: 'Step size of the training; 0.0001 is the default for LoRA',
		...when(['fluxPro'], { finetuneType: ['LORA'] }),
	},
	{
		displayName: 'Priority',
		name: 'priority',
		type: 'options',
		options: [
			{ name: 'High Resolution Only', value: 'HIGH_RES_ONLY' },
			{ name: 'Quality', value: 'QUALITY' },
			{ name: 'Speed', value: 'SPEED' },
		],
		default: 'QUALITY',
		description: 'What the training favours',
		...when(['fluxPro']),
	},
	{
		displayName: 'Captioning',
		name: 'captioning',
		type: 'boolean',
		default: true,
		description: 'Whether images are captioned automatically',
		...when(['fluxPro']),
	},
	{
		displayName: 'LoRA Rank',
		name: 'loraRank',
		type: 'options',
		options: [
			{ name: '16', value: 16 },
			{ name: '32', value: 32 },
		],
		default: 32,
		description: 'Capacity of the LoRA',
		...when(['fluxPro']),
	},
	{
		displayName: 'Learning Rate',
		name: 'learningRate',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 10 },
		default: 0,
		description: 'Step size of the training. 0 leaves it to Segmind, which publishes no default.',
		...when(['kontext']),
	},
	{
		displayName: 'Steps',
		name: 'steps',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 0,
		description: 'Number of training steps. 0 leaves it to Segmind, which publishes no default.',
		...when(['kontext', 'fastFlux']),
	},
	{
		displayName: 'Train Type',
		name: 'trainType',
		type: 'string',
		default: 'LORA',
		description: 'Kind of training; LORA is the one that Segmind documents',
		...when(['kontext']),
	},
	{
		displayName: 'Machine Type',
		name: 'machineType',
		type: 'options',
		options: [{ name: 'NVIDIA H100', value: 'NVIDIA_H100' }],
		default: 'NVIDIA_H100',
		description: 'GPU the training runs on; the only one allowed',
		...when(['kontext']),
	},
	{
		displayName: 'Face Crop',
		name: 'faceCrop',
		type: 'boolean',
		default: false,
		description: 'Whether images are cropped to the face',
		...when(['fastFlux']),
	},
	{
		displayName: 'Finetune Type',
		name: 'finetuneType',
		type: 'options',
		noDataExpression: true,
		options: [{ name: 'LoRA', value: 'LORA' }],
		default: 'LORA',
		description: 'How the model is trained',
		...when(['fastFlux']),
	},
	{
		displayName: 'Segmind Public',
		name: 'segmindPublic',
		type: 'boolean',
		default: false,
		description: 'Whether everybody may use the trained model',
		...when(['fluxPro', 'kontext', 'fastFlux']),
	},
];

/** Gives the value of a parameter. */
type Reader = (name: string) => unknown;

/**
 * The submit body of a variant. Pure.
 * @throws SegmindFailure naming the parameter that is no good, before any call
 */
export function jobBody(variant: Exclude<Variant, 'custom'>, value: Reader): IDataObject {
	const common = {
		name: filled(value('name'), 'Name'),
		data_source_path: addressOf(value('dataSourcePath')),
		instance_prompt: filled(value('instancePrompt'), 'Instance Prompt'),
	};
	const segmind_public = trueOrFalse(value('segmindPublic') ?? false, 'Segmind Public');
	switch (variant) {
		case 'fluxPro':
			return {
				...common,
				...triggerWord(value),
				base_model: 'FLUX_PRO',
				theme: oneOf(value('theme'), 'Theme', THEMES),
				segmind_public,
				advance_parameters: fluxProParameters(value),
			};
		case 'kontext':
			return {
				...common,
				base_model: 'FLUX',
				theme: 'KONTEXT',
				train_type: filled(value('trainType'), 'Train Type'),
				machine_type: oneOf(value('machineType'), 'Machine Type', MACHINE_TYPES),
				segmind_public,
				advance_parameters: { ...learningRateIfSet(value), ...stepsIfSet(value) },
			};
		case 'fastFlux':
			return {
				...common,
				...triggerWord(value),
				base_model: 'FAST_FLUX',
				theme: 'subject',
				segmind_public,
				advance_parameters: {
					...stepsIfSet(value),
					face_crop: trueOrFalse(value('faceCrop'), 'Face Crop'),
					finetune_type: filled(value('finetuneType'), 'Finetune Type'),
				},
			};
	}
}

function fluxProParameters(value: Reader): IDataObject {
	const finetune_type = oneOf(value('finetuneType'), 'Finetune Type', FINETUNE_TYPES);
	const rate = value('learningRate');
	return {
		iterations: iterations(value('iterations')),
		// Sent explicitly, as the panel shows it.
		learning_rate: isBlank(rate) ? LEARNING_RATE[finetune_type] : aboveZero(rate),
		priority: oneOf(value('priority'), 'Priority', PRIORITIES),
		captioning: trueOrFalse(value('captioning'), 'Captioning'),
		lora_rank: oneOf(value('loraRank'), 'LoRA Rank', LORA_RANKS),
		finetune_type,
	};
}

function iterations(value: unknown): number {
	return isBlank(value) ? DEFAULT_ITERATIONS : wholeNumber(value, 'Iterations', FEWEST_ITERATIONS);
}

/** An emptied field asks for the documented default. */
function triggerWord(value: Reader): IDataObject {
	return { trigger_word: textIn(value('triggerWord')) || 'TOK' };
}

function learningRateIfSet(value: Reader): IDataObject {
	const rate = value('learningRate');
	return isLeftOut(rate) ? {} : { learning_rate: aboveZero(rate) };
}

function stepsIfSet(value: Reader): IDataObject {
	const steps = value('steps');
	return isLeftOut(steps) ? {} : { steps: wholeNumber(steps, 'Steps', 1) };
}

function isLeftOut(value: unknown): boolean {
	return isBlank(value) || Number(value) === 0;
}

function aboveZero(value: unknown): number {
	const what = 'a number above 0';
	const rate = numberOf(value, 'Learning Rate', what);
	if (rate > 0) return rate;
	throw wrong(rate, 'Learning Rate', what);
}

function addressOf(value: unknown): string {
	const address = filled(value, 'Data Source Path');
	// What the service gave as s3_url is taken as it is, which need not be a web address; a bare file name is a mistake.
	if (address.includes('/')) return address;
	throw badInput(
		`Data Source Path '${shown(address)}' is not an address`,
		'Give the s3_url from the output of Dataset: Upload, or the public address of a ZIP.',
	);
}
