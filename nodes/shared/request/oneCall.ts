/** POST {baseUrl}/v1/{model}: one call that responds with the output itself (docs/service.md S60). */
import { callRegister } from '../journal/calls';
import { readV1, v1Headers, type V1Content } from '../output/v1Response';
import { hasResult } from '../service/responses';
import type { HttpResponse } from '../service/http';
import { isRequestId } from '../service/schemas';
import type { CompletedRequest } from './poll/outcome';

/** Reads the output and the request ID from the response to a v1 call; each is undefined if the response has none. */
export function readOneCall(response: HttpResponse): { content?: V1Content; requestId?: string } {
	const read = readV1(response);
	// JSON with only a status or an error isn't an output; the history may show the request.
	const isEmpty = read?.kind === 'json' && !hasResult(read.body);
	const headerId = response.headers['x-request-id'] ?? '';
	// If another call already has this ID, a proxy has returned a stored response.
	const isOwn = headerId !== '' && isRequestId(headerId) && !callRegister.isClaimed(headerId);
	return { content: isEmpty ? undefined : read, requestId: isOwn ? headerId : undefined };
}

/** Returns the outcome of a v1 call whose response holds the output. */
export function outcomeOfOneCall(
	content: V1Content,
	headers: Record<string, string>,
): CompletedRequest {
	return {
		kind: 'finished',
		body: content.kind === 'json' ? content.body : {},
		inOneCall: {
			output: content.kind === 'text' ? content.text : undefined,
			headerFields: v1Headers(headers),
			files: content.kind === 'file' ? [content.file] : [],
		},
	};
}
