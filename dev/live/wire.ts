import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { lowerCaseHeaders } from '../../nodes/shared/service/http';
import { parseJson } from '../../nodes/shared/service/schemas';

/** One HTTP call and its response. It holds secrets: only checks read it. */
export interface Exchange {
	method: string;
	url: URL;
	withKey: boolean;
	/** The JSON that was sent. */
	sent: unknown;
	/** ms since the epoch. */
	sentAt: number;
	/** Undefined if no response came. */
	status?: number;
	headers: Record<string, string>;
	/** Empty for media that was fetched without the key. */
	body: Buffer;
}

interface RawResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: AsyncIterable<Uint8Array>;
}

/** Kept of one response, bytes. */
const MOST_KEPT = 20_000_000;

/**
 * Stands between the nodes and n8n's HTTP helpers. It records every call, and lets a POST pass only if a probe has announced it, and only once:
 * whatever a node does after a fault, nothing is sent twice. Other methods never pass.
 */
export class Wire {
	readonly exchanges: Exchange[] = [];

	/** URL of the one POST that may be sent. */
	announced?: string;

	/** The same context with its HTTP helpers watched. */
	watch(context: IExecuteFunctions): IExecuteFunctions {
		const { httpRequest, httpRequestWithAuthentication } = context.helpers;
		const observe = this.observe.bind(this);
		const helpers = {
			...context.helpers,
			httpRequest: async (options: IHttpRequestOptions) =>
				await observe(options, false, async () => await httpRequest(options)),
			async httpRequestWithAuthentication(
				this: IExecuteFunctions,
				...words: [string, IHttpRequestOptions]
			) {
				const send = httpRequestWithAuthentication.bind(this, ...words);
				return await observe(words[1], true, send);
			},
		};
		return Object.create(context, { helpers: { value: helpers } }) as IExecuteFunctions;
	}

	private async observe(
		{ method = 'GET', url, body }: IHttpRequestOptions,
		withKey: boolean,
		send: () => Promise<unknown>,
	): Promise<unknown> {
		if (method !== 'GET') {
			if (method !== 'POST' || url !== this.announced) throw new Error('Nothing is sent twice');
			this.announced = undefined;
		}
		const sent = typeof body === 'string' ? parseJson(body) : undefined;
		const about = { method, url: new URL(url), withKey, sent, sentAt: Date.now() };
		const exchange: Exchange = { ...about, headers: {}, body: Buffer.alloc(0) };
		this.exchanges.push(exchange);
		const response = (await send()) as RawResponse;
		exchange.status = response.statusCode;
		exchange.headers = lowerCaseHeaders(response.headers);
		// Of a download the node needs the stream itself.
		const isKept = withKey || /json|text/.test(exchange.headers['content-type'] ?? '');
		return isKept ? { ...response, body: kept(response.body, exchange) } : response;
	}
}

/** Hands on the pieces of a body and keeps them. */
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
