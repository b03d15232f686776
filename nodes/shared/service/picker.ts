import type {
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INodeListSearchItems,
} from 'n8n-workflow';

import { systemClock, wait } from '../base/clock';
import { SEGMIND_API } from './client';
import { firstList, isObject } from './schemas';
import { joinUrl, originOf, type ServiceUrls } from './origins';

/** A list that is not here by then counts as out of reach, ms. */
const LIST_TIMEOUT_MS = 5_000;

/**
 * Asks for a list with `send`, one of n8n's functions, and gives it up in time whatever comes: n8n's own time-out restarts with every byte on some
 * versions. No redirect is followed, since a key would be sent along (docs/n8n.md N103).
 * @throws what `send` throws
 */
export async function fetchList(
	url: string,
	send: (options: IHttpRequestOptions) => Promise<unknown>,
): Promise<unknown> {
	const done = new AbortController();
	const late = new AbortController();
	void wait(systemClock, LIST_TIMEOUT_MS, { signal: done.signal }).then(() => {
		if (!done.signal.aborted) late.abort();
	});
	try {
		return await send({
			method: 'GET',
			url,
			json: true,
			timeout: LIST_TIMEOUT_MS,
			abortSignal: late.signal,
			disableFollowRedirect: true,
		});
	} finally {
		done.abort();
	}
}

/**
 * The entries of a list of the account, for a picker. Never throws: a picker without a list still takes a typed id.
 */
export async function accountList(
	context: ILoadOptionsFunctions,
	base: keyof ServiceUrls,
	path: string,
): Promise<Array<Record<string, unknown>>> {
	try {
		const origin = await addressOf(context, base);
		if (originOf(origin) === undefined) return [];
		const answer = await fetchList(
			joinUrl(origin, path),
			async (options): Promise<unknown> =>
				await context.helpers.httpRequestWithAuthentication.call(context, SEGMIND_API, options),
		);
		return firstList(answer).filter(isObject);
	} catch (error) {
		// Only the kind of the fault: its text could carry the call.
		context.logger.debug(`Segmind: the list for the picker is out of reach (${nameOf(error)})`);
		return [];
	}
}

function nameOf(error: unknown): string {
	return error instanceof Error ? error.name : typeof error;
}

async function addressOf(context: ILoadOptionsFunctions, base: keyof ServiceUrls): Promise<string> {
	const credential = await context.getCredentials(SEGMIND_API);
	return String(credential[base] ?? '').trim();
}

/** Entries that have every word of the filter in name or value. */
export function matching(results: INodeListSearchItems[], filter?: string): INodeListSearchItems[] {
	const words = (filter ?? '')
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== '');
	return results.filter(({ name, value }) =>
		words.every((word) => `${name} ${String(value)}`.toLowerCase().includes(word)),
	);
}

/** The first member that is a text or a number, as text; '' when there is none. */
export function memberText(entry: Record<string, unknown>, ...names: string[]): string {
	for (const name of names) {
		const value = entry[name];
		if (typeof value === 'string' && value.trim() !== '') return value.trim();
		if (typeof value === 'number') return String(value);
	}
	return '';
}
