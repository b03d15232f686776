import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INodeListSearchItems,
} from 'n8n-workflow';

import { cleanText, isClean } from '../base/clean';
import { systemClock } from '../base/clock';
import { addressesIn, isCallable, joinUrl, SERVICE_URLS, type ServiceUrls } from './addresses';
import { SEGMIND_API } from './client';
import { callUsing, isSuccess } from './http';
import { isObject, listOrEmpty, parseJson } from './schemas';
import { USER_AGENT } from './userAgent';

/** List methods must end within 5 s. */
const LIST_TIMEOUT_MS = 5_000;

/** A picker of the editor, or an execution that reads the same list. */
export type ListContext = ILoadOptionsFunctions | IExecuteFunctions;

/** One of n8n's HTTP helpers. */
type Send = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * Fetches a list as text, with a timeout. Follows no redirect, because the key would be sent along (docs/n8n.md N103).
 * @throws Error unless the response is successful and no larger than `maxBytes`
 */
async function fetchText(url: string, send: Send, maxBytes?: number): Promise<string> {
	const outcome = await callUsing(
		send,
		{ method: 'GET', url, headers: USER_AGENT, timeoutMs: LIST_TIMEOUT_MS, maxBytes },
		{ clock: systemClock },
	);
	if (!isSuccess(outcome) || outcome.exceededLimitBytes !== undefined)
		throw new Error('The list could not be read');
	return outcome.body.toString('utf8');
}

/** Fetches a public list as text, without the key. @throws Error unless the response is successful and no larger than `maxBytes` */
export async function fetchPublicText(
	{ helpers }: ListContext,
	url: string,
	maxBytes?: number,
): Promise<string> {
	const send: Send = async (options): Promise<unknown> => await helpers.httpRequest(options);
	return await fetchText(url, send, maxBytes);
}

/**
 * Fetches the entries of a list of the account, for a picker. Returns an empty list instead of throwing, because users can still type an ID.
 */
export async function readAccountList(
	context: ListContext,
	base: keyof ServiceUrls,
	path: string,
	headers?: IHttpRequestOptions['headers'],
): Promise<Array<Record<string, unknown>>> {
	try {
		const address = await addressOf(context, base);
		if (!isCallable(address)) return [];
		const text = await fetchText(
			joinUrl(address, path),
			async (options): Promise<unknown> =>
				await context.helpers.httpRequestWithAuthentication.call(context, SEGMIND_API, {
					...options,
					headers: { ...options.headers, ...headers },
				}),
		);
		return listOrEmpty(parseJson(text)).filter(isObject);
	} catch (error) {
		// Logs only the error's name, because its message could contain details of the call.
		context.logger.debug(`Segmind: the list for the picker could not be read (${nameOf(error)})`);
		return [];
	}
}

function nameOf(error: unknown): string {
	return error instanceof Error ? error.name : typeof error;
}

async function addressOf(context: ListContext, base: keyof ServiceUrls): Promise<string> {
	return addressesIn(await context.getCredentials(SEGMIND_API), SERVICE_URLS)[base];
}

/**
 * Returns the entries whose name or value contains every word of the filter. Cleans their names, so that n8n doesn't evaluate them, and leaves out
 * entries whose value n8n would evaluate, because a cleaned value could be that of another entry.
 */
export function filterEntries(
	results: INodeListSearchItems[],
	filter?: string,
): INodeListSearchItems[] {
	const words = (filter ?? '')
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== '');
	return results
		.filter(({ value }) => isClean(String(value)))
		.map((entry) => ({ ...entry, name: cleanText(entry.name) || String(entry.value) }))
		.filter(({ name, value }) => {
			const text = `${name} ${String(value)}`.toLowerCase();
			return words.every((word) => text.includes(word));
		});
}
