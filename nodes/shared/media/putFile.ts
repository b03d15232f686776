import type { IBinaryData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { CAUSES } from '../errors/errorTable';
import { failureOf, stoppedFailure } from '../errors/failures';
import type { Session } from '../run/session';
import { excerpt } from '../service/errorBody';
import { isTransientStatus } from '../service/responses';
import { isSuccess, type HttpCall, type HttpOutcome } from '../service/http';
import { STORED_TIMEOUT_MS, streamedBody } from './streamedBody';

/** Number of calls for one file, with pauses of 1 and 2 s. */
const MAX_TRIES = 3;

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
export async function putFile(session: Session, put: PutFile): Promise<void> {
	const { clock, signal } = session.client;
	for (let tries = 1; !signal?.aborted; tries++) {
		const outcome = await session.client.callWithoutCredential(
			session.context.helpers.httpRequest,
			await buildCall(session, put),
		);
		if ('response' in outcome && isSuccess(outcome.response.status)) return;
		const isFinal =
			'fault' in outcome
				? outcome.fault.kind === 'notSent'
				: !isTransientStatus(outcome.response.status);
		if ((isFinal || tries === MAX_TRIES) && !signal?.aborted)
			throw notUploadedFailure(session, put, outcome);
		await wait(clock, 500 * 2 ** tries, { signal });
	}
	throw stoppedFailure();
}

async function buildCall(
	session: Session,
	{ url, headers, file, bytes }: PutFile,
): Promise<HttpCall> {
	const call: HttpCall = {
		method: 'PUT',
		url,
		headers: { ...headers, 'content-length': String(bytes) },
		timeoutMs: STORED_TIMEOUT_MS,
	};
	if (file.id === undefined) return { ...call, body: Buffer.from(file.data, 'base64') };
	const stored = await session.context.helpers.getBinaryStream(file.id);
	return { ...call, ...streamedBody(session.client.clock, stored) };
}

function notUploadedFailure(session: Session, { url, name }: PutFile, outcome: HttpOutcome) {
	const why =
		'fault' in outcome
			? excerpt(outcome.fault.reason, session.client.redact)
			: `HTTP ${outcome.response.status}${storageCode(outcome.response.body)}`;
	const httpCode = 'response' in outcome ? outcome.response.status : undefined;
	const values = { name, host: new URL(url).host, why };
	return failureOf('file', CAUSES.notUploaded, values, { httpCode });
}

/** Returns the code in a storage service's XML error. The rest of the error isn't shown, because it repeats what was signed. */
function storageCode(body: Buffer): string {
	const code = /<Code>\s*([A-Za-z]{1,60})\s*<\/Code>/.exec(body.toString('utf8', 0, 5_000))?.[1];
	return code === undefined ? '' : ` (${code})`;
}
