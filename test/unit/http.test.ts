/** How the network faults of a call are classified, and how long a call may take. */
import { AxiosError } from 'axios';
import {
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	NodeApiError,
} from 'n8n-workflow';

import { VirtualClock } from '../helpers/virtualClock';
import { callService, callUsing, type HttpCall } from '../../nodes/shared/service/http';

/** Makes a call for which n8n's helper returns what `respond` returns. */
async function makeCall(
	respond: (options: IHttpRequestOptions) => Promise<unknown>,
	more: Partial<HttpCall> = {},
) {
	const clock = new VirtualClock();
	const helpers = {
		httpRequestWithAuthentication: async (_credential: string, options: IHttpRequestOptions) =>
			await respond(options),
	};
	const context = { helpers } as unknown as IExecuteFunctions;
	const call: HttpCall = { method: 'POST', url: 'https://a.test', timeoutMs: 60_000, ...more };
	const outcome = await callService(context, 'segmindApi', call, { clock });
	await clock.pass(60_000);
	return outcome;
}

/** Returns an error of the HTTP library. Without `syscall`, it isn't the error of a system call. */
function libraryError(code: string, syscall?: string): AxiosError {
	const text = syscall ? `${syscall} ${code} 192.0.2.1:443` : code;
	const system = Object.assign(new Error(text), { code, ...(syscall && { syscall }) });
	return AxiosError.from(system, code, {} as never, {});
}

/** A retry may resend a request only if Segmind can't have accepted it. */
describe('a network fault', () => {
	const node = { name: 'Segmind', type: 'segmind' } as INode;

	const kindOf = async (error: Error) =>
		(await makeCall(async () => await Promise.reject(error))).kind;

	it.each([
		['ECONNREFUSED', 'connect', 'refused'],
		['EHOSTUNREACH', 'connect', 'refused'],
		['ENETUNREACH', 'connect', 'refused'],
		['ETIMEDOUT', 'connect', 'refused'],
		['ENOTFOUND', 'getaddrinfo', 'refused'],
		['EAI_AGAIN', 'getaddrinfo', 'refused'],
		['EHOSTUNREACH', 'read', 'lost'],
		['ENETUNREACH', 'read', 'lost'],
		['ETIMEDOUT', 'read', 'lost'],
		['ECONNRESET', 'read', 'lost'],
		['EHOSTUNREACH', 'write', 'lost'],
		['ENETDOWN', 'write', 'lost'],
		['EPIPE', 'write', 'lost'],
		['ECONNRESET', undefined, 'lost'],
		['ECONNABORTED', undefined, 'lost'],
		['ERR_BAD_RESPONSE', undefined, 'lost'],
		['HPE_INVALID_CONSTANT', undefined, 'lost'],
	])('%s (system call: %s) means %s, even if n8n wraps the error', async (code, syscall, kind) => {
		const error = libraryError(code, syscall);
		const wrapped = Object.assign(new NodeApiError(node, error as never), { cause: error });
		const inner = Object.assign(new Error('inner'), { cause: error });
		const twice = Object.assign(new Error('outer'), { cause: inner });
		for (const one of [error, wrapped, twice]) expect(await kindOf(one)).toBe(kind);
	});

	it('a proxy that ends the connection before it passes anything on means refused', async () => {
		const error = new Error('Proxy connection ended before receiving CONNECT response');
		expect(await kindOf(AxiosError.from(error, undefined, {} as never, {}))).toBe('refused');
	});

	/** From 1.102 to 2.33 n8n keeps neither the cause nor the system call, only the code and the message. */
	it.each([
		['ECONNREFUSED', 'ECONNREFUSED', 'refused'],
		['ENOTFOUND', 'ENOTFOUND', 'refused'],
		['EAI_AGAIN', 'EAI_AGAIN', 'refused'],
		['EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:443', 'refused'],
		['EHOSTUNREACH', 'read EHOSTUNREACH', 'lost'],
		['EHOSTUNREACH', 'The connection cannot be established', 'lost'],
		['ENETUNREACH', 'read ENETUNREACH', 'lost'],
		['ETIMEDOUT', 'The connection timed out', 'lost'],
		['ECONNRESET', 'The connection to the server was closed unexpectedly', 'lost'],
		[null, 'The service was not able to process your request', 'lost'],
	])(
		'%s with the message "%s", wrapped without its cause, means %s',
		async (httpCode, message, kind) => {
			const bare = new NodeApiError(node, { message });
			const error = Object.assign(bare, { httpCode, cause: undefined, message });
			expect(await kindOf(error)).toBe(kind);
		},
	);
});

describe('the time limit of a call', () => {
	const LIMIT_MS = 300_000;

	/** Makes a call whose body is sent in chunks. `ended.at` is when the time limit ended the call, in ms after its start. */
	function startSending(clock: VirtualClock, response: Promise<unknown>) {
		const startedAt = clock.now();
		const sending = { lastChunkAt: startedAt, isComplete: false };
		const ended: { at?: number } = {};
		const request = async ({ abortSignal }: IHttpRequestOptions) => {
			abortSignal?.addEventListener?.('abort', () => (ended.at = clock.now() - startedAt));
			return await response;
		};
		const call = { url: 'https://a.test', timeoutMs: LIMIT_MS, sending };
		void callUsing(request, call, { clock });
		return { ended, sendChunk: () => (sending.lastChunkAt = clock.now()) };
	}

	it('ends a stalled upload after a minute, but not an upload that has its response', async () => {
		const clock = new VirtualClock();
		const stalled = startSending(clock, new Promise(() => undefined));
		const response = { statusCode: 200, headers: {}, body: [] };
		const ended = startSending(clock, Promise.resolve(response));
		await clock.pass(50_000);
		stalled.sendChunk();
		await clock.pass(59_000);
		expect(stalled.ended.at).toBeUndefined();
		await clock.pass(10 * LIMIT_MS);
		expect(stalled.ended.at).toBeGreaterThanOrEqual(110_000);
		expect(stalled.ended.at).toBeLessThan(112_000);
		expect(ended.ended.at).toBeUndefined();
	});

	/** The library's limit counts from the start of a call, so it must not end a call before our own limit does. */
	it.each<[string, Partial<HttpCall>, number]>([
		['a short body', { body: '{}' }, 60_000],
		// On the slowest expected connection, 10 MB take 160 s.
		['10 MB in one chunk', { body: 'x'.repeat(10_000_000) }, 200_000],
		['a stream', { sending: { lastChunkAt: 0, isComplete: false } }, 12 * 3_600_000],
	])('the HTTP library gets a limit that is long enough for %s', async (_what, more, minMs) => {
		const requests: IHttpRequestOptions[] = [];
		await makeCall(async (options) => {
			requests.push(options);
			return { statusCode: 200, headers: {}, body: [] };
		}, more);
		expect(requests[0].timeout).toBeGreaterThanOrEqual(minMs);
		// A longer timer would fire at once.
		expect(requests[0].timeout).toBeLessThan(2 ** 31);
	});
});
