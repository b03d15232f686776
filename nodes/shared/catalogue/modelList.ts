import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { cleanText, isClean } from '../base/clean';
import { digest, stableJson } from '../base/hash';
import { addressesIn, SERVICE_URLS } from '../service/addresses';
import { SEGMIND_API } from '../service/client';
import { joinUrl } from '../service/origins';
import { readAccountList, fetchList, textOfMember } from '../service/picker';
import { listOrEmpty, listedModel, type ListedModel } from '../service/schemas';
import { catalogue, findModel } from './index';
import { findKind } from './kinds';
import { parseBoolean, listedParameters } from './listedParameters';
import { findNearestSlugs } from './nearest';
import type { Kind, ModelMetadata } from './types';

/** The service's public list of models, and what this process knows of a model without a call. */

/** A list is fetched at most once in this time, ms, even if that failed: pickers and forms ask for it at every keystroke. */
const KEPT_MS = 300_000;
const LIST_PATH = '/inference-model-information/list';

/** Listed models by slug, including hidden and retired ones. */
type ModelList = ReadonlyMap<string, ListedModel>;

interface Kept<T> {
	/** Ms since the epoch. */
	until: number;
	response: Promise<T>;
}

const lookUps = new Map<string, Kept<ModelList | undefined>>();
/** The latest list, by its URL. */
const latest = new Map<string, ModelList>();
/** By a digest of the credential. */
const ownLookUps = new Map<string, Kept<AccountEndpoint[]>>();

/** A dedicated endpoint of the account. */
interface AccountEndpoint {
	slug: string;
	title: string;
}

async function keptLookUp<T>(
	kept: Map<string, Kept<T>>,
	key: string,
	read: () => Promise<T>,
): Promise<T> {
	const now = Date.now();
	for (const [old, { until }] of kept) if (until <= now) kept.delete(old);
	const entry = kept.get(key) ?? { until: now + KEPT_MS, response: read() };
	kept.set(key, entry);
	return await entry.response;
}

/** The list of the credential's service; undefined if this process never received it. Never throws. */
export async function listModels(context: ILoadOptionsFunctions): Promise<ModelList | undefined> {
	const url = joinUrl((await credentialOf(context)).endpointAdminUrl, LIST_PATH);
	return await keptLookUp(lookUps, url, async () => {
		const list = await readList(context, url);
		if (list) latest.set(url, list);
		return latest.get(url);
	});
}

/** The account's endpoints that have a slug (docs/service.md S401: the form of the response isn't published). Never throws. */
export async function listEndpoints(context: ILoadOptionsFunctions): Promise<AccountEndpoint[]> {
	const { apiKey, endpointAdminUrl } = await credentialOf(context);
	if (apiKey === '') return [];
	return await keptLookUp(ownLookUps, digest(stableJson([apiKey, endpointAdminUrl])), async () =>
		(await readAccountList(context, 'endpointAdminUrl', '/endpoint/list')).flatMap((entry) => {
			const slug = textOfMember(entry, 'slug', 'endpoint_slug');
			return isClean(slug) ? [{ slug, title: cleanText(entry.endpoint_name) || slug }] : [];
		}),
	);
}

/** Known slugs that are similar to an unknown one. */
export function suggestSlugs(slug: string, endpointAdminUrl: string): string[] {
	const listed = latest.get(joinUrl(endpointAdminUrl, LIST_PATH));
	return findNearestSlugs(
		slug,
		new Set([...catalogue.map((model) => model.slug), ...(listed?.keys() ?? [])]),
	);
}

/**
 * What is known of a model's parameters, without a call: by the built-in catalogue, and by the list at `endpointAdminUrl` if this process has fetched
 * it.
 */
export function metadataOf(slug: string, endpointAdminUrl: string): ModelMetadata {
	return mergeMetadata(slug, latest.get(joinUrl(endpointAdminUrl, LIST_PATH)));
}

/** What a model makes, without a call, by the built-in catalogue or the list at `endpointAdminUrl`. */
export function kindOf(slug: string, endpointAdminUrl: string): Kind | undefined {
	const listed = latest.get(joinUrl(endpointAdminUrl, LIST_PATH))?.get(slug);
	return listedKind({ slug, type: listed?.type });
}

/** What a model of the list makes. */
export function listedKind({ slug, type }: Pick<ListedModel, 'slug' | 'type'>): Kind | undefined {
	const kind = findModel(slug)?.kind ?? findKind(cleanText(type));
	// The list may call a transcribing model an audio or text model.
	return (kind === 'audio' || kind === 'text') && /transcri|whisper/i.test(slug)
		? 'transcript'
		: kind;
}

/** What a list and the built-in catalogue say about a model. */
export function mergeMetadata(slug: string, list: ModelList | undefined): ModelMetadata {
	const builtIn = findModel(slug);
	const listed = listedParameters(list?.get(slug)?.parameters, builtIn);
	if (listed.length > 0) return { parameters: listed, source: 'list' };
	const parameters = builtIn?.parameters ?? [];
	return { parameters, source: parameters.length > 0 ? 'catalogue' : 'none' };
}

/** Whether a picker offers a model. */
export function isInPicker(model: ListedModel): boolean {
	// The service's own spelling.
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

/** The parts of the credential that a list needs. */
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
