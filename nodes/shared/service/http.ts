import type {
	IAdditionalCredentialOptions,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { Clock } from '../base/clock';
import { SegmindFailure } from '../base/failure';
import { faultOf, TOO_LONG, type NetworkFault } from './networkFault';
import { endOfCall, type Sending, type TimeLimits } from './timeLimits';

/** Where calls are made from: an execution, a trigger's poll, or a webhook. */
export type ServiceContext = IExecuteFunctions | IPollFunctions | IWebhookFunctions;

/** A response as a value, whatever its status. Header names are lower-case. */
export interface HttpResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
	/** Set when the body was larger than its call allows, to these bytes: it was not kept, and `body` is empty. */
	exceeds?: number;
}

/** Largest answers taken, bytes as unpacked: what is larger is not read to its end. */
export const LARGEST_RESPONSE = {
	status: 1_000_000,
	submission: 1_000_000,
	list: 10_000_000,
	historyPage: 20_000_000,
	result: 20_000_000,
	/** Of a v1 call, whose answer is what was paid for: as much as one text can hold. */
	output: 500_000_000,
} as const;

/** True for 2xx. */
export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

export interface HttpCall {
	/** Left out for a GET that carries a body: n8n drops the body of a request named GET (docs/n8n.md N101). */
	method?: IHttpRequestMethods;
	url: string;
	headers?: Record<string, string>;
	/** Already encoded, so that n8n neither parses, drops nor reorders it. */
	body?: IHttpRequestOptions['body'];
	/** How long the answer may take from the last byte sent to its own last byte, ms. */
	limitMs: number;
	/** Of the answer, bytes as unpacked; of a list when it is left out. */
	maxBytes?: number;
	/** Of a body that is a stream. */
	sending?: Sending;
}

/** What ends a call before its answer. */
export interface CallEnds {
	clock: Clock;
	limits: TimeLimits;
	/** The execution's Stop; left out to let the call finish: a submission's id must be logged. */
	signal?: AbortSignal;
}

export type HttpOutcome = { response: HttpResponse } | { fault: NetworkFault };

/**
 * Calls the service with the credential's header. Follows no redirect: headers would be sent along to any host (docs/n8n.md N103).
 * Never throws for an answer or a network fault; a SegmindFailure of the credential's own renewal comes through.
 */
export async function callService(
	context: ServiceContext,
	credential: string,
	call: HttpCall,
	ends: CallEnds,
	additional?: IAdditionalCredentialOptions,
): Promise<HttpOutcome> {
	const self = withoutStopSignal(context);
	return await outcomeOf(
		call,
		ends,
		async (options) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				self,
				credential,
				options,
				additional,
			)) as RawResponse,
	);
}

/** The same with no credential. `request` is n8n's `helpers.httpRequest`. */
export async function callWithoutCredential(
	request: (options: IHttpRequestOptions) => Promise<unknown>,
	call: HttpCall,
	ends: CallEnds,
): Promise<HttpOutcome> {
	return await outcomeOf(call, ends, async (options) => (await request(options)) as RawResponse);
}

function optionsOf(call: HttpCall, abortSignal: AbortSignal): IHttpRequestOptions {
	const options: IHttpRequestOptions = {
		url: call.url,
		headers: call.headers,
		body: call.body,
		timeout: libraryLimit(call),
		// Nothing else limits the size of an answer (docs/n8n.md N118).
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		abortSignal,
	};
	if (call.method !== undefined) options.method = call.method;
	return options;
}

/** Longest limit of a body that is sent as a stream, ms. */
const SENDING_MS = 24 * 3_600_000;

/** The HTTP library counts from the call's start, however far a body has got (docs/n8n.md N117): it must not end what our own limit lets go on. */
function libraryLimit({ limitMs, sending, body }: HttpCall): number {
	return Math.ceil(sending ? SENDING_MS : endOfCall(0, limitMs, undefined, bytesOf(body)));
}

function bytesOf(body: HttpCall['body']): number {
	return Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0;
}

/**
 * Fetches a public address with no credential, following redirects; the body is a stream. The plain file is asked for: of a compressed one
 * n8n reports neither its size nor that it was cut short (docs/n8n.md N115, N116).
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

/** The part of Node's Readable that is used here; node:stream may not be imported (docs/n8n.md N112). */
interface ReadableBody {
	/** What waits to be read; null when nothing does. */
	read(): unknown;
	/** Puts back what was read. */
	unshift(piece: unknown): void;
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
	body: AsyncIterable<Uint8Array>;
}

/**
 * n8n puts the execution's Stop signal on every authenticated call of a context that has one, in the place of ours (docs/n8n.md N149, N150);
 * a context without that method is left alone.
 */
function withoutStopSignal(context: ServiceContext): IExecuteFunctions {
	const bare = {
		helpers: context.helpers,
		logger: context.logger,
		getNode: () => context.getNode(),
		getCredentials: async (type: string, itemIndex?: number) =>
			await (context as IExecuteFunctions).getCredentials(type, itemIndex),
		getWorkflow: () => context.getWorkflow(),
	};
	return bare as unknown as IExecuteFunctions;
}

async function outcomeOf(
	call: HttpCall,
	{ clock, limits, signal }: CallEnds,
	send: (options: IHttpRequestOptions) => Promise<RawResponse>,
): Promise<HttpOutcome> {
	const ending = new AbortController();
	const bytes = bytesOf(call.body);
	const startedAt = clock.now();
	let isLate = false;
	const unwatch = limits.watch(
		() => endOfCall(startedAt, call.limitMs, call.sending, bytes),
		() => {
			isLate = true;
			ending.abort();
		},
	);
	const stop = () => ending.abort();
	signal?.addEventListener('abort', stop, { once: true });
	if (signal?.aborted) stop();
	let hasResponded = false;
	try {
		const raw = await send(optionsOf(call, ending.signal));
		hasResponded = true;
		const maxBytes = call.maxBytes ?? LARGEST_RESPONSE.list;
		const body = await readUpTo(maxBytes, raw.body, stop);
		return {
			response: {
				status: raw.statusCode,
				headers: lowerCaseHeaders(raw.headers),
				...(body ? { body } : { body: Buffer.alloc(0), exceeds: maxBytes }),
			},
		};
	} catch (error) {
		const own = ownFailureIn(error);
		if (own) throw own;
		const fault: NetworkFault = hasResponded
			? { kind: 'lost', reason: 'the response was cut short' }
			: faultOf(error);
		if (isLate) fault.reason = TOO_LONG;
		// What was not sent completely was not accepted.
		if (fault.kind === 'lost' && call.sending && !call.sending.isComplete) fault.kind = 'refused';
		return { fault };
	} finally {
		unwatch();
		signal?.removeEventListener('abort', stop);
	}
}

/** What the preAuthentication of a credential of ours threw (`wrapForN8n`); n8n wraps it. */
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

/** The bytes of a stream; undefined when there are more than `maxBytes`: then it is closed, and its connection with it. */
async function readUpTo(
	maxBytes: number,
	stream: AsyncIterable<Uint8Array>,
	close: () => void,
): Promise<Buffer | undefined> {
	const pieces: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of stream) {
		bytes += piece.length;
		if (bytes > maxBytes) {
			close();
			return undefined;
		}
		pieces.push(piece);
	}
	return Buffer.concat(pieces, bytes);
}
