import type { ICredentialTestRequest, IHttpRequestOptions } from 'n8n-workflow';

import { assertAddresses } from '../nodes/shared/service/addresses';
import { USER_AGENT } from '../nodes/shared/service/userAgent';

/** n8n gives a credential's test five minutes, whatever its `request` says, but `authenticate` sees the options last (docs/n8n.md N128). */
const TEST_TIMEOUT_MS = 15_000;

/**
 * Returns the options of a call; if it is the credential's test, with a timeout and what every call of the nodes has. No other call has only a path as its URL.
 * @throws SegmindFailure that names one of the credential's `addresses` that may not be called
 */
export function limitTest(
	options: IHttpRequestOptions,
	testPath: string,
	addresses: object,
): IHttpRequestOptions {
	if (options.url !== testPath) return options;
	assertAddresses(addresses);
	return { ...options, headers: { ...options.headers, ...USER_AGENT }, timeout: TEST_TIMEOUT_MS };
}

/** A rule of a credential's test. n8n's type wants rules of one kind, its code takes both. */
type Rule = NonNullable<ICredentialTestRequest['rules']>[number];

/** The test fails with this message after this HTTP status; without it, n8n shows only "Unauthorized" or "Not Found". */
export function statusRule(value: number, message: string): Rule {
	return { type: 'responseCode', properties: { value, message } };
}

/** The test fails with this message if the body of a successful response has this value under this key. */
export function bodyRule(key: string, value: unknown, message: string): Rule {
	return { type: 'responseSuccessBody', properties: { key, value, message } };
}

/** A web page begins with this character, an object of JSON has no such member. */
export function webPageRule(addressLabel: string): Rule {
	const message = `A web page answered instead of Segmind. Check ${addressLabel}, and the proxy or firewall between n8n and Segmind.`;
	return bodyRule('0', '<', message);
}

/** Returns the base URL of a credential's test, an expression with the meaning of `addressesIn`: a test is only data, so it can't call it. */
export function addressExpression(name: string, defaultUrl: string): string {
	return `={{ ($credentials.customAddresses && String($credentials.${name} ?? "").trim()) || "${defaultUrl}" }}`;
}
