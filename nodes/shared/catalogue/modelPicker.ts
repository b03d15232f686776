import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import type { ListedModel } from '../service/schemas';
import { cleanText, isClean } from '../base/clean';
import { readChosenModel } from './chosenModel';
import { catalogue, findModel } from './index';
import { splitWords } from './kinds';
import { isInPicker, listedKind, listModels, listEndpoints } from './modelList';
import { isOneTypoAway } from './nearest';
import { pageUrlOf } from './slug';
import type { Kind } from './types';

/** Words that users search for, by words in the names of fitting models. Searched, but not shown. */
const TASK_WORDS: ReadonlyArray<[RegExp, string]> = [
	[/upscal|esrgan|enhance|super.?res/, 'upscale enlarge'],
	[/background|bg.?remov|rmbg/, 'remove background'],
	[/face|portrait/, 'face swap'],
	[/lip.?sync|avatar|talking|speaking/, 'lip sync talking'],
	[/tts|speech|voice|dialogue|dubbing|orpheus/, 'voice speech text to speech tts'],
	[/transcri|whisper/, 'transcribe speech to text'],
	[/music|lyria|song/, 'music song'],
	[/3d|mesh|trellis/, '3d'],
];

const KIND_WORDS: Record<Kind, string> = {
	image: 'text to image picture photo illustration art poster logo',
	imageEdit: 'image to image editing picture photo',
	video: 'video film',
	audio: 'audio sound',
	text: 'text llm chat language model',
	transcript: 'transcribe transcription speech to text audio subtitles',
};

/** What a picker knows of a model. */
interface Offer {
	slug: string;
	title: string;
	/** The service's word for what the model does. */
	type?: string;
	kind?: Kind;
	/** The list's description; searched, but not shown. */
	about?: string;
	/** An endpoint of the account. */
	isOwn?: true;
}

/** All models, for a picker. Never throws. */
export async function searchAllModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchModelsFor(this, filter);
}

/** The task that a picker belongs to. */
interface PickerTask {
	/** What its models make; anything if missing. */
	makes?: Kind;
	/** The names of the other models' tasks, such as "Edit an image". */
	names?: Partial<Record<Kind, string>>;
}

/**
 * The models of a task: well-known ones first, then the account's own, then in the order of the service's public list or, if that is unreachable, of
 * the built-in catalogue. Models of an unknown kind are at the end of every list, and so is the chosen model: when the credential changes, n8n 2.40
 * clears a value that is missing from the list. A search finds models of all tasks. Never throws.
 */
export async function searchModelsFor(
	context: ILoadOptionsFunctions,
	filter = '',
	{ makes, names = {} }: PickerTask = {},
): Promise<INodeListSearchResult> {
	const [list, own] = await Promise.all([listModels(context), listEndpoints(context)]);
	const listed = [...(list?.values() ?? [])].filter(isInPicker).map(offerOf);
	const all: Offer[] = [
		...own.map(({ slug, title }) => ({ slug, title, isOwn: true as const })),
		...(listed.length > 0 ? listed : catalogue),
	];
	const owned = new Set(own.map(({ slug }) => slug));
	const offers = all
		.filter(({ slug, isOwn }) => isOwn === true || !owned.has(slug))
		.sort((one, other) => rank(one) - rank(other));
	const isOfTask = (offer: Offer) => makes === undefined || doesTask(makes, offer);
	const wanted = wordsOf(filter.slice(0, LONGEST_FILTER)).slice(0, MOST_WORDS);
	const found =
		wanted.length > 0
			? fitting(offers, wanted, isOfTask)
			: withChosen(offers.filter(isOfTask), readChosenModel(context), offers);
	return {
		results: found.map((offer) =>
			itemOf(offer, isOfTask(offer) || !offer.kind ? undefined : names[offer.kind]),
		),
	};
}

/** Adds the chosen model to the list, unless an expression chooses it. */
function withChosen(shown: Offer[], slug: string, offers: Offer[]): Offer[] {
	if (!isClean(slug) || shown.some((offer) => offer.slug === slug)) return shown;
	const known = offers.find((offer) => offer.slug === slug) ?? findModel(slug);
	return [...shown, known ?? { slug, title: slug }];
}

/** Models that make an image from a text and also accept images can edit images. */
function doesTask(makes: Kind, { kind, slug }: Offer): boolean {
	if (kind === undefined || kind === makes) return true;
	const takesFiles = findModel(slug)?.parameters.some(({ type }) => type === 'file');
	return kind === 'image' && takesFiles === true && makes === 'imageEdit';
}

function rank({ slug, kind, isOwn }: Offer): number {
	if (findModel(slug)?.wellKnown) return 0;
	if (isOwn) return 1;
	return kind === undefined ? 3 : 2;
}

/**
 * The models that match every word: first by name, kind or task, then by description; in both groups, models of the task come first. If there are
 * none, the models whose name matches except for one letter.
 */
function fitting(offers: Offer[], words: string[], isOfTask: (offer: Offer) => boolean): Offer[] {
	const searched = offers.map((offer) => ({ offer, text: searchText(offer) }));
	const isNamed = ({ text }: { text: string }) => words.every((word) => text.includes(word));
	const named = searched.filter(isNamed);
	const described = searched.filter(({ offer, text }) => {
		const about = ` ${wordsOf(offer.about ?? '').join(' ')}`;
		const has = (word: string) => text.includes(word) || about.includes(` ${word}`);
		return !isNamed({ text }) && words.every(has);
	});
	const near = (word: string, text: string) =>
		text.includes(word) ||
		(word.length >= SHORTEST_FORGIVEN && wordsOf(text).some((other) => isOneTypoAway(word, other)));
	const similar = () => searched.filter(({ text }) => words.every((word) => near(word, text)));
	const groups = named.length + described.length > 0 ? [named, described] : [similar()];
	return groups.flatMap((group) => {
		const found = group.map(({ offer }) => offer);
		return [...found.filter(isOfTask), ...found.filter((offer) => !isOfTask(offer))];
	});
}

/** Characters. */
const LONGEST_FILTER = 200;
const LONGEST_DESCRIPTION = 1_000;
const MOST_WORDS = 8;
/** Shorter words must match exactly, characters. */
const SHORTEST_FORGIVEN = 4;

function searchText({ slug, title, type = '', kind }: Offer): string {
	const names = wordsOf(`${title} ${slug} ${splitWords(type)}`).join(' ');
	const tasks = TASK_WORDS.filter(([form]) => form.test(names)).map(([, words]) => words);
	return [names, slug.toLowerCase(), kind && KIND_WORDS[kind], ...tasks].join(' ');
}

/** The words of a text, in lower case, of letters and digits. */
function wordsOf(text: string): string[] {
	return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function offerOf({ slug, title, name, type, description }: ListedModel): Offer {
	return {
		slug,
		title: cleanText(title) || cleanText(name) || slug,
		type: cleanText(type),
		kind: listedKind({ slug, type }),
		about: cleanText(description, LONGEST_DESCRIPTION),
	};
}

/**
 * Name, published price and time: `Nano Banana · $0.04 · 14 s`. For a model of another task, the task instead of the time. The editor shows only this
 * text of an entry (docs/n8n.md N205).
 */
function itemOf({ slug, title, isOwn }: Offer, task?: string): INodeListSearchItems {
	const { cost, latencySeconds } = findModel(slug) ?? {};
	const parts = [
		title,
		isOwn && 'your endpoint',
		priceText(cost),
		task ?? timeText(latencySeconds),
	];
	return {
		name: parts.filter(Boolean).join(' · '),
		value: slug,
		...(!isOwn && { url: pageUrlOf(slug) }),
	};
}

function priceText(cost?: number): string | undefined {
	if (cost === undefined) return undefined;
	return `$${cost >= 0.01 ? cost.toFixed(2) : Number(cost.toPrecision(2))}`;
}

function timeText(seconds?: number): string | undefined {
	if (seconds === undefined) return undefined;
	return `${seconds >= 1 ? Math.round(seconds) : seconds.toFixed(1)} s`;
}
