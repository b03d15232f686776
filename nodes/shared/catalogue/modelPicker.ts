import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import type { ListContext } from '../service/picker';
import type { ListedModel } from '../service/schemas';
import { cleanText, isClean } from '../base/clean';
import { readChosenModel } from './currentParameters';
import { catalogue, findModel } from './index';
import { splitWords } from './kinds';
import { listedKind, listEndpoints, listModels, mergeParameters } from './modelList';
import { pageUrlOf } from './slug';
import type { CatalogueParameter, Kind } from './types';

/** Extra search words for the models whose name matches the pattern. They are searched, but not shown. */
const TASK_SEARCH_WORDS: ReadonlyArray<[RegExp, string]> = [
	[/upscal|esrgan|enhance|super.?res/, 'upscale enlarge'],
	[/remov\w*.background|background.remov|rmbg/, 'remove background'],
	[/face|portrait/, 'face swap'],
	[/lip.?sync|avatar|talking|speaking/, 'lip sync talking'],
	[/tts|speech|voice|dialogue|dubbing|orpheus/, 'voice speech text to speech tts'],
	[/transcri|whisper/, 'transcribe speech to text'],
	[/music|lyria|song/, 'music song'],
	[/3d|mesh|trellis/, '3d'],
	[
		/^(?!.*\b(?:image|tts|audio|veo)\b).*\b(?:gpt|o3|o4|claude|gemini)\b/,
		'vision analyze describe image caption alt text ocr',
	],
];

/** Extra search words for the models of a kind. */
const KIND_SEARCH_WORDS: Record<Kind, string> = {
	image: 'text to image picture photo illustration art poster logo',
	imageEdit: 'image to image editing picture photo',
	video: 'video film',
	audio: 'audio sound',
	text: 'text llm chat language model',
	transcript: 'transcribe transcription speech to text audio subtitles',
};

/** What a picker knows of a model. */
interface PickerModel {
	slug: string;
	title: string;
	/** The service's word for what the model does. */
	type?: string;
	kind?: Kind;
	/** Whether it's an endpoint of the account. */
	isEndpoint?: true;
}

/** Lists all models, for a picker. Never throws. */
export async function searchAllModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchModelsFor(this, filter);
}

/** The task that a picker belongs to. */
interface PickerTask {
	/** What the task's models make; undefined for models of any kind. */
	makes?: Kind;
	/** Search words that find the task's models, such as `upscale`; undefined if all models of the kind belong to the task. */
	topic?: string;
	/** What the picker calls the task of a model of another kind, such as "Edit an image". */
	taskLabels?: Partial<Record<Kind, string>>;
}

/**
 * Lists the models of a task: first the well-known ones, then the account's endpoints, then the others in the order of the service's public list (of
 * the built-in catalogue, if that list is unreachable), and last the models of an unknown kind. If the chosen model is missing, it's appended, because
 * n8n 2.40 clears a value that isn't in the list when the credential changes. A filter finds models of all tasks. Never throws.
 */
export async function searchModelsFor(
	context: ILoadOptionsFunctions,
	filter = '',
	task: PickerTask = {},
): Promise<INodeListSearchResult> {
	const { list, models } = await readModels(context);
	const isOfTask = (model: PickerModel) => doesTask(task, model);
	const words = wordsOf(filter);
	const found =
		words.length > 0
			? findMatches(models, words, isOfTask)
			: withChosen(models.filter(isOfTask), readChosenModel(context), models);
	return {
		results: found.map((model) => {
			const { slug, kind, isEndpoint } = model;
			const entry = entryOf(model, isOfTask(model) || !kind ? undefined : task.taskLabels?.[kind]);
			const hasForm = isEndpoint === true || mergeParameters(slug, list).length > 0;
			return hasForm ? entry : { ...entry, name: `${entry.name} · no form` };
		}),
	};
}

/** A model with all that is known of its parameters. */
type FoundModel = PickerModel & { parameters: readonly CatalogueParameter[] };

/** Returns the models of a task that match every word of the search, in the picker's order. Never throws. */
export async function findModels(
	context: ListContext,
	search: string,
	task: PickerTask,
): Promise<FoundModel[]> {
	const { list, models } = await readModels(context);
	const words = wordsOf(search);
	return models
		.filter((model) => doesTask(task, model) && hasWords(model, words))
		.map((model) => ({ ...model, parameters: mergeParameters(model.slug, list) }));
}

/** Returns the models of the public list, or of the built-in catalogue if it's unreachable, and the account's endpoints, in the picker's order. */
async function readModels(context: ListContext) {
	const [list, endpoints] = await Promise.all([listModels(context), listEndpoints(context)]);
	const listed = [...(list?.values() ?? [])]
		// The service spells "deprecated" this way.
		.filter((model) => model.is_depreciated !== true && model.is_visible !== false)
		.map(pickerModelOf);
	const known: PickerModel[] = [...(listed.length > 0 ? listed : catalogue), ...endpoints];
	const models = [...new Map(known.map((model) => [model.slug, model])).values()].sort(
		(one, other) => rank(one) - rank(other),
	);
	return { list, models };
}

/** Appends the chosen model if it's missing, unless an expression chooses the model. */
function withChosen(listed: PickerModel[], slug: string, models: PickerModel[]): PickerModel[] {
	if (!isClean(slug) || listed.some((model) => model.slug === slug)) return listed;
	const chosen = models.find((model) => model.slug === slug);
	return [...listed, chosen ?? findModel(slug) ?? { slug, title: slug }];
}

/**
 * Whether a model belongs to a task. The account's endpoints belong to every task. So do models of an unknown kind, if no topic narrows the task. An image
 * model that accepts files also edits images.
 */
function doesTask({ makes, topic = '' }: PickerTask, model: PickerModel): boolean {
	const { kind, slug, isEndpoint } = model;
	if (isEndpoint) return true;
	if (!hasWords(model, topic.split(' '))) return false;
	if (makes === undefined || kind === undefined || kind === makes) return true;
	const takesFiles = findModel(slug)?.parameters.some(({ type }) => type === 'file');
	return kind === 'image' && takesFiles === true && makes === 'imageEdit';
}

function rank({ slug, kind, isEndpoint }: PickerModel): number {
	if (findModel(slug)?.wellKnown) return 0;
	if (isEndpoint) return 1;
	return kind === undefined ? 3 : 2;
}

/** Finds the models whose name, kind or task matches every word, with the models of the task first. */
function findMatches(
	models: PickerModel[],
	words: string[],
	isOfTask: (model: PickerModel) => boolean,
): PickerModel[] {
	const found = models.filter((model) => hasWords(model, words));
	return [...found.filter(isOfTask), ...found.filter((model) => !isOfTask(model))];
}

function hasWords(model: PickerModel, words: string[]): boolean {
	const text = searchText(model);
	return words.every((word) => text.includes(word));
}

function searchText({ slug, title, type = '', kind }: PickerModel): string {
	const names = wordsOf(`${title} ${slug} ${splitWords(type)}`).join(' ');
	const tasks = TASK_SEARCH_WORDS.filter(([pattern]) => pattern.test(names)).map(
		([, words]) => words,
	);
	return [names, slug.toLowerCase(), kind && KIND_SEARCH_WORDS[kind], ...tasks].join(' ');
}

/** Splits a string into words of letters and digits, in lower case. */
function wordsOf(text: string): string[] {
	return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function pickerModelOf({ slug, title, type }: ListedModel): PickerModel {
	return {
		slug,
		title: cleanText(title) || slug,
		type: cleanText(type),
		kind: listedKind({ slug, type }),
	};
}

/**
 * Returns the picker's entry for a model, named with title, published price and time: `Nano Banana · $0.04 · 14 s`. For a model of another task, the task
 * replaces the time. The editor shows only this text of an entry (docs/n8n.md N205).
 */
function entryOf({ slug, title, isEndpoint }: PickerModel, task?: string): INodeListSearchItems {
	const { cost, latencySeconds } = findModel(slug) ?? {};
	const price = isEndpoint ? 'your endpoint' : priceText(cost);
	const parts = [title, price, task ?? (latencySeconds && timeText(latencySeconds))];
	return {
		name: parts.filter(Boolean).join(' · '),
		value: slug,
		...(!isEndpoint && { url: pageUrlOf(slug) }),
	};
}

/** Writes a price in USD, such as `$0.04`. */
export function priceText(cost?: number): string | undefined {
	if (cost === undefined) return undefined;
	return `$${cost >= 0.01 ? cost.toFixed(2) : Number(cost.toPrecision(2))}`;
}

function timeText(seconds: number): string {
	return `${seconds >= 1 ? Math.round(seconds) : seconds.toFixed(1)} s`;
}
