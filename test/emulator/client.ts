import { Agent, request, type Dispatcher } from 'undici';
import type { Emulator, EmulatorOptions } from '../../dev/emulator';
import { useBareEmulator } from '../helpers/emulator';

export interface CallResponse {
	status: number;
	headers: Record<string, string>;
	/** The parsed body, or undefined. Tests read members of any shape: their expectations check what the compiler cannot. */
	// eslint-disable-next-line @typescript-eslint/no-explicit-any
	json: any;
}

export interface CallOptions {
	method?: string;
	/** Sent as JSON, unless it's a string. */
	body?: unknown;
	/** Sent in addition to the key; a header that is undefined is not sent. */
	headers?: Record<string, string | undefined>;
}

/** Starts an emulator for one test file, with a clock that only the test moves, and resets it after each test. */
export function useEmulatorWithManualClock(options: EmulatorOptions = {}) {
	let time = Date.UTC(2026, 0, 1);
	const clock = { now: () => time, forward: (ms: number) => void (time += ms) };
	const emulator = useBareEmulator({ clock: clock.now, ...options });
	afterEach(() => emulator.reset());
	return { emulator, clock };
}

// Each test file closes its own connection pool, so that Jest doesn't wait for sockets.
const agent = new Agent({ keepAliveTimeout: 100 });
afterAll(async () => await agent.destroy());

/** Calls a URL of the emulator with its key. Rejects if the connection breaks. */
export async function call(
	emulator: Emulator,
	url: string,
	options: CallOptions = {},
): Promise<CallResponse> {
	const { body } = options;
	const isJson = body !== undefined && typeof body !== 'string';
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
		body: isJson ? JSON.stringify(body) : body,
	});
	const text = await response.body.text();
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		// Not every response is JSON.
	}
	return {
		status: response.statusCode,
		headers: response.headers as Record<string, string>,
		json,
	};
}

/** Makes a call without the key, as a client does for files. */
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

export async function submit(
	emulator: Emulator,
	model: string,
	input: unknown = { prompt: 'a cat' },
): Promise<CallResponse> {
	return await call(emulator, `${emulator.urls.api}/v2/${model}`, { body: input });
}
