/** The service's public list of models, and what this process knows of a model without a call. */

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { cleanText, isClean } from '../base/clean';
import { addressesIn, SERVICE_URLS, joinUrl, type ServiceUrls } from '../service/addresses';
import { SEGMIND_API } from '../service/client';
import { fetchPublicText, type ListContext } from '../service/picker';
import { listOrEmpty, listedModel, parseJson, type ListedModel } from '../service/schemas';
import { findModel } from './index';
import { findKind } from './kinds';
import { listedParameters } from './listedParameters';
import type { CatalogueParameter, Kind } from './types';

/** A list is fetched at most once in this time, even if that failed: pickers and forms need it at every keystroke. */
const CACHE_MS = 300_000;
const LIST_PATH = '/inference-model-information/list';

/** Listed models by slug, including hidden and retired ones. */
export type ModelList = ReadonlyMap<string, ListedModel>;

/** The last list that was received, by its URL. */
const latestLists = new Map<string, ModelList>();
/** Look-ups by URL. `until`: when their response expires, ms since the epoch. */
const lookUps = new Map<string, { until: number; response: Promise<unknown> }>();

/** Returns the cached response, or calls `read` if there is none. */
export async function lookUpCached<T>(url: string, read: () => Promise<T>): Promise<T> {
	const now = Date.now();
	for (const [oldUrl, { until }] of lookUps) if (until <= now) lookUps.delete(oldUrl);
	const entry = lookUps.get(url) ?? { until: now + CACHE_MS, response: read() };
	lookUps.set(url, entry);
	return (await entry.response) as T;
}

/** Returns the public list at the credential's address; undefined if this process never received it. Never throws. */
export async function listModels(context: ListContext): Promise<ModelList | undefined> {
	const url = joinUrl((await credentialOf(context)).endpointAdminUrl, LIST_PATH);
	return await lookUpCached(url, async () => {
		await updateList(context, url);
		return latestLists.get(url);
	});
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
	const builtIn = findModel(slug);
	return builtIn ? builtIn.kind : findKind(cleanText(type));
}

/** Combines what a list and the built-in catalogue know of a model's parameters. */
export function mergeParameters(
	slug: string,
	list: ModelList | undefined,
): readonly CatalogueParameter[] {
	const builtIn = findModel(slug)?.parameters ?? [];
	const listed = listedParameters(list?.get(slug)?.parameters, builtIn);
	return listed.length > 0 ? listed : builtIn;
}

/** Fetches the list. If that fails, the latest one stays. */
async function updateList(context: ListContext, url: string): Promise<void> {
	try {
		const response = parseJson(await fetchPublicText(context, url));
		const models = new Map<string, ListedModel>();
		for (const entry of listOrEmpty(response)) {
			const { success, data } = listedModel.safeParse(entry);
			if (success && isClean(data.slug) && !models.has(data.slug)) models.set(data.slug, data);
		}
		if (models.size > 0) latestLists.set(url, models);
	} catch (error) {
		context.logger.debug(
			`Segmind: the model list could not be read (${(error as Error).message}); using the list that is already known`,
		);
	}
}

/** The parts of a credential that the lists need. */
interface ListCredential extends Pick<ServiceUrls, 'baseUrl' | 'endpointAdminUrl'> {
	hasCustomAddresses: boolean;
}

/** Reads the parts of the credential that the lists need; the defaults if none is chosen yet. Never throws. */
export async function credentialOf(context: ListContext): Promise<ListCredential> {
	const credential: ICredentialDataDecryptedObject = await context
		.getCredentials(SEGMIND_API)
		.catch(() => ({}));
	const { baseUrl, endpointAdminUrl } = addressesIn(credential, SERVICE_URLS);
	const hasCustomAddresses = credential.customAddresses === true;
	return { baseUrl, endpointAdminUrl, hasCustomAddresses };
}
