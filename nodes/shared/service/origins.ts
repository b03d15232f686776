import { shown } from '../base/redact';
import { CAUSES } from '../errors/errorTable';
import { badInput, failureOf } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';

/** The origins a Segmind API credential trusts (docs/service.md S1 to S4). */
export interface ServiceUrls {
	baseUrl: string;
	uploadUrl: string;
	endpointAdminUrl: string;
	endpointAdminStagingUrl: string;
}

/** Scheme, host and port of an http(s) address; undefined for anything else. */
export function originOf(address: string): string | undefined {
	if (!URL.canParse(address)) return undefined;
	const url = new URL(address);
	return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : undefined;
}

/** An address of the credential, by its field name there. @throws SegmindFailure before any call when it is none */
export function assertAddress(address: string, field: string): string {
	if (originOf(address) === undefined) throw badInput(INPUTS.wrongAddress, { label: field });
	return address;
}

/**
 * Lets an address through only when it lies on `trustedBase`'s origin: the key must not travel anywhere else.
 * @throws SegmindFailure naming the foreign origin, before any call
 */
export function assertTrusted(address: string, trustedBase: string, requestId?: string): string {
	const origin = originOf(address);
	const trusted = originOf(trustedBase);
	if (origin !== undefined && origin === trusted && !hasUserInfo(address)) return address;
	if (origin !== undefined && origin === trusted && requestId === undefined)
		throw badInput(INPUTS.addressWithUser);
	const named = origin ?? 'an address that is not http(s)';
	throw failureOf(
		'foreignOrigin',
		requestId ? CAUSES.foreignRequest : CAUSES.foreignOrigin,
		{ origin: named, trusted },
		{ requestId },
	);
}

/** Lets an address through only if it's on one of the credential's own origins. @throws SegmindFailure naming the foreign origin, before any call */
export function assertOwn(address: string, urls: ServiceUrls, requestId?: string): void {
	const origin = originOf(address);
	const own = Object.values(urls).find((url: string) => originOf(url) === origin);
	assertTrusted(address, own ?? urls.baseUrl, requestId);
}

function hasUserInfo(address: string): boolean {
	const url = new URL(address);
	return url.username !== '' || url.password !== '';
}

/** Longest slug or id, characters: it stands in every error of its item. */
const LONGEST_NAME = 200;

/**
 * One path segment from a slug or id, encoded once and never lower-cased (docs/service.md S285).
 * @throws SegmindFailure for an empty value, `.`, `..`, a leading slash, or over 200 characters
 */
export function pathSegment(value: string, parameter: string): string {
	const segment = value.trim();
	if (segment === '')
		throw badInput(INPUTS.empty, { label: parameter, todo: `Fill in ${parameter}.` });
	const isPath =
		segment === '.' || segment === '..' || segment.startsWith('/') || segment.startsWith('\\');
	if (isPath || segment.length > LONGEST_NAME) {
		throw badInput(INPUTS.notAName, { label: parameter, value: shown(segment) });
	}
	if (/^https?:\/\//i.test(segment)) {
		throw badInput(INPUTS.addressNotName, { label: parameter, value: shown(segment) });
	}
	// Half of a surrogate pair cannot be encoded.
	if (/\p{Surrogate}/u.test(segment)) throw badInput(INPUTS.brokenCharacter, { label: parameter });
	return encodeURIComponent(segment);
}

/** True for what `pathSegment` takes. */
export function isPathSegment(value: string): boolean {
	try {
		pathSegment(value, '');
		return true;
	} catch {
		return false;
	}
}

/** The text behind a percent-encoded path segment; undefined when it is broken. */
export function decoded(segment: string): string | undefined {
	try {
		return decodeURIComponent(segment);
	} catch {
		return undefined;
	}
}

/** Joins an origin or base address of the credential with a path that starts with a slash. */
export function joinUrl(base: string, path: string): string {
	return `${base.trim().replace(/\/+$/, '')}${path}`;
}
