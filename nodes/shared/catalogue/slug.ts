import { decodeSegment } from '../service/addresses';

/** Finds the slug in the URL of a model's page at Segmind; returns any other text unchanged. */
export function slugIn(text: string): string {
	const typed = text.trim();
	const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/?#]+)([^?#]*)/i.exec(typed) ?? [];
	// A URL with a user name or a port isn't Segmind's.
	if (!/^([a-z0-9-]+\.)*segmind\.com$/i.test(host)) return typed;
	const [, slug = ''] = /\/models\/([^/]+)/.exec(path) ?? [];
	return decodeSegment(slug)?.trim() || typed;
}

/** Whether two slugs mean the same model to a person: `Nano Banana` and `nano_banana` are the same. */
export function isSameModel(one: string, other: string): boolean {
	const [first, second] = [one, other].map((slug) => slug.toLowerCase().replace(/[\s_-]+/g, '-'));
	return first === second;
}

/** Returns the URL of a model's page at Segmind. */
export function pageUrlOf(slug: string): string {
	return `https://www.segmind.com/models/${encodeURIComponent(slug)}`;
}
