import type { IExecuteFunctions, IHttpRequestOptions, INodeType } from 'n8n-workflow';

import { lowerCaseHeaders } from '../../nodes/shared/service/http';
import { isObject, listIn, parseJson } from '../../nodes/shared/service/schemas';

/** One HTTP call of a node and its response. It may hold secrets. */
export interface Exchange {
	method: string;
	url: URL;
	/** Whether n8n authenticated it with a credential. */
	withKey: boolean;
	/** ms since the epoch. */
	sentAt: number;
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

/** Kept of one response, bytes. */
const MOST_KEPT = 20_000_000;

/**
 * Stands between nodes and n8n's HTTP helpers. It records every call, and lets a POST pass only if it was announced, and only once: whatever a node
 * does after a fault, nothing is sent twice. Methods other than GET and POST never pass.
 */
export class Wire {
	readonly exchanges: Exchange[] = [];

	/** URL of the one POST that may be sent. */
	announced?: string;

	/** The same node type with its calls on this wire. */
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
					...words: [type: string, IHttpRequestOptions]
				) {
					return await observe(words[1], true, httpRequestWithAuthentication.bind(this, ...words));
				},
			};
			const context = Object.create(this, { helpers: { value: helpers } }) as IExecuteFunctions;
			return await nodeType.execute!.call(context);
		};
		return watched;
	}

	private async observe(
		{ method = 'GET', url }: IHttpRequestOptions,
		withKey: boolean,
		send: () => Promise<unknown>,
	): Promise<unknown> {
		if (method !== 'GET') {
			if (method !== 'POST' || url !== this.announced)
				throw new Error('A call was held back that nobody announced, or that was sent before');
			this.announced = undefined;
		}
		const exchange: Exchange = {
			...{ method, url: new URL(url), withKey, sentAt: Date.now() },
			...{ headers: {}, body: Buffer.alloc(0) },
			get json() {
				return parseJson(this.body.toString('utf8'));
			},
		};
		this.exchanges.push(exchange);
		const response = (await send()) as RawResponse;
		exchange.status = response.statusCode;
		exchange.headers = lowerCaseHeaders(response.headers);
		// Of a download the node needs the stream itself.
		const isKept = withKey || /json|text/.test(exchange.headers['content-type'] ?? '');
		return isKept ? { ...response, body: kept(response.body, exchange) } : response;
	}
}

/** Passes on the chunks of a body and keeps them. */
async function* kept(body: AsyncIterable<Uint8Array>, exchange: Exchange) {
	const pieces: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of body) {
		bytes += piece.length;
		if (bytes <= MOST_KEPT) pieces.push(piece);
		yield piece;
	}
	if (bytes <= MOST_KEPT) exchange.body = Buffer.concat(pieces);
}

/** Follows member names, with dots between them, through objects, JSON in texts, and the first entry of lists (`0`); undefined where nothing is. */
export function valueIn(value: unknown, path: string): unknown {
	return path.split('.').reduce((outer, name) => {
		const inner = typeof outer === 'string' ? parseJson(outer) : outer;
		if (name === '0') return listIn(inner)?.[0];
		return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
	}, value);
}

/**
 * The responses to a method and a path, such as `GET /v1/x$`, oldest first; to a URL in the response to the submission, such as `status_url`; or to
 * calls without the key (`public`). A 429 is left out unless it's meant: the nodes wait and call again.
 */
export function callsTo(calls: readonly Exchange[], what: string, meant = 200): Exchange[] {
	const [method, path] = what.split(' ');
	const url = path ?? valueIn(callsTo(calls, 'POST /v2/').at(-1)?.json, what);
	const isMeant = ({ url: { origin, pathname, href }, withKey, ...call }: Exchange) =>
		path !== undefined
			? call.method === method && RegExp(path).test(origin + pathname)
			: what === 'public'
				? !withKey
				: href === url;
	return calls.filter((call) => {
		const { status } = call;
		return status !== undefined && (status === 429) === (meant === 429) && isMeant(call);
	});
}
