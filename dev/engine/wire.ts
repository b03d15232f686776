import type { IExecuteFunctions, IHttpRequestOptions, INodeType } from 'n8n-workflow';

import { lowerCaseHeaders } from '../../nodes/shared/service/http';
import { isObject, listIn, parseJson } from '../../nodes/shared/service/schemas';

/** One HTTP call of a node and its response. It may hold secrets. */
export interface Exchange {
	method: string;
	url: URL;
	/** Whether n8n authenticated the call with a credential. */
	hasKey: boolean;
	/** When the call was sent, ms since the epoch. */
	sentAt: number;
	/** The body that was sent, if it's text. */
	sent?: string;
	/** Undefined if no response came. */
	status?: number;
	headers: Record<string, string>;
	/** Empty for media that was fetched without a credential. */
	body: Buffer;
	/** The JSON of the body; undefined if it isn't JSON. */
	readonly json: unknown;
}

interface RawResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: AsyncIterable<Uint8Array>;
}

/** A response body that is longer than this isn't kept. */
const MAX_KEPT_BYTES = 20_000_000;

/**
 * Stands between nodes and n8n's HTTP helpers. It records every call, and lets a POST pass only once and only if it was announced, so that nothing
 * is sent twice, whatever a node does after a fault. Methods other than GET and POST never pass.
 */
export class Wire {
	readonly exchanges: Exchange[] = [];

	/** The URL of the one POST that may be sent. */
	announcedUrl?: string;

	/** Returns a node type like the given one, whose calls go through this wire. */
	watch(nodeType: INodeType): INodeType {
		const observe = this.observe.bind(this);
		const watched = Object.create(nodeType) as INodeType;
		watched.execute = async function () {
			const { httpRequest, httpRequestWithAuthentication } = this.helpers;
			const helpers = {
				...this.helpers,
				httpRequest: async (options: IHttpRequestOptions) =>
					await observe(options, false, async () => await httpRequest(options)),
				async httpRequestWithAuthentication(
					this: IExecuteFunctions,
					...args: [type: string, IHttpRequestOptions]
				) {
					return await observe(args[1], true, httpRequestWithAuthentication.bind(this, ...args));
				},
			};
			const context = Object.create(this, { helpers: { value: helpers } }) as IExecuteFunctions;
			return await nodeType.execute!.call(context);
		};
		return watched;
	}

	private async observe(
		{ method = 'GET', url, body }: IHttpRequestOptions,
		hasKey: boolean,
		send: () => Promise<unknown>,
	): Promise<unknown> {
		if (method !== 'GET') {
			if (method !== 'POST' || url !== this.announcedUrl)
				throw new Error('A call was blocked: it was not announced, or it was already sent');
			this.announcedUrl = undefined;
		}
		const exchange: Exchange = {
			method,
			url: new URL(url),
			hasKey,
			sentAt: Date.now(),
			sent: typeof body === 'string' ? body : undefined,
			headers: {},
			body: Buffer.alloc(0),
			get json() {
				return parseJson(this.body.toString('utf8'));
			},
		};
		this.exchanges.push(exchange);
		const response = (await send()) as RawResponse;
		exchange.status = response.statusCode;
		exchange.headers = lowerCaseHeaders(response.headers);
		// A download isn't kept, because the node needs the stream itself.
		const isKept = hasKey || /json|text/.test(exchange.headers['content-type'] ?? '');
		return isKept ? { ...response, body: keepChunks(response.body, exchange) } : response;
	}
}

/** Passes on the chunks of a body, and stores the body in the exchange if it isn't too long. */
async function* keepChunks(body: AsyncIterable<Uint8Array>, exchange: Exchange) {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes <= MAX_KEPT_BYTES) chunks.push(chunk);
		yield chunk;
	}
	if (bytes <= MAX_KEPT_BYTES) exchange.body = Buffer.concat(chunks);
}

/**
 * Returns the value at a path, or undefined. A path is names of members with dots between them; it can lead through objects, through strings that
 * contain JSON and, as `0`, through the first entry of a list.
 */
export function valueIn(value: unknown, path: string): unknown {
	return path.split('.').reduce((outer, name) => {
		const inner = typeof outer === 'string' ? parseJson(outer) : outer;
		if (name === '0') return listIn(inner)?.[0];
		return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
	}, value);
}

/**
 * Returns the calls that got a response, oldest first. `what` is a method and a pattern of the URL, such as `GET /v1/x$`; the name of a URL in the
 * response to the submission, such as `status_url`; or `public` for calls without the key. Calls with a 429 are left out unless a 429 is expected,
 * because the nodes repeat them.
 */
export function callsTo(
	calls: readonly Exchange[],
	what: string,
	expectedStatus = 200,
): Exchange[] {
	const [method, path] = what.split(' ');
	const url = path ?? valueIn(callsTo(calls, 'POST /v2/').at(-1)?.json, what);
	const isWanted = ({ url: { origin, pathname, href }, hasKey, ...call }: Exchange) =>
		path !== undefined
			? call.method === method && RegExp(path).test(origin + pathname)
			: what === 'public'
				? !hasKey
				: href === url;
	return calls.filter((call) => {
		const { status } = call;
		return status !== undefined && (status === 429) === (expectedStatus === 429) && isWanted(call);
	});
}
