/** The variants of fine-tune jobs, with exactly the specified fields (docs/service.md S348 to S352). */
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isBlank } from '../shared/base/text';
import {
	readText,
	readNumber,
	readChoice,
	textIn,
	readBoolean,
	wrongValueFailure,
} from '../shared/inputs/values';

export const VARIANTS = ['fluxPro', 'kontext', 'fastFlux', 'custom'] as const;
export type Variant = (typeof VARIANTS)[number];

/** The choice of the variant. It can't be an expression, because the other fields depend on it. */
export const variantField: INodeProperties = {
	displayName: 'Variant',
	name: 'variant',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Custom',
			value: 'custom',
			description: 'Any other kind of training; you provide the whole request',
		},
		{ name: 'Fast Flux', value: 'fastFlux', description: 'Trains on public datasets only' },
		{ name: 'Flux Kontext', value: 'kontext' },
		{ name: 'Flux Pro', value: 'fluxPro' },
	],
	default: 'fluxPro',
	description: 'The kind of training',
};

/** The members that every job of a variant sends. */
const CONSTANTS: Record<Exclude<Variant, 'custom'>, IDataObject> = {
	fluxPro: { base_model: 'FLUX_PRO' },
	kontext: { base_model: 'FLUX', theme: 'KONTEXT' },
	fastFlux: { base_model: 'FAST_FLUX', theme: 'subject' },
};

/** A member of the submit body. */
interface BodyMember {
	/** The service's name in camelCase. */
	name: string;
	variants: Variant[];
	/** Its type is also the member's type. The number 0 means that Segmind decides. */
	defaultValue: string | number | boolean;
	about: string;
	required?: true;
	/** The allowed values. */
	choices?: Array<string | number>;
	/** Smallest allowed number; 0 if missing. */
	min?: number;
	isFraction?: true;
}

const ALL: Variant[] = ['fluxPro', 'kontext', 'fastFlux'];
const PRO: Variant[] = ['fluxPro'];
const KONTEXT: Variant[] = ['kontext'];
const FAST: Variant[] = ['fastFlux'];
const THEMES = ['CHARACTER', 'GENERAL', 'PRODUCT', 'STYLE'];
const SOURCE =
	'URL of the ZIP file with the training images: the s3_url from the output of Upload Dataset, or a URL that returns a Content-Length for HEAD and GET requests. For Fast Flux, the file must be public.';
const TRIGGER = 'The word that stands for the trained subject in prompts';
const FULL_OR_LORA = 'FULL fine-tunes the model, then extracts a LoRA; LORA trains a LoRA directly';
const PRIORITIES = ['HIGH_RES_ONLY', 'QUALITY', 'SPEED'];
const RATE =
	'Step size of the training. If 0, Segmind chooses it: for Flux Pro, 0.00001 (FULL) or 0.0001 (LORA).';
const PUBLIC = 'Whether everybody may use the trained model';
const MACHINES = ['NVIDIA_H100'];

const MEMBERS: BodyMember[] = [
	{ name: 'name', variants: ALL, defaultValue: '', required: true, about: 'Name of the job' },
	{ name: 'dataSourcePath', variants: ALL, defaultValue: '', required: true, about: SOURCE },
	{
		name: 'instancePrompt',
		variants: ALL,
		defaultValue: '',
		required: true,
		about: 'What the images show',
	},
	{ name: 'triggerWord', variants: ['fluxPro', 'fastFlux'], defaultValue: 'TOK', about: TRIGGER },
	{
		name: 'theme',
		variants: PRO,
		defaultValue: 'GENERAL',
		choices: THEMES,
		about: 'The kind of subject to train on',
	},
	{ name: 'trainType', variants: KONTEXT, defaultValue: 'LORA', about: 'Kind of training' },
	{
		name: 'machineType',
		variants: KONTEXT,
		defaultValue: MACHINES[0],
		choices: MACHINES,
		about: 'GPU to use',
	},
	{ name: 'segmindPublic', variants: ALL, defaultValue: false, about: PUBLIC },
];

/** The members of `advance_parameters`. */
const ADVANCED: BodyMember[] = [
	{
		name: 'finetuneType',
		variants: PRO,
		defaultValue: 'FULL',
		choices: ['FULL', 'LORA'],
		about: FULL_OR_LORA,
	},
	{
		name: 'finetuneType',
		variants: FAST,
		defaultValue: 'LORA',
		choices: ['LORA'],
		about: 'Kind of training',
	},
	{
		name: 'iterations',
		variants: PRO,
		defaultValue: 300,
		min: 100,
		about: 'Training iterations, 100 or more',
	},
	{
		name: 'priority',
		variants: PRO,
		defaultValue: 'QUALITY',
		choices: PRIORITIES,
		about: 'What to optimize the training for',
	},
	{
		name: 'captioning',
		variants: PRO,
		defaultValue: true,
		about: 'Whether to caption images automatically',
	},
	{
		name: 'loraRank',
		variants: PRO,
		defaultValue: 32,
		choices: [16, 32],
		about: 'Capacity of the LoRA',
	},
	{
		name: 'learningRate',
		variants: ['fluxPro', 'kontext'],
		defaultValue: 0,
		isFraction: true,
		about: RATE,
	},
	{
		name: 'steps',
		variants: ['kontext', 'fastFlux'],
		defaultValue: 0,
		about: 'Number of training steps. If 0, Segmind chooses it.',
	},
	{
		name: 'faceCrop',
		variants: FAST,
		defaultValue: false,
		about: 'Whether to crop images to the face',
	},
];

/** Labels that `labelOf` can't derive from the name. */
const LABELS: Record<string, string> = { finetuneType: 'Fine-Tune Type', loraRank: 'LoRA Rank' };

/** The node's fields for the jobs of all variants. */
export const jobFields: INodeProperties[] = [
	{
		displayName: 'Job (JSON)',
		name: 'jobJson',
		type: 'json',
		default: '{}',
		required: true,
		description: 'The whole request body, sent exactly as entered',
		displayOptions: { show: { variant: ['custom'] } },
	},
	...[...MEMBERS, ...ADVANCED].map(fieldOf),
];

function fieldOf(member: BodyMember): INodeProperties {
	const { name, variants, defaultValue, required, choices, min = 0, isFraction, about } = member;
	const field: INodeProperties = {
		displayName: labelOf(name),
		name,
		type: choices ? 'options' : (typeof defaultValue as 'string' | 'number' | 'boolean'),
		default: defaultValue,
		required,
		description: about,
		displayOptions: { show: { variant: variants } },
	};
	if (choices) field.options = choices.map((value) => ({ name: String(value), value }));
	if (field.type === 'number')
		field.typeOptions = { minValue: min, numberPrecision: isFraction ? 10 : 0 };
	return field;
}

/** `dataSourcePath` becomes "Data Source Path". */
function labelOf(name: string): string {
	const words = name.replace(
		/^.|[A-Z]/g,
		(letter, at) => `${at > 0 ? ' ' : ''}${letter.toUpperCase()}`,
	);
	return LABELS[name] ?? words;
}

/**
 * Returns the submit body of a variant; `value` returns the values by name. Pure.
 * @throws SegmindFailure that names the parameter with a wrong value, before any call
 */
export function jobBody(
	variant: Exclude<Variant, 'custom'>,
	value: (name: string) => unknown,
): IDataObject {
	const membersOf = (members: BodyMember[]) =>
		Object.fromEntries(
			members
				.filter((member) => member.variants.includes(variant))
				.map((member) => [
					member.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
					valueOf(member, value(member.name)),
				])
				.filter(([, given]) => given !== 0),
		) as IDataObject;
	return {
		...CONSTANTS[variant],
		...membersOf(MEMBERS),
		advance_parameters: membersOf(ADVANCED),
	};
}

/** Returns the value to send: an empty field means the default. @throws SegmindFailure for a wrong value */
function valueOf(member: BodyMember, given: unknown): string | number | boolean {
	const { name, defaultValue, required, choices, min = 0, isFraction } = member;
	const label = labelOf(name);
	const value = isBlank(given) ? defaultValue : given;
	if (choices) return readChoice(value, label, choices);
	if (typeof defaultValue === 'boolean') return readBoolean(value, label);
	if (typeof defaultValue === 'string') return required ? readText(value, label) : textIn(value);
	const wanted = `a ${isFraction ? '' : 'whole '}number of at least ${min}`;
	const number = readNumber(value, label, wanted);
	if (number < min || !(isFraction || Number.isSafeInteger(number)))
		throw wrongValueFailure(value, label, wanted);
	return number;
}
