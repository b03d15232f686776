/**
 * The average prices and times of requests: those of the service's list of prices if this process could read it, otherwise the built-in ones. They decide
 * nothing but Max Cost, when a request is first checked, and what is shown.
 */

import { originOf } from '../service/addresses';
import { fetchPublicText, type ListContext } from '../service/picker';
import { findModel } from './index';
import { credentialOf, lookUpCached } from './modelList';
import { readPriceList, type PriceList } from './priceList';

const PRICES_URL = 'https://www.segmind.com/llms.txt';
/** Where the list is on the origin of a Base URL of one's own. */
const PRICES_PATH = '/llms.txt';
/** The list has about 140 kB (docs/service.md S284). */
const MAX_BYTES = 1_000_000;

/** The last list that was read, by the origin of Base URL. */
const latestPrices = new Map<string, PriceList>();

/** Averages of a request, as far as they are published. */
interface Averages {
	/** USD. */
	cost?: number;
	latencySeconds?: number;
}

/** Reads the service's list of prices; undefined if this process never could. With Custom Addresses on, it calls only Base URL's origin. Never throws. */
export async function listPrices(context: ListContext): Promise<PriceList | undefined> {
	const { baseUrl, hasCustomAddresses } = await credentialOf(context);
	const origin = originOf(baseUrl);
	if (origin === undefined) return undefined;
	const url = hasCustomAddresses ? `${origin}${PRICES_PATH}` : PRICES_URL;
	return await lookUpCached(url, async () => {
		const prices = await fetchPrices(context, url);
		if (prices !== undefined) latestPrices.set(origin, prices);
		return latestPrices.get(origin);
	});
}

async function fetchPrices(context: ListContext, url: string): Promise<PriceList | undefined> {
	try {
		return readPriceList(await fetchPublicText(context, url, MAX_BYTES));
	} catch (error) {
		context.logger.debug(
			`Segmind: the list of prices could not be read (${(error as Error).message})`,
		);
		return undefined;
	}
}

/** Returns the averages of a model from a list of prices, and what the list lacks from the built-in catalogue. */
export function averagesOf(slug: string, prices: PriceList | undefined): Averages {
	const listed = prices?.get(slug);
	const builtIn = findModel(slug);
	return {
		cost: listed?.cost ?? builtIn?.cost,
		latencySeconds: listed?.latencySeconds ?? builtIn?.latencySeconds,
	};
}

/** Returns the averages of a model that are known without a call. */
export function knownAverages(slug: string, baseUrl: string): Averages {
	return averagesOf(slug, latestPrices.get(originOf(baseUrl) ?? ''));
}
