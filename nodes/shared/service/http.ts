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
import { faultOf, TIMED_OUT_REASON, type NetworkFault } from './networkFault';
import { endOfCall, type SendProgress, type TimeLimits } from './timeLimits';

/** The context of a call: an execution, a trigger's poll, or a webhook. */
export type ServiceContext = IExecuteFunctions | IPollFunctions | IWebhookFunctions;

/** A response with any status. Header names are lower-case. */
export interface HttpResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
	/** If the body was larger than this limit of its call, bytes. `body` is empty then. */
	exceededBytes?: number;
}

/** Largest responses, unpacked bytes. A larger one isn't read to its end. */
export const MAX_RESPONSE_BYTES = {
	status: 1_000_000,
	submission: 1_000_000,
	list: 10_000_000,
	historyPage: 20_000_000,
	result: 20_000_000,
	/** Of a v1 call, whose response is the charged output: as much as one text can hold. */
	output: 500_000_000,
} as const;

/** Whether a status is 2xx. */
export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

export interface HttpCall {
	/** Missing for a GET with a body: n8n drops the body if the method is GET (docs/n8n.md N101). */
	method?: IHttpRequestMethods;
	url: string;
	headers?: Record<string, string>;
	/** Already encoded, so that n8n doesn't parse, drop or reorder it. */
	body?: IHttpRequestOptions['body'];
	/** Timeout from the last byte sent to the last byte received, ms. */
	timeoutMs: number;
	/** Largest response, unpacked bytes; by default that of a list. */
	maxBytes?: number;
	/** The progress of a body that is a stream. */
	sending?: SendProgress;
}

/** What ends a call before its response. */
export interface CallEnds {
	clock: Clock;
	limits: TimeLimits;
	/** The execution's Stop signal. Missing if the call must finish: the ID of a submission must be logged. */
	signal?: AbortSignal;
}

export type HttpOutcome = { response: HttpResponse } | { fault: NetworkFault };

/**
 * Calls the service with the credential's header. Follows no redirect, because headers would be sent to any host (docs/n8n.md N103). Doesn't throw for a
 * response or a network fault, but for a SegmindFailure of renewing the credential.
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

/** The same without a credential. `request` is n8n's `helpers.httpRequest`. */
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
		// Nothing else limits the size of a response (docs/n8n.md N118).
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		abortSignal,
	};
	if (call.method !== undefined) options.method = call.method;
	return options;
}

/** Longest timeout of a call whose body is a stream, ms. */
const SENDING_MS = 24 * 3_600_000;

/** The HTTP library's timeout counts from the start of the call, even while the body is being sent (docs/n8n.md N117), so it must be longer than ours. */
function libraryLimit({ timeoutMs: limitMs, sending, body }: HttpCall): number {
	return Math.ceil(sending ? SENDING_MS : endOfCall(0, limitMs, undefined, bytesOf(body)));
}

function bytesOf(body: HttpCall['body']): number {
	return Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0;
}

/**
 * Fetches a public URL without a credential, and follows redirects. The body is a stream. Asks for the uncompressed file, because n8n reports neither
 * the size of a compressed one nor that it was incomplete (docs/n8n.md N115, N116).
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

/** The part of Node's Readable that we use; node:stream must not be imported (docs/n8n.md N112). */
interface ReadableBody {
	/** Reads what is buffered; null if nothing is. */
	read(): unknown;
	/** Puts back data that was read. */
	unshift(piece: unknown): void;
	destroy(error?: Error): void;
	/** The source of a stream calls this with each chunk. */
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
 * A context without its Stop signal: n8n uses the execution's signal for every authenticated call instead of ours (docs/n8n.md N149, N150). A context
 * without that method stays as it is.
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
		() => endOfCall(startedAt, call.timeoutMs, call.sending, bytes),
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
		const maxBytes = call.maxBytes ?? MAX_RESPONSE_BYTES.list;
		const body = await readUpTo(maxBytes, raw.body, stop);
		return {
			response: {
				status: raw.statusCode,
				headers: lowerCaseHeaders(raw.headers),
				...(body ? { body } : { body: Buffer.alloc(0), exceededBytes: maxBytes }),
			},
		};
	} catch (error) {
		const own = ownFailureIn(error);
		if (own) throw own;
		const fault: NetworkFault = hasResponded
			? { kind: 'lost', reason: 'the response was cut short' }
			: faultOf(error);
		if (isLate) fault.reason = TIMED_OUT_REASON;
		// A body that wasn't sent completely wasn't accepted.
		if (fault.kind === 'lost' && call.sending && !call.sending.isComplete) fault.kind = 'refused';
		return { fault };
	} finally {
		unwatch();
		signal?.removeEventListener('abort', stop);
	}
}

/** The failure that the preAuthentication of our credential threw (`wrapForN8n`), which n8n wraps. */
function ownFailureIn(error: unknown): SegmindFailure | undefined {
	let current: unknown = error;
	for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
		if (current instanceof SegmindFailure) return current;
		current = current.cause;
	}
	return undefined;
}

/** Headers with lower-case names and joined lists. */
export function lowerCaseHeaders(headers: Record<string, unknown>): Record<string, string> {
	const plain: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers ?? {})) {
		if (value !== undefined && value !== null)
			plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : String(value);
	}
	return plain;
}

/** The bytes of a stream; undefined if there are more than `maxBytes`. The stream and its connection are closed then. */
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
