import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { matching } from '../service/picker';
import type { ListedModel } from '../service/schemas';
import { chosenModel } from './chosenModel';
import { cleanText } from './clean';
import { describeParameter } from './describe';
import { catalogue, findModel } from './index';
import { isOffered, listModels, mergedMetadata } from './modelList';

const MODALITY_WORDS: Record<string, string> = {
	image: 'image',
	imageEdit: 'image editing',
	video: 'video',
	audio: 'audio',
	text: 'text',
};

/** Parameters offered when the model is unknown or an expression. */
const COMMON_PARAMETERS = [
	'prompt',
	'negative_prompt',
	'seed',
	'aspect_ratio',
	'width',
	'height',
	'image',
	'image_urls',
	'duration',
	'resolution',
	'steps',
	'guidance_scale',
	'output_format',
	'text',
	'voice',
	'messages',
	'max_tokens',
	'temperature',
];

/** Models by name, slug and modality: the service's public list, or the built-in catalogue when that is out of reach. Never throws. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const offered = [...((await listModels(this))?.values() ?? [])].filter(isOffered);
	return { results: matching(offered.length > 0 ? offered.map(itemOf) : builtInItems(), filter) };
}

/** Parameters of the chosen model with type, choices and default, as far as they are known. Never throws. */
export async function searchParameters(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { parameters } = mergedMetadata(chosenModel(this), await listModels(this));
	const known = parameters.filter(({ hidden }) => hidden !== true);
	const results =
		known.length > 0
			? known.map((parameter) => ({
					name: `${parameter.name} (${describeParameter(parameter)})`,
					value: parameter.name,
				}))
			: COMMON_PARAMETERS.map((name) => ({ name, value: name }));
	return { results: matching(results, filter) };
}

function builtInItems(): INodeListSearchItems[] {
	return catalogue.map(({ title, slug, modality }) => ({
		name: `${title} (${MODALITY_WORDS[modality]})`,
		value: slug,
	}));
}

function itemOf({ slug, title, name, type }: ListedModel): INodeListSearchItems {
	const modality = type
		? wordsOf(cleanText(type))
		: MODALITY_WORDS[findModel(slug)?.modality ?? ''];
	return {
		name: `${cleanText(title) || cleanText(name) || slug}${modality ? ` (${modality})` : ''}`,
		value: slug,
		url: `https://www.segmind.com/models/${encodeURIComponent(slug)}`,
	};
}

/** `imageTOImage` is "image to image": the service writes the types in several ways. */
function wordsOf(type: string): string {
	return type
		.replace(/([a-z0-9])(To|TO)(?=[A-Z])/g, '$1 to ')
		.replace(/[_-]+/g, ' ')
		.trim()
		.toLowerCase();
}
