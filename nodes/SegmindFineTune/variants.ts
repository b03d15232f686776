/** The variants of fine-tune jobs, with exactly the specified fields (docs/service.md S348 to S352). */
import { wrongInput } from '../shared/errors/failures';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isBlank, snakeCase } from '../shared/base/text';
import { choiceField } from '../shared/descriptions/fields';
import { readText, readNumber, readChoice, textIn, readBoolean } from '../shared/inputs/values';

export const VARIANTS = ['fluxPro', 'kontext', 'fastFlux', 'custom'] as const;
export type Variant = (typeof VARIANTS)[number];

/** The choice of the variant. It can't be an expression, because the other fields depend on it. */
export const variantField = choiceField(
	'variant',
	'Variant',
	'The kind of training',
	[
		['custom', 'Custom', 'Any other kind of training; you provide the whole request'],
		['fastFlux', 'Fast Flux', 'Trains on public datasets only'],
		['kontext', 'Flux Kontext'],
		['fluxPro', 'Flux Pro'],
	],
	'fluxPro',
	{ noDataExpression: true },
);

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
const SOURCE =
	'URL of the ZIP file with the training images: the s3_url from the output of Upload Dataset, or a URL that returns a Content-Length for HEAD and GET requests. For Fast Flux, the file must be public.';
const FULL_OR_LORA = 'FULL fine-tunes the model, then extracts a LoRA; LORA trains a LoRA directly';
const RATE =
	'Step size of the training. If 0, Segmind chooses it: for Flux Pro, 0.00001 (FULL) or 0.0001 (LORA).';

function member(
	name: string,
	variants: Variant[],
	defaultValue: BodyMember['defaultValue'],
	about: string,
	more: Partial<BodyMember> = {},
): BodyMember {
	return { name, variants, defaultValue, about, ...more };
}

const MEMBERS: BodyMember[] = [
	member('name', ALL, '', 'Name of the job', { required: true }),
	member('dataSourcePath', ALL, '', SOURCE, { required: true }),
	member('instancePrompt', ALL, '', 'What the images show', { required: true }),
	member(
		'triggerWord',
		[...PRO, ...FAST],
		'TOK',
		'The word that stands for the trained subject in prompts',
	),
	member('theme', PRO, 'GENERAL', 'The kind of subject to train on', {
		choices: ['CHARACTER', 'GENERAL', 'PRODUCT', 'STYLE'],
	}),
	member('trainType', KONTEXT, 'LORA', 'Kind of training'),
	member('machineType', KONTEXT, 'NVIDIA_H100', 'GPU to use', { choices: ['NVIDIA_H100'] }),
	member('segmindPublic', ALL, false, 'Whether everybody may use the trained model'),
];

/** The members of `advance_parameters`. */
const ADVANCED: BodyMember[] = [
	member('finetuneType', PRO, 'FULL', FULL_OR_LORA, { choices: ['FULL', 'LORA'] }),
	member('finetuneType', FAST, 'LORA', 'Kind of training', { choices: ['LORA'] }),
	member('iterations', PRO, 300, 'Training iterations, 100 or more', { min: 100 }),
	member('priority', PRO, 'QUALITY', 'What to optimize the training for', {
		choices: ['HIGH_RES_ONLY', 'QUALITY', 'SPEED'],
	}),
	member('captioning', PRO, true, 'Whether to caption images automatically'),
	member('loraRank', PRO, 32, 'Capacity of the LoRA', { choices: [16, 32] }),
	member('learningRate', [...PRO, ...KONTEXT], 0, RATE, { isFraction: true }),
	member('steps', [...KONTEXT, ...FAST], 0, 'Number of training steps. If 0, Segmind chooses it.'),
	member('faceCrop', FAST, false, 'Whether to crop images to the face'),
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
				.map((member) => [snakeCase(member.name), valueOf(member, value(member.name))])
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
		throw wrongInput(label, value, wanted);
	return number;
}
