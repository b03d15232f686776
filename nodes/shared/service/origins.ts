import { badInput } from '../base/failure';
import { shown } from '../base/redact';
import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';

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
	if (originOf(address) === undefined)
		throw badInput(
			`${field} in the credential is not an http(s) address`,
			'Correct it in the Segmind API credential.',
		);
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
		throw badInput(
			'The address carries a user name or a password and is therefore not an origin of the credential',
			'Remove the part before the @.',
		);
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
	if (segment === '') throw badInput(`${parameter} is empty`, `Fill in ${parameter}.`);
	const isPath =
		segment === '.' || segment === '..' || segment.startsWith('/') || segment.startsWith('\\');
	if (isPath || segment.length > LONGEST_NAME) {
		throw badInput(
			`${parameter} '${shown(segment)}' is not a valid name`,
			'Use the name as Segmind shows it, without slashes in front.',
		);
	}
	if (/^https?:\/\//i.test(segment)) {
		throw badInput(
			`${parameter} '${shown(segment)}' is an address, not a name`,
			'Use only the last part of the address, for example nano-banana-pro.',
		);
	}
	// Half of a surrogate pair cannot be encoded.
	if (/\p{Surrogate}/u.test(segment))
		throw badInput(`${parameter} contains a broken character`, 'Type it again.');
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
