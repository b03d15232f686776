import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { joinUrl } from '../service/origins';
import { fetchList } from '../service/picker';
import { firstList, listedModel, type ListedModel } from '../service/schemas';
import { isClean } from './clean';
import { findModel } from './index';
import { isTrue, listedParameters } from './listedParameters';
import type { ModelMetadata } from './types';

/** The service's public list of models, and what this process knows of a model without asking for it. */

/** Looked up at most once in this time, ms, also when it was out of reach: pickers and forms ask again at every key stroke. */
const KEPT_MS = 300_000;
const LIST_PATH = '/inference-model-information/list';
const DEFAULT_ORIGIN = 'https://api.spotprod.segmind.com';

/** Listed models by slug, those hidden or retired too. */
type ModelList = ReadonlyMap<string, ListedModel>;

interface LookUp {
	/** Ms since the epoch. */
	until: number;
	list: Promise<ModelList | undefined>;
	/** The latest list that came. */
	latest?: ModelList;
}

const lookUps = new Map<string, LookUp>();

/** The list as the credential's service gives it; undefined when it never came in this process. Never throws. */
export async function listModels(context: ILoadOptionsFunctions): Promise<ModelList | undefined> {
	const url = joinUrl(await listOrigin(context), LIST_PATH);
	const kept = lookUps.get(url);
	if (kept && kept.until > Date.now()) return await kept.list;
	const lookUp: LookUp = {
		until: Date.now() + KEPT_MS,
		latest: kept?.latest,
		list: readList(context, url).then((list) => (lookUp.latest = list ?? lookUp.latest)),
	};
	lookUps.set(url, lookUp);
	return await lookUp.list;
}

/**
 * What is known of a model's parameters, without a call: the built-in catalogue, and the list at `endpointAdminUrl` as far as this process
 * has looked it up.
 */
export function metadataOf(slug: string, endpointAdminUrl: string): ModelMetadata {
	return mergedMetadata(slug, lookUps.get(joinUrl(endpointAdminUrl, LIST_PATH))?.latest);
}

/** What a list, and the built-in catalogue beneath it, say of a model. */
export function mergedMetadata(slug: string, list: ModelList | undefined): ModelMetadata {
	const builtIn = findModel(slug);
	const listed = listedParameters(list?.get(slug)?.parameters, builtIn);
	if (listed.length > 0) return { parameters: listed, source: 'list' };
	if (builtIn === undefined) return { parameters: [], source: 'none' };
	return {
		parameters: builtIn.parameters,
		source: builtIn.byAnalogy ? 'analogy' : 'catalogue',
	};
}

/** True for a model that a picker offers. */
export function isOffered(model: ListedModel): boolean {
	// The service spells the member so.
	return isTrue(model.is_depreciated) !== true && isTrue(model.is_visible) !== false;
}

async function readList(
	context: ILoadOptionsFunctions,
	url: string,
): Promise<ModelList | undefined> {
	try {
		// Without the key: the list is public.
		const answer = await fetchList(
			url,
			async (options): Promise<unknown> => await context.helpers.httpRequest(options),
		);
		const models = new Map<string, ListedModel>();
		for (const entry of firstList(answer)) {
			const { success, data } = listedModel.safeParse(entry);
			if (success && isClean(data.slug) && !models.has(data.slug)) models.set(data.slug, data);
		}
		if (models.size > 0) return models;
	} catch (error) {
		context.logger.debug(
			`Segmind: the model list is out of reach (${(error as Error).message}); using what is known of it`,
		);
	}
	return undefined;
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
