import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { SegmindFailure } from '../shared/base/failure';

/** n8n's error for whatever was thrown, with the failure's own message, description and HTTP status. */
export function nodeError(node: INode, error: unknown): Error {
	if (!(error instanceof SegmindFailure))
		return error instanceof Error ? error : new NodeOperationError(node, String(error));
	const { message, description, httpCode } = error.facts;
	const shown =
		httpCode === undefined
			? new NodeOperationError(node, message, { description })
			: new NodeApiError(node, { message }, { message, description, httpCode: String(httpCode) });
	// n8n's constructors replace messages that contain certain words with sentences of their own.
	shown.message = message;
	shown.description = description;
	return shown;
}
