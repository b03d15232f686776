import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';

import { SEGMIND_API } from './client';
import { firstList, isObject } from './schemas';
import { joinUrl, originOf, type ServiceUrls } from './origins';

/** The picker waits so long, ms. */
const PATIENCE_MS = 5_000;

/**
 * The entries of a list of the account, for a picker. Never throws: a picker without a list still takes a typed id. No redirect is
 * followed, since the key would be sent along (docs/n8n.md N103).
 */
export async function accountList(
	context: ILoadOptionsFunctions,
	base: keyof ServiceUrls,
	path: string,
): Promise<Array<Record<string, unknown>>> {
	try {
		const origin = await addressOf(context, base);
		if (originOf(origin) === undefined) return [];
		const answer: unknown = await context.helpers.httpRequestWithAuthentication.call(
			context,
			SEGMIND_API,
			{
				method: 'GET',
				url: joinUrl(origin, path),
				json: true,
				timeout: PATIENCE_MS,
				disableFollowRedirect: true,
			},
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
