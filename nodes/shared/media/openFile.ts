import type { OutputRun } from '../run/run';
import { originOf, type ServiceUrls } from '../service/addresses';
import { lowerCaseHeaders, openPublic, type RawStreamResponse } from '../service/http';
import { isPrivateHost } from '../service/privateHosts';

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

export interface OpenedFile {
	response: RawStreamResponse;
	/** Where the file was found. */
	url: string;
}

/**
 * Opens a public file without a credential, and follows its redirects. `namedBy`: the URL of who named its address. Returns why not, if the address or a
 * redirect must not be followed.
 */
export async function openFile(
	{ context, client }: Pick<OutputRun, 'context' | 'client'>,
	{ address, namedBy }: { address: string; namedBy: string },
	timeoutMs: number,
	signal: AbortSignal,
): Promise<OpenedFile | { reason: string }> {
	if (leadsInside(new URL(namedBy), new URL(address), client.urls)) return { reason: INSIDE };
	let url = address;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const response = await openPublic(context, url, timeoutMs, signal);
		const target = targetOf(response, url);
		if (target === undefined) return { response, url };
		response.body.destroy();
		const reason = whyNotFollowed(new URL(url), new URL(target), client.urls);
		if (reason !== undefined) return { reason };
		url = target;
	}
	return { reason: `its host redirected more than ${MAX_REDIRECTS} times` };
}

/** Returns where a response redirects to; undefined if it's no redirect. */
function targetOf({ statusCode, headers }: RawStreamResponse, url: string): string | undefined {
	const { location } = lowerCaseHeaders(headers);
	const isRedirect = REDIRECTS.includes(statusCode) && location !== undefined;
	return isRedirect && URL.canParse(location, url) ? new URL(location, url).href : undefined;
}

export function whyNotFollowed(from: URL, to: URL, urls: ServiceUrls): string | undefined {
	if (originOf(to.href) === undefined)
		return 'its host redirected to an address that is not http(s)';
	if (from.protocol === 'https:' && to.protocol === 'http:')
		return 'its host redirected from https to http';
	return leadsInside(from, to, urls) ? `its host redirected, and ${INSIDE}` : undefined;
}

const INSIDE = 'its address is in a private network';

/** A host elsewhere must not make n8n call what only n8n's own network can reach. The credential's hosts may be there: a proxy, or the emulator. */
function leadsInside(from: URL, to: URL, urls: ServiceUrls): boolean {
	const ownHosts = Object.values(urls).map((own: string) => new URL(own).hostname);
	return !isPrivateHost(from) && isPrivateHost(to) && !ownHosts.includes(to.hostname);
}
