import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import {
	badInput,
	chargeOfFailedCall,
	emptyInput,
	failureFrom,
	wrongInput,
} from '../errors/failures';
import { say } from '../errors/say';
import { isPublicAddress } from './privateHosts';

/** The addresses of a Segmind API credential (docs/service.md S1 to S4). */
export interface ServiceUrls {
	baseUrl: string;
	uploadUrl: string;
	endpointAdminUrl: string;
	endpointAdminStagingUrl: string;
}

/** The default addresses of a Segmind API credential (docs/service.md S1 to S4). */
export const SERVICE_URLS: ServiceUrls = {
	baseUrl: 'https://api.segmind.com',
	uploadUrl: 'https://workflows-api.segmind.com',
	endpointAdminUrl: 'https://api.spotprod.segmind.com',
	endpointAdminStagingUrl: 'https://api.spotstage.segmind.com',
};

/** The default addresses of a Segmind Session API credential (docs/service.md S5). */
export const ACCOUNT_URLS = {
	accountUrl: 'https://cloud.segmind.com/api',
};

const DEFAULT_URLS: Record<string, string> = { ...SERVICE_URLS, ...ACCOUNT_URLS };

/**
 * Returns a credential's addresses if Custom Addresses is on; an empty one means its default. Otherwise returns `defaults`, because n8n leaves out hidden
 * fields.
 */
export function addressesIn<Urls extends object>(
	credential: ICredentialDataDecryptedObject,
	defaults: Urls,
): Urls {
	if (credential.customAddresses !== true) return defaults;
	return Object.fromEntries(
		Object.entries(defaults).map(([name, defaultUrl]) => [
			name,
			String(credential[name] ?? '').trim() || String(defaultUrl),
		]),
	) as Urls;
}

/** Returns scheme, host and port of an http(s) URL; undefined for anything else. */
export function originOf(address: string): string | undefined {
	if (!URL.canParse(address)) return undefined;
	const url = new URL(address);
	return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : undefined;
}

/** The fields of the credentials that have these addresses. */
const ADDRESS_LABELS: Record<string, string> = {
	baseUrl: 'Base URL',
	uploadUrl: 'Upload URL',
	endpointAdminUrl: 'Endpoint Admin URL',
	endpointAdminStagingUrl: 'Endpoint Admin Staging URL',
	accountUrl: 'Account URL',
};

/**
 * Whether an address of a credential may be called: it has https://, or http:// and the name or private address of a host in the user's network. Over
 * http, anybody on the way to Segmind or a public address could read the key. A path can't be added to a query, and no URL with a password is called.
 */
export function isCallable(address: string): boolean {
	if (originOf(address) === undefined || hasUserInfo(address)) return false;
	const url = new URL(address);
	if (url.search !== '' || url.hash !== '') return false;
	if (url.protocol === 'https:') return true;
	return !/(^|\.)segmind\.com\.?$/.test(url.hostname) && !isPublicAddress(url);
}

/** Checks and returns the addresses of a credential. @throws SegmindFailure that names the field of an address that may not be called */
export function assertAddresses<Urls extends object>(urls: Urls): Urls {
	for (const [name, address] of Object.entries(urls)) {
		const wanted = `an address with https://, without a password or a query, such as ${DEFAULT_URLS[name]}`;
		if (!isCallable(String(address)))
			throw wrongInput(`${ADDRESS_LABELS[name]} in the credential`, address, wanted);
	}
	return urls;
}

/** Whether the API key may be sent to a URL: it's on an origin of the credential, and has no user name and no password. */
export function isOwnUrl(address: string, urls: ServiceUrls): boolean {
	const origin = originOf(address);
	if (origin === undefined || hasUserInfo(address)) return false;
	return Object.values(urls).some((url: string) => originOf(url) === origin);
}

/** Checks that the API key may be sent to a URL. @throws SegmindFailure that names the foreign origin, before any call */
export function assertOwnUrl(address: string, urls: ServiceUrls, requestId?: string): void {
	if (isOwnUrl(address, urls)) return;
	throw failureFrom('foreignOrigin', {
		what: say`The node doesn't call ${describeForeign(address)}, because it sends the API key only to the addresses in the credential`,
		charge: chargeOfFailedCall(requestId),
		next: say`If you trust this address, enter it there as Base URL.`,
		requestId,
	});
}

function describeForeign(address: string): string {
	const origin = originOf(address);
	if (origin === undefined) return 'an address that is not http(s)';
	return hasUserInfo(address) ? 'a URL with a user name or a password' : origin;
}

function hasUserInfo(address: string): boolean {
	const url = new URL(address);
	return url.username !== '' || url.password !== '';
}

/** Longer slugs and IDs are rejected, because every error of their item contains them. */
const MAX_NAME_CHARS = 200;

/**
 * Encodes a slug or ID as a path segment, keeping upper and lower case (docs/service.md S285). `label` is the display name of its field, and `example` a
 * right value.
 * @throws SegmindFailure for an empty value, `.`, `..`, a leading slash or backslash, a URL, broken Unicode, or more than 200 characters
 */
export function pathSegment(value: string, label: string, example = 'nano-banana-pro'): string {
	const segment = value.trim();
	if (segment === '') throw emptyInput(label);
	const looksLikePath =
		segment === '.' || segment === '..' || segment.startsWith('/') || segment.startsWith('\\');
	const isUrl = /^https?:\/\//i.test(segment);
	// Half of a surrogate pair can't be encoded.
	const isBroken = /\p{Surrogate}/u.test(segment);
	if (looksLikePath || isUrl || isBroken || segment.length > MAX_NAME_CHARS)
		throw badInput(
			say`${label} '${segment}' is not a valid name`,
			say`Use the name as Segmind shows it, which is the last part of its page's URL, for example ${example}.`,
		);
	return encodeURIComponent(segment);
}

/** Whether `pathSegment` accepts a value. */
export function isPathSegment(value: string): boolean {
	try {
		pathSegment(value, '');
		return true;
	} catch {
		return false;
	}
}

/** Decodes a percent-encoded path segment; undefined if it's invalid. */
export function decodeSegment(segment: string): string | undefined {
	try {
		return decodeURIComponent(segment);
	} catch {
		return undefined;
	}
}

/** Joins an address of the credential with a path that starts with a slash. */
export function joinUrl(base: string, path: string): string {
	return `${base.trim().replace(/\/+$/, '')}${path}`;
}
