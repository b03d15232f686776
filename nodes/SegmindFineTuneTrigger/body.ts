import type { IWebhookFunctions } from 'n8n-workflow';

import { isDeeper, isObject, parseJson } from '../shared/service/schemas';

/** Largest body. n8n's own limit, 16 MB by default, is far more than an event needs. */
const MAX_BODY_BYTES = 64 * 1024;
/** Deepest nesting. n8n's recursive functions would fail for an item that is nested thousands of levels deep. */
const MAX_DEPTH = 50;

type BodyOutcome = { payload: Record<string, unknown> } | { status: 400 | 413; message: string };

/** Returns the JSON object of a delivery, or the response that rejects it. Never throws. */
export function readBody(context: IWebhookFunctions): BodyOutcome {
	// The body as received, decompressed (docs/n8n.md N235); undefined for forms with files. n8n's parsed body isn't used, because n8n also turns forms
	// and XML into objects (docs/n8n.md N236).
	const { rawBody } = context.getRequestObject() as unknown as { rawBody?: unknown };
	if (!Buffer.isBuffer(rawBody)) return NOT_AN_OBJECT;
	if (rawBody.length > MAX_BODY_BYTES) return { status: 413, message: 'The body is too long.' };
	const payload = parseJson(rawBody.toString('utf8'));
	if (!isObject(payload)) return NOT_AN_OBJECT;
	if (isDeeper(payload, MAX_DEPTH))
		return { status: 400, message: 'The body is nested too deeply.' };
	return { payload };
}

const NOT_AN_OBJECT: BodyOutcome = { status: 400, message: 'The body must be a JSON object.' };
