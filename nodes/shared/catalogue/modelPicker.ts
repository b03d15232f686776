import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import type { ListContext } from '../service/picker';
import type { ListedModel } from '../service/schemas';
import { cleanText, isClean } from '../base/clean';
import { abilitiesOf, isFoundBy, marksOf } from './abilities';
import { readChosenModel } from './currentParameters';
import { catalogue, findModel } from './index';
import { splitWords } from './kinds';
import { credentialOf, listedKind, listModels, mergeParameters, type ModelList } from './modelList';
import { averagesOf, listPrices } from './prices';
import { pageUrlOf } from './slug';
import { TASKS, type Task, type Topic } from './tasks';
import type { CatalogueParameter, Kind } from './types';

/** Extra search words for the models whose names match a pattern: those of the tasks, and of abilities that are no task. */
const SEARCH_WORDS: ReadonlyArray<Topic> = [
	...TASKS.flatMap(({ topic }) => topic ?? []),
	{ names: /expand|outpaint/, words: 'outpaint uncrop' },
	{ names: /face|portrait/, words: 'face swap' },
	{ names: /lip.?sync|avatar|talk|speaking|sync so/, words: 'lip sync lipsync talking' },
	{ names: /caption|subtitle/, words: 'subtitles captions' },
	{ names: /stitch|merge|concat/, words: 'join merge combine videos' },
	{ names: /transcri|whisper/, words: 'transcribe speech to text' },
	{ names: /3d|mesh|trellis/, words: '3d' },
];

/** Extra search words for the models of a kind. */
const KIND_SEARCH_WORDS: Record<Kind, string> = {
	image: 'text to image picture photo illustration art poster logo',
	imageEdit: 'image to image editing picture photo',
	video: 'video film',
	audio: 'audio sound',
	text: 'text llm chat language model',
	transcript: 'transcribe transcription speech to text audio subtitles whisper',
};

/** Words of a search that say nothing about a model. */
const FILLER_WORDS = /^(a|an|and|the|with|for|of|from|in|on)$/;
/** Words of a search that ask for the order by price alone. */
const PRICE_WORDS = /^cheap(er|est)?$/;

/** What a picker knows of a model. */
interface PickerModel {
	slug: string;
	title: string;
	/** The service's word for what the model does. */
	type?: string;
	kind?: Kind;
	parameters: readonly CatalogueParameter[];
	/** Average price of a request in USD, and its time in seconds. */
	cost?: number;
	latencySeconds?: number;
}

/** Lists all models, for a picker. Never throws. */
export async function searchAllModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchModelsFor(this, filter);
}

/** The task that a picker belongs to; empty for models of any kind. */
type PickerTask = Partial<Pick<Task, 'makes' | 'topic' | 'defaultModel'>>;

/**
 * Lists the models of a task: first its default, then the others by price, and last those without a published price. The chosen model is among them,
 * because n8n 2.40 clears a value that isn't in the list when the credential changes. A filter finds models of all tasks, those of the task first. Never
 * throws.
 */
export async function searchModelsFor(
	context: ILoadOptionsFunctions,
	filter = '',
	task: PickerTask = {},
): Promise<INodeListSearchResult> {
	const { words, isByPriceOnly } = readSearch(filter);
	const first = isByPriceOnly ? undefined : task.defaultModel;
	const { baseUrl } = await credentialOf(context);
	const chosen = readChosenModel(context, baseUrl);
	const models = inOrder(withChosen(await readModels(context), chosen), first);
	const isOfTask = (model: PickerModel) => doesTask(task, model);
	const found = models.filter((model) =>
		words.length > 0 ? hasWords(model, words) : isOfTask(model) || model.slug === chosen,
	);
	const ofTask = found.filter(isOfTask).map((model) => entryOf(model, words));
	const others = found
		.filter((model) => !isOfTask(model))
		.map((model) => entryOf(model, words, actionOf(model)));
	return { results: [...ofTask, ...others] };
}

/** Returns the models of the public list, or of the built-in catalogue if there is no list, with their prices. */
async function readModels(context: ListContext): Promise<PickerModel[]> {
	const [list, prices] = await Promise.all([listModels(context), listPrices(context)]);
	return knownModels(list).map((model) => ({ ...model, ...averagesOf(model.slug, prices) }));
}

function knownModels(list: ModelList | undefined): readonly PickerModel[] {
	const listed = list === undefined ? [] : readListed(list);
	return listed.length > 0 ? listed : catalogue;
}

/** What a list says of its models. Reading the parameters of hundreds of models takes a while (measured), and each keystroke needs it. */
const readLists = new WeakMap<ModelList, PickerModel[]>();

function readListed(list: ModelList): PickerModel[] {
	const models =
		readLists.get(list) ??
		[...list.values()]
			// The service spells "deprecated" this way.
			.filter((model) => model.is_depreciated !== true && model.is_visible !== false)
			.map((model) => pickerModelOf(model, list));
	readLists.set(list, models);
	return models;
}

/** Sorts models: one first, then the others by price, and last those without a published price. */
function inOrder(models: PickerModel[], firstSlug?: string): PickerModel[] {
	const rank = ({ slug, cost = Infinity }: PickerModel) => (slug === firstSlug ? -1 : cost);
	return [...models].sort((one, other) => compare(rank(one), rank(other)));
}

function compare(one: number, other: number): number {
	return one === other ? 0 : one - other;
}

/** Adds the chosen model if it's missing, unless an expression chooses the model. */
function withChosen(models: PickerModel[], slug: string): PickerModel[] {
	if (!isClean(slug) || models.some((model) => model.slug === slug)) return models;
	return [...models, findModel(slug) ?? { slug, title: slug, parameters: [] }];
}

/** Returns the models of a task that match every word of the search, in the picker's order. Never throws. */
export async function findModels(
	context: ListContext,
	search: string,
	task: PickerTask,
): Promise<PickerModel[]> {
	const { words, isByPriceOnly } = readSearch(search);
	const models = inOrder(await readModels(context), isByPriceOnly ? undefined : task.defaultModel);
	return models.filter((model) => doesTask(task, model) && hasWords(model, words));
}

/** Whether a model belongs to a task; all models do to the one that runs any. An image model that accepts files also edits images. */
export function doesTask({ makes, topic }: PickerTask, model: PickerModel): boolean {
	const { kind, parameters } = model;
	if (topic && !topic.names.test(searchedNames(model))) return false;
	if (makes === undefined || kind === makes) return true;
	const takesFiles = parameters.some(({ type }) => type === 'file');
	return kind === 'image' && takesFiles && makes === 'imageEdit';
}

/** Whether a model's name, kind, task or abilities match every word. */
function hasWords(model: PickerModel, words: readonly string[]): boolean {
	const { slug, kind, parameters } = model;
	const names = searchedNames(model);
	const ofTopics = SEARCH_WORDS.filter((row) => row.names.test(names)).map((row) => row.words);
	const ofKind = kind && KIND_SEARCH_WORDS[kind];
	const text = [names, slug.toLowerCase(), ofKind, ...ofTopics].join(' ');
	const abilities = abilitiesOf(parameters);
	return words.every(
		(word) => text.includes(word) || abilities.some((ability) => isFoundBy(ability, word)),
	);
}

/** Returns a model's names in lower case: title, slug, and the service's word for what the model does. */
function searchedNames({ slug, title, type = '' }: PickerModel): string {
	return wordsOf(`${title} ${slug} ${splitWords(type)}`).join(' ');
}

/**
 * Returns the words of a search that say something about a model, and whether another word asks for the order by price alone. A length, such as
 * "10 seconds", is one word: `10s`.
 */
function readSearch(search: string): { words: string[]; isByPriceOnly: boolean } {
	const withLengths = search.replace(/(\d)[\s-]?s(ec(ond)?s?)?\b/gi, '$1s');
	const typed = wordsOf(withLengths).filter((word) => !FILLER_WORDS.test(word));
	const words = typed.filter((word) => !PRICE_WORDS.test(word));
	return { words, isByPriceOnly: words.length < typed.length };
}

/** Returns the action to choose for a model, such as "Upscale an image". Of several tasks for its kind, the last one fits best. */
function actionOf(model: PickerModel): string | undefined {
	const names = searchedNames(model);
	const tasks = TASKS.filter(
		({ makes, topic }) => makes === model.kind && (topic?.names.test(names) ?? true),
	);
	return tasks.at(-1)?.action;
}

/** Splits a string into ratios such as 9:16 and words of letters and digits, in lower case. */
function wordsOf(text: string): string[] {
	return text.toLowerCase().match(/\d+:\d+|[\p{L}\p{N}]+/gu) ?? [];
}

function pickerModelOf({ slug, title, type }: ListedModel, list: ModelList): PickerModel {
	return {
		slug,
		title: cleanText(title) || slug,
		type: cleanText(type),
		kind: listedKind({ slug, type }),
		parameters: mergeParameters(slug, list),
	};
}

/**
 * Returns the picker's entry for a model, named with title, published price and time, and what its parameters show: `Nano Banana · $0.04 · 14 s · takes
 * several images`. For a model of another task, the action replaces the time. The editor shows only this text of an entry.
 */
function entryOf(
	model: PickerModel,
	searched: readonly string[],
	action?: string,
): INodeListSearchItems {
	const { slug, title, parameters, cost, latencySeconds } = model;
	const time = action ?? (latencySeconds && timeText(latencySeconds));
	const names = searchedNames(model);
	const unexplained = searched.filter((word) => !names.includes(word));
	const abilities = marksOf(abilitiesOf(parameters), unexplained);
	const marks = parameters.length > 0 ? abilities : ['parameters by name'];
	const parts = [title, priceText(cost), time, ...marks];
	return { name: parts.filter(Boolean).join(' · '), value: slug, url: pageUrlOf(slug) };
}

/** Names a model with its average price and time: `Nano Banana · $0.04 · 14 s`. */
export function nameWithAverages({ title, cost, latencySeconds }: PickerModel): string {
	const parts = [title, priceText(cost), latencySeconds && timeText(latencySeconds)];
	return parts.filter(Boolean).join(' · ');
}

/** Writes a price in USD, such as `$0.04`. */
export function priceText(cost?: number): string | undefined {
	if (cost === undefined) return undefined;
	return `$${cost >= 0.01 ? cost.toFixed(2) : Number(cost.toPrecision(2))}`;
}

/** Writes a time, such as `14 s`. */
export function timeText(seconds: number): string {
	return `${seconds >= 1 ? Math.round(seconds) : seconds.toFixed(1)} s`;
}
