import type { IWebhookFunctions } from 'n8n-workflow';

import { isDeeper, isObject, parseJson } from '../shared/service/schemas';

/** Longest body, bytes. n8n's own limit, 16 MB by default, is far above what an event needs. */
const MAX_BODY_BYTES = 64 * 1024;
/** n8n walks through items with recursive functions: one nested thousands of levels deep would break the execution. */
const MAX_DEPTH = 50;

interface ReceivedBody {
	/** As received, decompressed (docs/n8n.md N235). n8n leaves it out for forms with files. */
	raw?: Buffer;
	/** As n8n parsed it; it may have been a form or XML. */
	parsed: unknown;
	contentType: string;
}

type ReadBody = { payload: Record<string, unknown> } | { status: 400 | 413; message: string };

/** The JSON object of a delivery, or the answer that refuses it. Never throws. */
export function readBody({ raw, parsed, contentType }: ReceivedBody): ReadBody {
	if (raw !== undefined && raw.length > MAX_BODY_BYTES) return TOO_LONG;
	// The raw body decides, since n8n also turns forms and XML into objects (docs/n8n.md N236).
	const body =
		raw !== undefined
			? parseJson(raw.toString('utf8'))
			: /\bjson\b/i.test(contentType)
				? parsed
				: undefined;
	if (!isObject(body)) return { status: 400, message: 'The body must be a JSON object.' };
	if (isDeeper(body, MAX_DEPTH)) return { status: 400, message: 'The body is nested too deep.' };
	if (raw === undefined && Buffer.byteLength(JSON.stringify(body)) > MAX_BODY_BYTES)
		return TOO_LONG;
	// A copy: `releaseBody` empties what n8n parsed.
	return { payload: { ...body } };
}

const TOO_LONG: ReadBody = { status: 413, message: 'The body is too long.' };

/** Reads the body that n8n received. */
export function readBodyOf(context: IWebhookFunctions): ReadBody {
	const request = requestOf(context);
	return readBody({
		raw: Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined,
		parsed: context.getBodyData(),
		contentType: String(context.getHeaderData()['content-type'] ?? ''),
	});
}

/**
 * Frees the memory of the body. It would stay in use as long as the delivery waits (docs/n8n.md N234). The parsed body is emptied, not only
 * replaced: n8n's context refers to it too, as the input of expressions.
 */
export function releaseBody(context: IWebhookFunctions): void {
	const request = requestOf(context);
	const { body } = request;
	if (isObject(body)) for (const name of Object.keys(body)) delete body[name];
	else if (Array.isArray(body)) body.length = 0;
	Object.assign(request, { body: {}, rawBody: undefined });
}

function requestOf(context: IWebhookFunctions): { body?: unknown; rawBody?: unknown } {
	return context.getRequestObject() as unknown as { body?: unknown; rawBody?: unknown };
}
