import type { IBinaryData } from 'n8n-workflow';

import type { SegmindFailure } from '../shared/base/failure';
import { failureFrom, stoppedFailure } from '../shared/errors/failures';
import { say, whole } from '../shared/errors/say';
import type { Run } from '../shared/run/run';
import { excerpt } from '../shared/service/errorBody';
import { callUsing, isSuccess, type CallOutcome, type HttpCall } from '../shared/service/http';
import { mayUploadAgain, repeatCall } from '../shared/service/repeat';
import { MAX_REPEAT_MS, STORED_TIMEOUT_MS, streamedBody } from '../shared/media/streamedBody';

interface PutFile {
	/** A presigned URL, whose query is a secret. */
	url: string;
	headers: Record<string, string>;
	file: IBinaryData;
	bytes: number;
	name: string;
}

/**
 * Uploads a file to a presigned URL without credentials, as a stream if n8n has it in its storage. Repeats the
 * upload after a transient fault, because uploading the same bytes again changes nothing.
 * @throws SegmindFailure that names only the host, not the signed URL
 */
export async function putFile(run: Run, put: PutFile): Promise<void> {
	const { client, context } = run;
	const { clock, signal, random } = client;
	const outcome = await repeatCall(
		async () => await callUsing(context.helpers.httpRequest, await buildCall(run, put), client),
		{ clock, signal, random, endsAt: clock.now() + MAX_REPEAT_MS, mayRepeat: mayUploadAgain },
	);
	if (isSuccess(outcome)) return;
	throw signal?.aborted ? stoppedFailure() : notUploadedFailure(run, put, outcome);
}

async function buildCall(run: Run, { url, headers, file, bytes }: PutFile): Promise<HttpCall> {
	const call: HttpCall = {
		method: 'PUT',
		url,
		headers: { ...headers, 'content-length': String(bytes) },
		timeoutMs: STORED_TIMEOUT_MS,
	};
	if (file.id === undefined) return { ...call, body: Buffer.from(file.data, 'base64') };
	const stored = await run.context.helpers.getBinaryStream(file.id);
	return { ...call, ...streamedBody(run.client.clock, stored) };
}

function notUploadedFailure(
	{ client }: Run,
	{ url, name }: PutFile,
	outcome: CallOutcome,
): SegmindFailure {
	const httpCode = outcome.kind === 'response' ? outcome.status : undefined;
	// The body of a storage service's error isn't shown, because it repeats what was signed.
	const why =
		outcome.kind === 'response'
			? say`HTTP ${outcome.status}`
			: whole(excerpt(outcome.reason, client.redact));
	return failureFrom('file', {
		what: say`The dataset '${name}' could not be uploaded to ${new URL(url).host}: ${why}`,
		charge: 'none',
		next: say`Run the node again: it then gets a new upload URL.`,
		httpCode,
	});
}
