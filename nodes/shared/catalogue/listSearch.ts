import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import type { ListedModel } from '../service/schemas';
import { cleanText } from '../base/clean';
import { catalogue, findModel } from './index';
import { findKind, readable } from './kinds';
import { isOffered, listModels, ownModels } from './modelList';
import { isOneTypoAway } from './nearest';
import type { Kind } from './types';

/** What people search for, by what names a model that does it; searched, not shown. */
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
	image: 'text to image picture photo',
	imageEdit: 'image to image editing picture photo',
	video: 'video film',
	audio: 'audio sound',
	text: 'text llm chat language model',
};

/** What a picker knows of a model. */
interface Offer {
	slug: string;
	title: string;
	/** The service's own word for what it does. */
	type?: string;
	kind?: Kind;
	/** An endpoint of the account. */
	isOwn?: true;
}

/** All models, for a picker of n8n. Never throws. */
export async function searchAllModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await findModels(this, filter);
}

/**
 * Models that make one of `kinds` (all without it) and fit the filter by name, slug, kind or task: well-known ones first, then the
 * account's own, then in the order of the service's public list, or of the built-in catalogue when that is out of reach. Those whose kind is
 * not known are in every list, last. Never throws.
 */
export async function findModels(
	context: ILoadOptionsFunctions,
	filter?: string,
	kinds?: readonly Kind[],
): Promise<INodeListSearchResult> {
	const [list, own] = await Promise.all([listModels(context), ownModels(context)]);
	const listed = [...(list?.values() ?? [])].filter(isOffered).map(offerOf);
	const offers: Offer[] = [
		...own.map(({ slug, title }) => ({ slug, title, isOwn: true as const })),
		...(listed.length > 0 ? listed : catalogue),
	];
	const owned = new Set(own.map(({ slug }) => slug));
	const ordered = offers
		.filter(({ slug, isOwn }) => isOwn === true || !owned.has(slug))
		.filter((offer) => kinds === undefined || isOneOf(kinds, offer))
		.sort((one, other) => rank(one) - rank(other));
	return { results: fitting(ordered, filter).map(itemOf) };
}

/** Models that make an image of a text and take images too edit them. */
function isOneOf(kinds: readonly Kind[], { kind, slug }: Offer): boolean {
	if (kind === undefined || kinds.includes(kind)) return true;
	const takesFiles = findModel(slug)?.parameters.some(({ type }) => type === 'file');
	return kind === 'image' && takesFiles === true && kinds.includes('imageEdit');
}

function rank({ slug, kind, isOwn }: Offer): number {
	if (findModel(slug)?.wellKnown) return 0;
	if (isOwn) return 1;
	return kind === undefined ? 3 : 2;
}

/** Offers with every word of the filter; when there is none, those with every word but for one letter. */
function fitting(offers: Offer[], filter = ''): Offer[] {
	const wanted = wordsOf(filter.slice(0, LONGEST_FILTER)).slice(0, MOST_WORDS);
	const searched = offers.map((offer) => ({ offer, text: searchText(offer) }));
	const found = searched.filter(({ text }) => wanted.every((word) => text.includes(word)));
	const near = (word: string, text: string) =>
		text.includes(word) ||
		(word.length >= SHORTEST_FORGIVEN && wordsOf(text).some((other) => isOneTypoAway(word, other)));
	return (
		found.length > 0
			? found
			: searched.filter(({ text }) => wanted.every((word) => near(word, text)))
	).map(({ offer }) => offer);
}

const LONGEST_FILTER = 200;
const MOST_WORDS = 8;
/** A word with one letter wrong is no longer itself when it is shorter, characters. */
const SHORTEST_FORGIVEN = 4;

function searchText({ slug, title, type = '', kind }: Offer): string {
	const names = wordsOf(`${title} ${slug} ${readable(type)}`).join(' ');
	const tasks = TASK_WORDS.filter(([form]) => form.test(names)).map(([, words]) => words);
	return [names, slug.toLowerCase(), kind && KIND_WORDS[kind], ...tasks].join(' ');
}

/** Lower-case words of letters and digits. */
function wordsOf(text: string): string[] {
	return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function offerOf({ slug, title, name, type }: ListedModel): Offer {
	const words = cleanText(type);
	return {
		slug,
		title: cleanText(title) || cleanText(name) || slug,
		type: words,
		kind: findModel(slug)?.kind ?? findKind(words),
	};
}

/** Name, published price and time: `Nano Banana · $0.04 · 14 s`. The editor shows nothing else of an entry (docs/n8n.md N205). */
function itemOf({ slug, title, isOwn }: Offer): INodeListSearchItems {
	const { cost, latencySeconds } = findModel(slug) ?? {};
	const parts = [title, isOwn && 'your endpoint', priceText(cost), timeText(latencySeconds)];
	return {
		name: parts.filter(Boolean).join(' · '),
		value: slug,
		...(!isOwn && { url: `https://www.segmind.com/models/${encodeURIComponent(slug)}` }),
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
