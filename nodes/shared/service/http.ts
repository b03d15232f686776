import type {
	IAdditionalCredentialOptions,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import type { ServiceContext } from '../run/session';

/** A response as a value, whatever its status. Header names are lower-case. */
export interface HttpAnswer {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
}

export interface HttpCall {
	/** Left out for a GET that carries a body: n8n drops the body of a request named GET (platform fact 1). */
	method?: IHttpRequestMethods;
	url: string;
	headers?: Record<string, string>;
	/** Already encoded, so that n8n neither parses, drops nor reorders it. */
	body?: IHttpRequestOptions['body'];
	timeoutMs: number;
	/** Let the call finish although the execution was stopped: a submission's id must be logged. */
	finishWhenStopped?: boolean;
}

/** How a call failed before an answer came. */
export interface NetworkFault {
	/** `refused`: certainly not accepted. `lost`: may have been accepted. `notSent`: n8n or the TLS layer refused it. */
	kind: 'refused' | 'lost' | 'notSent';
	reason: string;
}

export type HttpOutcome = { answer: HttpAnswer } | { fault: NetworkFault };

const NEVER_CONNECTED = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'EADDRNOTAVAIL',
]);
const TLS_REFUSED = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_)/;

/**
 * Calls the service with the credential's header. Follows no redirect: headers would travel along to any host (platform fact 2).
 * Never throws for an answer or a network fault; a SegmindFailure of the credential's own renewal comes through.
 */
export async function callService(
	context: ServiceContext | IWebhookFunctions,
	credential: string,
	call: HttpCall,
	additional?: IAdditionalCredentialOptions,
): Promise<HttpOutcome> {
	const self = call.finishWhenStopped ? withoutStopSignal(context) : context;
	return await outcomeOf(
		async () =>
			(await context.helpers.httpRequestWithAuthentication.call(
				self,
				credential,
				optionsOf(call),
				additional,
			)) as RawResponse,
	);
}

/** The same with no credential; it finishes although the execution was stopped. `request` is n8n's `helpers.httpRequest`. */
export async function callWithoutCredential(
	request: (options: IHttpRequestOptions) => Promise<unknown>,
	call: HttpCall,
): Promise<HttpOutcome> {
	return await outcomeOf(async () => (await request(optionsOf(call))) as RawResponse);
}

function optionsOf(call: HttpCall): IHttpRequestOptions {
	const options: IHttpRequestOptions = {
		url: call.url,
		headers: call.headers,
		body: call.body,
		timeout: call.timeoutMs,
		encoding: 'arraybuffer',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
	if (call.method !== undefined) options.method = call.method;
	return options;
}

/**
 * Fetches a public address with no credential, following redirects; the body is a stream. The plain file is asked for: of a compressed one
 * n8n tells neither its size nor that it was cut short (platform fact 51).
 */
export async function openPublic(
	context: ServiceContext,
	url: string,
	timeoutMs: number,
	abortSignal?: AbortSignal,
): Promise<RawStreamResponse> {
	return (await context.helpers.httpRequest({
		method: 'GET',
		url,
		headers: { 'accept-encoding': 'identity' },
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		timeout: timeoutMs,
		abortSignal,
	})) as RawStreamResponse;
}

/**
 * Puts bytes to a public (presigned) address with no credential: nothing here reads one. Follows no redirect, so that a stream is not kept
 * in memory (platform fact 7). Never throws for an answer or a network fault; a fault's reason never carries the address.
 */
export async function putPublic(
	context: IExecuteFunctions,
	call: Pick<HttpCall, 'url' | 'headers' | 'body' | 'timeoutMs'>,
	abortSignal?: AbortSignal,
): Promise<HttpOutcome> {
	return await outcomeOf(
		async () =>
			(await context.helpers.httpRequest({
				method: 'PUT',
				url: call.url,
				headers: call.headers,
				body: call.body,
				timeout: call.timeoutMs,
				encoding: 'arraybuffer',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
				abortSignal,
			})) as RawResponse,
	);
}

/** The part of Node's Readable that is used here; node:stream may not be imported (platform fact 8). */
export interface ReadableBody {
	destroy(error?: Error): void;
	/** What every source of a stream calls with each piece. */
	push(...piece: unknown[]): boolean;
}

export interface RawStreamResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: ReadableBody;
}

interface RawResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * n8n puts the execution's Stop signal on every authenticated call of a context that has one (platform fact 14);
 * a context without that method is left alone.
 */
function withoutStopSignal(context: ServiceContext | IWebhookFunctions): ServiceContext {
	const bare = {
		helpers: context.helpers,
		logger: context.logger,
		getNode: () => context.getNode(),
		getCredentials: async (type: string, itemIndex?: number) =>
			await (context as IExecuteFunctions).getCredentials(type, itemIndex),
		getWorkflow: () => context.getWorkflow(),
	};
	return bare as unknown as ServiceContext;
}

async function outcomeOf(send: () => Promise<RawResponse>): Promise<HttpOutcome> {
	try {
		const raw = await send();
		return {
			answer: {
				status: raw.statusCode,
				headers: lowerCaseHeaders(raw.headers),
				body: toBuffer(raw.body),
			},
		};
	} catch (error) {
		const own = ownFailureIn(error);
		if (own) throw own;
		return { fault: faultOf(error) };
	}
}

/** What the preAuthentication of a credential of ours threw (`throughN8n`); n8n wraps it. */
function ownFailureIn(error: unknown): SegmindFailure | undefined {
	let current: unknown = error;
	for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
		if (current instanceof SegmindFailure) return current;
		current = current.cause;
	}
	return undefined;
}

/** Header names in lower case, list values joined. */
export function lowerCaseHeaders(headers: Record<string, unknown>): Record<string, string> {
	const plain: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers ?? {})) {
		if (value !== undefined && value !== null)
			plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : String(value);
	}
	return plain;
}

function toBuffer(body: unknown): Buffer {
	if (Buffer.isBuffer(body)) return body;
	if (body instanceof ArrayBuffer) return Buffer.from(body);
	if (typeof body === 'string') return Buffer.from(body);
	return body === undefined || body === null ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
}

/**
 * n8n wraps the HTTP library's error once or twice; its code is somewhere down the chain of causes. From 1.102 to 2.33 n8n drops the cause, and
 * keeps the code in `httpCode`; when there is none either, the call may have been sent.
 */
function faultOf(error: unknown): NetworkFault {
	let reason = '';
	let maybeSent = false;
	let current: unknown = error;
	for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
		const link = current as Error & { code?: unknown; httpCode?: unknown; isAxiosError?: boolean };
		reason ||= link.message;
		maybeSent ||=
			link.isAxiosError === true ||
			['AxiosError', 'CanceledError'].includes(link.name) ||
			(link.name === 'NodeApiError' && link.cause === undefined);
		const code = systemCode(link.code) || systemCode(link.httpCode);
		if (NEVER_CONNECTED.has(code)) return { kind: 'refused', reason: inWords(code) };
		if (TLS_REFUSED.test(code)) return { kind: 'notSent', reason: inWords(code) };
		if (code !== '' && code !== 'ERR_BAD_REQUEST') {
			reason = inWords(code);
			maybeSent = true;
		}
		current = link.cause;
	}
	return { kind: maybeSent ? 'lost' : 'notSent', reason: reason || 'unknown fault' };
}

/** A code of the system or the HTTP library; '' for anything else, such as a status. */
function systemCode(value: unknown): string {
	return typeof value === 'string' && /^[A-Z]/.test(value) ? value : '';
}

const WORDS: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'the host name is unknown',
	EAI_AGAIN: 'the host name could not be looked up',
	EHOSTUNREACH: 'the host is out of reach',
	ENETUNREACH: 'the network is out of reach',
	ECONNRESET: 'the connection was closed',
	ECONNABORTED: 'it took too long',
	ETIMEDOUT: 'it took too long',
	EPIPE: 'the connection was closed',
	ERR_CANCELED: 'it was cancelled',
};

/** A fault in words. n8n replaces any message that contains one of the system's codes by a general sentence of its own. */
function inWords(code: string): string {
	if (TLS_REFUSED.test(code)) return `its certificate was not accepted: ${code.toLowerCase()}`;
	return WORDS[code] ?? code.toLowerCase();
}
