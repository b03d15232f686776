/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { Agent, FormData, request, type Dispatcher } from 'undici';
import type { Emulator, EmulatorOptions } from '../../dev/emulator';
import { useBareEmulator } from '../helpers/emulator';
import { until } from '../helpers/until';

// Tests look into bodies of every shape; expectations do the checking.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Loose = any;

export interface CallResponse {
	status: number;
	headers: Record<string, string>;
	bytes: Buffer;
	text: string;
	/** The parsed body, or undefined. */
	json: Loose;
}

export interface CallOptions {
	method?: string;
	/** Sent as JSON, unless it is text, bytes or a form. */
	body?: unknown;
	/** Added to the key; undefined removes one. */
	headers?: Record<string, string | undefined>;
	signal?: AbortSignal;
}

/** An emulator for one test file, reset after each test, with a clock that only the test moves. */
export function useEmulatorWithManualClock(orders: EmulatorOptions = {}) {
	const clock = manualClock();
	const emulator = useBareEmulator({ clock: clock.now, ...orders });
	afterEach(() => emulator.reset());
	return { emulator, clock };
}

// Bodies are limited by the emulator's faults only; a pool per file keeps jest from waiting for sockets.
const agent = new Agent({ keepAliveTimeout: 100 });
afterAll(async () => await agent.destroy());

/** Calls an address of the emulator with its key. Rejects when the connection breaks. */
export async function call(
	emulator: Emulator,
	url: string,
	options: CallOptions = {},
): Promise<CallResponse> {
	const { body } = options;
	const isRaw = typeof body === 'string' || body instanceof Buffer || body instanceof FormData;
	const isJson = body !== undefined && !isRaw;
	const headers = {
		'x-api-key': emulator.key,
		...(isJson && { 'content-type': 'application/json' }),
		...options.headers,
	};
	const response = await request(url, {
		dispatcher: agent,
		method: (options.method ?? (body === undefined ? 'GET' : 'POST')) as Dispatcher.HttpMethod,
		headers: Object.fromEntries(
			Object.entries(headers).filter(([, value]) => value !== undefined),
		) as Record<string, string>,
		body: isJson ? JSON.stringify(body) : (body as string | Buffer | FormData | undefined),
		signal: options.signal,
	});
	const bytes = Buffer.from(await response.body.arrayBuffer());
	const text = bytes.toString('utf8');
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		// Not every response is JSON.
	}
	return {
		status: response.statusCode,
		headers: response.headers as Record<string, string>,
		bytes,
		text,
		json,
	};
}

/** Calls without the key, as for files. */
export async function callWithoutKey(
	emulator: Emulator,
	url: string,
	options: CallOptions = {},
): Promise<CallResponse> {
	return await call(emulator, url, {
		...options,
		headers: { 'x-api-key': undefined, ...options.headers },
	});
}

/** Makes a call and aborts it shortly after `isThere`. Expects that the response isn't complete by then. */
export async function abandonCall(
	emulator: Emulator,
	url: string,
	{ isThere, ...options }: Omit<CallOptions, 'signal'> & { isThere: () => boolean },
): Promise<void> {
	const patience = new AbortController();
	const answer = call(emulator, url, { ...options, signal: patience.signal });
	const broken = expect(answer).rejects.toThrow();
	await until(isThere);
	await new Promise((resolve) => setTimeout(resolve, 100));
	patience.abort();
	await broken;
}

export async function submit(
	emulator: Emulator,
	model: string,
	input: unknown = { prompt: 'a cat' },
): Promise<CallResponse> {
	return await call(emulator, `${emulator.urls.api}/v2/${model}`, { body: input });
}

/** A clock that only the test moves. */
export function manualClock(start = Date.UTC(2026, 0, 1)) {
	let time = start;
	return { now: () => time, forward: (ms: number) => void (time += ms) };
}
