import type {
	IAdditionalCredentialOptions,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { endAt, type Clock } from '../base/clock';
import { SegmindFailure } from '../base/failure';
import { USER_AGENT } from './userAgent';
import { faultOf, TIMED_OUT_REASON, type NoResponse, type ResponseHead } from './networkFault';

/** The context of a call: an execution, a trigger's poll, or a webhook. */
export type ServiceContext = IExecuteFunctions | IPollFunctions | IWebhookFunctions;

/** A response with any status. */
export interface HttpResponse extends ResponseHead {
	kind: 'response';
	/** The call that it answers. */
	request?: { method: string; url: string };
	body: Buffer;
	/** The call's limit in bytes, if the body was larger. In that case, `body` is empty. */
	exceededLimitBytes?: number;
}

/** How a call ended. */
export type CallOutcome = HttpResponse | NoResponse;

/** Whether a call got a response with a 2xx status. */
export function isSuccess(outcome: CallOutcome): outcome is HttpResponse {
	return outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300;
}

/** The largest response that is read, by kind of response; counted in unpacked bytes. */
export const MAX_RESPONSE_BYTES = {
	status: 1_000_000,
	submission: 1_000_000,
	list: 10_000_000,
	historyPage: 20_000_000,
	/** The charged output, a v2 result or the response to a v1 call: as much as a JavaScript string can hold. */
	result: 500_000_000,
	/** A file that is stored while it's read. */
	file: 1_000_000_000,
};

export interface HttpCall {
	/** Left out for a GET with a body, because n8n drops the body if the method is set to GET (docs/n8n.md N101). */
	method?: IHttpRequestMethods;
	url: string;
	headers?: Record<string, string>;
	/** Already encoded, so that n8n doesn't parse, drop or reorder it. */
	body?: IHttpRequestOptions['body'];
	/** Timeout from the last byte sent to the last byte received. */
	timeoutMs: number;
	/** The largest response that is read, in unpacked bytes; by default the limit for lists. */
	maxBytes?: number;
	/** The progress of a body that is a stream. */
	sending?: SendProgress;
}

/** The progress of a body that is sent as a stream. The creator of the stream updates it. */
interface SendProgress {
	/** When the last chunk was read, ms since the epoch. */
	lastChunkAt: number;
	isComplete: boolean;
}

/** What ends a call before its response, besides its timeout. */
interface CallEnds {
	clock: Clock;
	/** The execution's Stop signal. Left out if the call must finish, for example so that the ID of a submission is logged. */
	signal?: AbortSignal;
}

/**
 * Calls the service with the credential's header. Follows no redirect, because the header would be sent to any host (docs/n8n.md N103). Returns every
 * response and network fault.
 * @throws SegmindFailure only if the credential's token could not be refreshed
 */
export async function callService(
	context: ServiceContext,
	credential: string,
	call: HttpCall,
	{ additional, ...ends }: CallEnds & { additional?: IAdditionalCredentialOptions },
): Promise<CallOutcome> {
	const self = withoutStopSignal(context);
	const { httpRequestWithAuthentication: request } = context.helpers;
	return await callUsing(
		async (options): Promise<unknown> => await request.call(self, credential, options, additional),
		{ ...call, headers: { ...USER_AGENT, ...call.headers } },
		ends,
	);
}

function requestOptions(call: HttpCall, abortSignal: AbortSignal): IHttpRequestOptions {
	const options: IHttpRequestOptions = {
		url: call.url,
		headers: call.headers,
		body: call.body,
		timeout: libraryTimeoutMs(call),
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

/** A body that is being sent times out after this long without progress. */
const MAX_STALL_MS = 60_000;
/** The slowest connection to expect (half a megabit a second), for bodies whose progress we don't see. */
const MIN_BYTES_PER_MS = 62;
/** The HTTP library's timeout for a call whose body is a stream: our own timeout ends the call earlier. */
const MAX_SENDING_MS = 24 * 3_600_000;

/** Returns a timeout that is longer than ours: the HTTP library's timeout also counts while the body is being sent. */
function libraryTimeoutMs(call: HttpCall): number {
	return Math.ceil(call.sending ? MAX_SENDING_MS : endOfCall(0, call));
}

/** Returns when a call times out: `timeoutMs` after its last byte was sent, as far as known. */
function endOfCall(startedAt: number, { timeoutMs, sending, body }: HttpCall): number {
	if (sending)
		return (
			sending.lastChunkAt + (sending.isComplete ? timeoutMs : Math.min(timeoutMs, MAX_STALL_MS))
		);
	const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0;
	return startedAt + timeoutMs + bytes / MIN_BYTES_PER_MS;
}

/**
 * Fetches a public URL without a credential, and follows no redirect. The body is a stream. Asks for the uncompressed file, because n8n reports neither
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
		disableFollowRedirect: true,
		timeout: timeoutMs,
		abortSignal,
	})) as RawStreamResponse;
}

interface RawResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: AsyncIterable<Uint8Array>;
}

/** The part of Node's Readable that we use; node:stream must not be imported (docs/n8n.md N112). */
export interface RawStreamResponse extends RawResponse {
	body: RawResponse['body'] & { destroy(): void };
}

/**
 * Returns the context without `getExecutionCancelSignal`: n8n would use the execution's signal for every authenticated call instead of ours
 * (docs/n8n.md N149, N150).
 */
function withoutStopSignal(context: ServiceContext): IExecuteFunctions {
	const contextWithoutSignal = {
		helpers: context.helpers,
		logger: context.logger,
		getNode: () => context.getNode(),
		getCredentials: async (type: string, itemIndex?: number) =>
			await (context as IExecuteFunctions).getCredentials(type, itemIndex),
		getWorkflow: () => context.getWorkflow(),
	};
	return contextWithoutSignal as unknown as IExecuteFunctions;
}

/**
 * Makes a call like `callService`, but with the given function of n8n. Our own timeout also ends a call whose response arrives byte by byte, which never
 * triggers the HTTP library's.
 */
export async function callUsing(
	request: (options: IHttpRequestOptions) => Promise<unknown>,
	call: HttpCall,
	{ clock, signal }: CallEnds,
): Promise<CallOutcome> {
	const abortController = new AbortController();
	const abort = () => abortController.abort();
	const startedAt = clock.now();
	const cancelTimeout = endAt(clock, () => endOfCall(startedAt, call), signal, abort);
	let head: ResponseHead | undefined;
	try {
		const raw = (await request(requestOptions(call, abortController.signal))) as RawResponse;
		head = { status: raw.statusCode, headers: lowerCaseHeaders(raw.headers) };
		const maxBytes = call.maxBytes ?? MAX_RESPONSE_BYTES.list;
		const body = await readUpTo(maxBytes, raw.body, abort);
		return {
			kind: 'response',
			request: { method: call.method ?? 'GET', url: call.url },
			...head,
			...(body ? { body } : { body: Buffer.alloc(0), exceededLimitBytes: maxBytes }),
		};
	} catch (error) {
		const ownFailure = ownFailureIn(error);
		if (ownFailure) throw ownFailure;
		const fault: NoResponse = head
			? { kind: 'lost', reason: 'the response was cut short', head }
			: faultOf(error);
		if (abortController.signal.aborted) fault.reason = TIMED_OUT_REASON;
		// A body that wasn't sent completely wasn't accepted.
		if (fault.kind === 'lost' && call.sending && !call.sending.isComplete) fault.kind = 'refused';
		return fault;
	} finally {
		cancelTimeout();
	}
}

/** Finds the failure that our credential's preAuthentication threw (`wrapForN8n`) in the errors that n8n wrapped around it. */
function ownFailureIn(error: unknown): SegmindFailure | undefined {
	let current: unknown = error;
	for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
		if (current instanceof SegmindFailure) return current;
		current = current.cause;
	}
	return undefined;
}

/** Returns the headers with lower-case names, and lists of values as one string. */
export function lowerCaseHeaders(headers: Record<string, unknown>): Record<string, string> {
	const plain: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers ?? {})) {
		if (value !== undefined && value !== null)
			plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : String(value);
	}
	return plain;
}

/** Returns the bytes of a stream. If there are more than `maxBytes`, closes the connection and returns undefined. */
async function readUpTo(
	maxBytes: number,
	stream: AsyncIterable<Uint8Array>,
	close: () => void,
): Promise<Buffer | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of stream) {
		bytes += chunk.length;
		if (bytes > maxBytes) {
			close();
			return undefined;
		}
		chunks.push(chunk);
	}
	return Buffer.concat(chunks, bytes);
}
