import { createHash, timingSafeEqual } from 'node:crypto';

import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { textIn } from '../shared/inputs/values';
import { log } from './log';

/** Whether the delivery has the secret, or the node has none. Doesn't read the body. */
export function hasSecret(context: IWebhookFunctions): boolean {
	const { secret: rawSecret } = context.getNode().parameters;
	if (rawSecret === undefined || rawSecret === '') return true;
	const value = context.getNodeParameter('secret', '');
	const secret = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	if (secret === '') {
		// The user meant to set a secret, so no delivery is accepted without one.
		log(context, 'the expression in Secret returns nothing, so every delivery is rejected');
		return false;
	}
	if (context.getNodeParameter('secretIn', 'query') !== 'header')
		return matchesSecret(secret, (context.getQueryData() as IDataObject).secret);
	const header = textIn(context.getNodeParameter('headerName', '')).toLowerCase();
	return matchesSecret(secret, context.getHeaderData()[header]);
}

/** Whether `sent` is the secret. Takes the same time for every string, because digests have the same length. */
export function matchesSecret(secret: string, sent: unknown): boolean {
	const given = typeof sent === 'string' ? sent : '';
	return timingSafeEqual(sha256(given), sha256(secret)) && given !== '';
}

function sha256(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
