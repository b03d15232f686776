import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { matching } from '../service/picker';
import { firstList, isObject, listedModel, type ListedModel } from '../service/schemas';
import { joinUrl } from '../service/origins';
import { catalogue, describeParameter, findModel } from './index';

/** The public list answers within this time, ms, or the built-in one serves. */
const PATIENCE_MS = 5_000;
/** The list is kept so long, ms: the picker asks anew at every key stroke. */
const KEPT_MS = 60_000;
const LIST_PATH = '/inference-model-information/list';
const DEFAULT_ORIGIN = 'https://api.spotprod.segmind.com';

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
	return { results: matching(await models(this), filter) };
}

/** Parameters of the chosen model with type, choices and default, as far as the catalogue knows them. Never throws. */
export async function searchParameters(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const known = findModel(chosenModel(this))?.parameters ?? [];
	const results =
		known.length > 0
			? known.map((parameter) => ({
					name: `${parameter.name} (${describeParameter(parameter)})`,
					value: parameter.name,
				}))
			: COMMON_PARAMETERS.map((name) => ({ name, value: name }));
	return { results: matching(results, filter) };
}

const lists = new Map<string, { until: number; list: Promise<INodeListSearchItems[]> }>();

async function models(context: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	const url = joinUrl(await listOrigin(context), LIST_PATH);
	const kept = lists.get(url);
	if (kept && kept.until > Date.now()) return await kept.list;
	const list = fetchList(context, url);
	lists.set(url, { until: Date.now() + KEPT_MS, list });
	return await list;
}

async function fetchList(
	context: ILoadOptionsFunctions,
	url: string,
): Promise<INodeListSearchItems[]> {
	try {
		// Without the key: the list is public (service-facts section 15).
		const answer: unknown = await context.helpers.httpRequest({
			method: 'GET',
			url,
			json: true,
			timeout: PATIENCE_MS,
			disableFollowRedirect: true,
		});
		const listed = firstList(answer).flatMap((entry) => {
			const model = listedModel.safeParse(entry);
			return model.success && !isRetired(model.data) ? [model.data] : [];
		});
		if (listed.length > 0) return listed.map(itemOf);
	} catch (error) {
		context.logger.debug(
			`Segmind: the model list is out of reach (${(error as Error).message}); using the built-in one`,
		);
	}
	return catalogue.map(({ title, slug, modality }) => ({
		name: `${title} (${MODALITY_WORDS[modality]})`,
		value: slug,
	}));
}

function itemOf({ slug, title, name, type }: ListedModel): INodeListSearchItems {
	const modality = type ? wordsOf(type) : MODALITY_WORDS[findModel(slug)?.modality ?? ''];
	return {
		name: `${title || name || slug}${modality ? ` (${modality})` : ''}`,
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

/** The service spells the member so, and sends booleans, numbers or text in it. */
function isRetired({ is_depreciated: retired }: ListedModel): boolean {
	return (
		retired === true ||
		retired === 1 ||
		(typeof retired === 'string' && /^(true|1|yes)$/i.test(retired))
	);
}

async function listOrigin(context: ILoadOptionsFunctions): Promise<string> {
	try {
		const { endpointAdminUrl } = await context.getCredentials('segmindApi');
		return typeof endpointAdminUrl === 'string' && endpointAdminUrl !== ''
			? endpointAdminUrl
			: DEFAULT_ORIGIN;
	} catch (error) {
		context.logger.debug(`Segmind: no credential chosen yet (${(error as Error).message})`);
		return DEFAULT_ORIGIN;
	}
}

/** The slug in the panel; '' for an expression that n8n has not evaluated. */
function chosenModel(context: ILoadOptionsFunctions): string {
	try {
		const model = context.getCurrentNodeParameter('model', { extractValue: true }) as unknown;
		return typeof model === 'string' ? model : isObject(model) ? String(model.value ?? '') : '';
	} catch (error) {
		context.logger.debug(`Segmind: the model is not readable yet (${(error as Error).message})`);
		return '';
	}
}
