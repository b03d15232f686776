import { decoded } from '../service/origins';

/** The slug that a person typed, or the one in the address of a model's page on Segmind's hosts; any other text unchanged. */
export function slugIn(text: string): string {
	const typed = text.trim();
	const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/?#]+)([^?#]*)/i.exec(typed) ?? [];
	// A host with a user name or a port in it is not Segmind's.
	if (!/^([a-z0-9-]+\.)*segmind\.com$/i.test(host)) return typed;
	const [, slug = ''] = /\/models\/([^/]+)/.exec(path) ?? [];
	return decoded(slug)?.trim() || typed;
}

/** The address of a model's page. */
export function pageOf(slug: string): string {
	return `https://www.segmind.com/models/${encodeURIComponent(slug)}`;
}
