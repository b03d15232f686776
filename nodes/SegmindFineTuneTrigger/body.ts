import type { IWebhookFunctions } from 'n8n-workflow';

import { isDeeper, isObject, parseJson } from '../shared/service/schemas';

/** Longest body, bytes. n8n's own limit, 16 MB by default, is far above what an event needs. */
const MAX_BODY_BYTES = 64 * 1024;
/** n8n walks through items with recursive functions: one nested thousands of levels deep would break the execution. */
const MAX_DEPTH = 50;

type ReadBody = { payload: Record<string, unknown> } | { status: 400 | 413; message: string };

/** The JSON object of a delivery, or the answer that refuses it. Never throws. */
export function readBody(context: IWebhookFunctions): ReadBody {
	// As received, decompressed (docs/n8n.md N235); n8n leaves it out for forms with files. It decides, since n8n also turns forms and XML into
	// objects (docs/n8n.md N236).
	const { rawBody } = context.getRequestObject() as unknown as { rawBody?: unknown };
	if (!Buffer.isBuffer(rawBody)) return NO_OBJECT;
	if (rawBody.length > MAX_BODY_BYTES) return { status: 413, message: 'The body is too long.' };
	const payload = parseJson(rawBody.toString('utf8'));
	if (!isObject(payload)) return NO_OBJECT;
	if (isDeeper(payload, MAX_DEPTH)) return { status: 400, message: 'The body is nested too deep.' };
	return { payload };
}

const NO_OBJECT: ReadBody = { status: 400, message: 'The body must be a JSON object.' };
