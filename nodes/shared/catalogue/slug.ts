import { decodeSegment, originOf } from '../service/addresses';

/**
 * Finds the slug in a URL of a model: of its page at Segmind, or of its calls at Segmind or at the credential's own address. Returns any other text
 * unchanged.
 */
export function slugIn(text: string, ownAddress = ''): string {
	const path = pathIn(text, ownAddress);
	return (
		foundIn(path, /\/models\/([^/]+)/) ?? foundIn(path, /^\/v[12]\/([^/]+)\/?$/) ?? text.trim()
	);
}

/**
 * Finds the slug or the ID in a URL of a workflow: of its page at Segmind, or of its runs at Segmind or at the credential's own address. Returns any other
 * text unchanged.
 */
export function workflowIn(text: string, ownAddress = ''): string {
	const path = pathIn(text, ownAddress);
	return (
		foundIn(path, /\/pixelflows\/([^/]+)/) ??
		foundIn(path, /^\/workflows\/(?:v2\/)?([^/]+)\/?$/) ??
		text.trim()
	);
}

/**
 * Returns the path below which the workflow that a text names runs. An older one, named by its ID and version, has another path (docs/service.md S153),
 * unless the text itself has `v2`.
 */
export function workflowRootIn(text: string, ownAddress = ''): string {
	const isOlder = /^[0-9a-f]{24}-v\d+$/.test(workflowIn(text, ownAddress));
	const isVersion2 = pathIn(text, ownAddress).startsWith('/workflows/v2/');
	return isOlder && !isVersion2 ? '/workflows' : '/workflows/v2';
}

/** Returns the path of a URL at Segmind or below `ownAddress`, which may also be given without a host; '' for any other text. */
function pathIn(text: string, ownAddress: string): string {
	if (/^\s*\/[^/]/.test(text)) return text.trim().split(/[?#]/, 1)[0];
	const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/?#]+)([^?#]*)/i.exec(text.trim()) ?? [];
	// A URL with a user name or a port isn't Segmind's.
	if (/^([a-z0-9-]+\.)*segmind\.com$/i.test(host)) return path;
	const own = originOf(ownAddress) === undefined ? undefined : new URL(ownAddress);
	const ownPath = own?.pathname.replace(/\/+$/, '') ?? '';
	if (host.toLowerCase() !== own?.host || !path.startsWith(`${ownPath}/`)) return '';
	return path.slice(ownPath.length);
}

function foundIn(path: string, pattern: RegExp): string | undefined {
	const [, segment = ''] = pattern.exec(path) ?? [];
	return decodeSegment(segment)?.trim() || undefined;
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
