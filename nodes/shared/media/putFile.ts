import type { IBinaryData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { CHARGE, SegmindFailure, stopped } from '../base/failure';
import type { Session } from '../run/session';
import { excerpt } from '../service/errorBody';
import { putPublic, type HttpCall, type HttpOutcome } from '../service/http';

/** A silent connection is given up after so long, ms. */
const IDLE_MS = 300_000;
const TRIES = 3;

interface PutFile {
	/** Presigned: its query is a secret. */
	url: string;
	headers: Record<string, string>;
	file: IBinaryData;
	bytes: number;
	name: string;
}

/**
 * Puts a file to a presigned URL: as a stream when n8n keeps it in its store, with its length told beforehand, and without credentials.
 * Putting the same bytes to the same place again changes nothing, so a passing fault is tried again.
 * @throws SegmindFailure that names the host only, never the signed address
 */
export async function putFile(session: Session, put: PutFile): Promise<void> {
	for (let tries = 1; ; tries++) {
		if (session.signal?.aborted) throw stopped();
		const outcome = await putPublic(
			session.context,
			{
				url: put.url,
				headers: { ...put.headers, 'content-length': String(put.bytes) },
				body: await bodyOf(session, put.file),
				timeoutMs: IDLE_MS,
			},
			session.signal,
		);
		if ('answer' in outcome && outcome.answer.status >= 200 && outcome.answer.status < 300) return;
		if (session.signal?.aborted) throw stopped();
		if (!isPassing(outcome) || tries === TRIES) throw notUploaded(session, put, outcome);
		await wait(session.clock, 500 * 2 ** tries, { signal: session.signal });
	}
}

async function bodyOf(session: Session, file: IBinaryData): Promise<HttpCall['body']> {
	return file.id === undefined
		? Buffer.from(file.data, 'base64')
		: ((await session.context.helpers.getBinaryStream(file.id)) as unknown as HttpCall['body']);
}

function isPassing(outcome: HttpOutcome): boolean {
	if ('fault' in outcome) return outcome.fault.kind !== 'notSent';
	return outcome.answer.status === 429 || outcome.answer.status >= 500;
}

function notUploaded(session: Session, { url, name }: PutFile, outcome: HttpOutcome) {
	const why =
		'fault' in outcome
			? excerpt(outcome.fault.reason, session.redact)
			: `HTTP ${outcome.answer.status}${storageCode(outcome.answer.body)}`;
	return new SegmindFailure({
		message: `The dataset '${name}' could not be uploaded to ${new URL(url).host}: ${why}`,
		description: `${CHARGE.none} Run it again: a new upload address is then asked for.`,
		httpCode: 'answer' in outcome ? outcome.answer.status : undefined,
	});
}

/** The code of a storage service's XML error; the rest of it repeats what was signed. */
function storageCode(body: Buffer): string {
	const code = /<Code>\s*([A-Za-z]{1,60})\s*<\/Code>/.exec(body.toString('utf8', 0, 5_000))?.[1];
	return code === undefined ? '' : ` (${code})`;
}
