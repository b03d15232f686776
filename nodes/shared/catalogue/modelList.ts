/** The service's public list of models, and what this process knows of a model without a call. */

import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { cleanText, isClean } from '../base/clean';
import { digest, stableJson } from '../base/hash';
import { textOfMember } from '../base/text';
import { addressesIn, SERVICE_URLS } from '../service/addresses';
import { SEGMIND_API } from '../service/client';
import { joinUrl } from '../service/origins';
import { readAccountList, fetchList } from '../service/picker';
import { listOrEmpty, listedModel, type ListedModel } from '../service/schemas';
import { findModel } from './index';
import { findKind } from './kinds';
import { parseBoolean, listedParameters } from './listedParameters';
import type { CatalogueParameter, Kind } from './types';

/** A list is fetched at most once in this time, even if that failed: pickers and forms need it at every keystroke. */
const CACHE_MS = 300_000;
const LIST_PATH = '/inference-model-information/list';

/** Listed models by slug, including hidden and retired ones. */
type ModelList = ReadonlyMap<string, ListedModel>;

/** A look-up whose response is reused until it expires. */
interface CachedLookUp<T> {
	/** When it expires, ms since the epoch. */
	until: number;
	response: Promise<T>;
}

/** The look-ups of the public list, by its URL. */
const listLookUps = new Map<string, CachedLookUp<ModelList | undefined>>();
/** The last list that was received, by its URL. */
const latestLists = new Map<string, ModelList>();
/** The look-ups of an account's endpoints, by a digest of the credential. */
const endpointLookUps = new Map<string, CachedLookUp<AccountEndpoint[]>>();

/** A dedicated endpoint of the account. */
interface AccountEndpoint {
	slug: string;
	title: string;
}

/** Returns the cached response, or calls `read` if there is none. */
async function lookUpCached<T>(
	cache: Map<string, CachedLookUp<T>>,
	key: string,
	read: () => Promise<T>,
): Promise<T> {
	const now = Date.now();
	for (const [oldKey, { until }] of cache) if (until <= now) cache.delete(oldKey);
	const entry = cache.get(key) ?? { until: now + CACHE_MS, response: read() };
	cache.set(key, entry);
	return await entry.response;
}

/** Returns the public list at the credential's address; undefined if this process never received it. Never throws. */
export async function listModels(context: ILoadOptionsFunctions): Promise<ModelList | undefined> {
	const url = joinUrl((await credentialOf(context)).endpointAdminUrl, LIST_PATH);
	return await lookUpCached(listLookUps, url, async () => {
		const list = await readList(context, url);
		if (list) latestLists.set(url, list);
		return latestLists.get(url);
	});
}

/** Returns the account's endpoints that have a slug (docs/service.md S401: the response isn't specified). Never throws. */
export async function listEndpoints(context: ILoadOptionsFunctions): Promise<AccountEndpoint[]> {
	const { apiKey, endpointAdminUrl } = await credentialOf(context);
	if (apiKey === '') return [];
	return await lookUpCached(
		endpointLookUps,
		digest(stableJson([apiKey, endpointAdminUrl])),
		async () =>
			(await readAccountList(context, 'endpointAdminUrl', '/endpoint/list')).flatMap((entry) => {
				const slug = textOfMember(entry, 'slug', 'endpoint_slug');
				return isClean(slug) ? [{ slug, title: cleanText(entry.endpoint_name) || slug }] : [];
			}),
	);
}

/**
 * Returns the parameters of a model that are known without a call: from the built-in catalogue, and from the list at `endpointAdminUrl` if this process
 * has fetched it. Empty for an unknown model.
 */
export function knownParameters(
	slug: string,
	endpointAdminUrl: string,
): readonly CatalogueParameter[] {
	return mergeParameters(slug, latestLists.get(joinUrl(endpointAdminUrl, LIST_PATH)));
}

/** Returns what a model makes, without a call: from the built-in catalogue or the list at `endpointAdminUrl`. */
export function kindOf(slug: string, endpointAdminUrl: string): Kind | undefined {
	const listed = latestLists.get(joinUrl(endpointAdminUrl, LIST_PATH))?.get(slug);
	return listedKind({ slug, type: listed?.type });
}

/** Returns what a model of the list makes. */
export function listedKind({ slug, type }: Pick<ListedModel, 'slug' | 'type'>): Kind | undefined {
	const kind = findModel(slug)?.kind ?? findKind(cleanText(type));
	// The list may call a transcribing model an audio or text model.
	return (kind === 'audio' || kind === 'text') && /transcri|whisper/i.test(slug)
		? 'transcript'
		: kind;
}

/** Combines what a list and the built-in catalogue know of a model's parameters. */
export function mergeParameters(
	slug: string,
	list: ModelList | undefined,
): readonly CatalogueParameter[] {
	const builtIn = findModel(slug);
	const listed = listedParameters(list?.get(slug)?.parameters, builtIn);
	return listed.length > 0 ? listed : (builtIn?.parameters ?? []);
}

/** Whether pickers show a model: not if it's hidden or deprecated. */
export function isInPicker(model: ListedModel): boolean {
	// The service spells "deprecated" this way.
	return parseBoolean(model.is_depreciated) !== true && parseBoolean(model.is_visible) !== false;
}

async function readList(
	context: ILoadOptionsFunctions,
	url: string,
): Promise<ModelList | undefined> {
	try {
		// Without the key, because the list is public.
		const response = await fetchList(
			url,
			async (options): Promise<unknown> => await context.helpers.httpRequest(options),
		);
		const models = new Map<string, ListedModel>();
		for (const entry of listOrEmpty(response)) {
			const { success, data } = listedModel.safeParse(entry);
			if (success && isClean(data.slug) && !models.has(data.slug)) models.set(data.slug, data);
		}
		if (models.size > 0) return models;
	} catch (error) {
		context.logger.debug(
			`Segmind: the model list could not be read (${(error as Error).message}); using the list that is already known`,
		);
	}
	return undefined;
}

/** Reads the parts of the credential that a list needs. */
async function credentialOf(
	context: ILoadOptionsFunctions,
): Promise<{ apiKey: string; endpointAdminUrl: string }> {
	try {
		const credential = await context.getCredentials(SEGMIND_API);
		const { endpointAdminUrl } = addressesIn(credential, SERVICE_URLS);
		return {
			apiKey: typeof credential.apiKey === 'string' ? credential.apiKey : '',
			endpointAdminUrl: endpointAdminUrl || SERVICE_URLS.endpointAdminUrl,
		};
	} catch (error) {
		context.logger.debug(`Segmind: no credential chosen yet (${(error as Error).message})`);
		return { apiKey: '', endpointAdminUrl: SERVICE_URLS.endpointAdminUrl };
	}
}
