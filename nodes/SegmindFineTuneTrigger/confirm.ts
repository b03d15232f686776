import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { Client, readCredential } from '../shared/service/client';
import { isSuccess } from '../shared/service/http';
import { joinUrl } from '../shared/service/addresses';
import { callFailure } from '../shared/service/responseErrors';
import { jsonOf } from '../shared/service/responses';
import { isObject } from '../shared/service/schemas';

/** Timeout of the one call, including the wait for the rate limiter. It's short, because the sender waits for our response. */
const TIMEOUT_MS = 10_000;
/** At most this many calls begin in a minute in this process: forged deliveries must not use up the rate limit of the API key. */
const mayCall = perMinute(10);
/** Statuses of a job, in order (docs/service.md S360, S363). */
const STATUSES = ['TRAINING_COMPLETED', 'INFERENCE_QUEUED', 'DEPLOYING', 'AVAILABLE'];

/**
 * Checks with one call to Segmind whether an event has happened to a job.
 * @returns the job as Segmind describes it, or why the event isn't confirmed
 * @throws if the credential can't be used
 */
export async function confirm(
	context: IWebhookFunctions,
	event: string,
	jobId: string | undefined,
): Promise<IDataObject | string> {
	if (jobId === undefined) return 'it names no job';
	if (!mayCall()) return 'too many deliveries were confirmed in this minute';
	const job = await fetchJob(context, jobId);
	if (typeof job === 'string') return job;
	const status = String(job.status).toUpperCase();
	// An unknown status has the index -1, so it confirms nothing.
	return STATUSES.indexOf(status) < STATUSES.indexOf(event) ? `its status is '${status}'` : job;
}

/** Fetches a job. Returns why it can't be fetched instead, if that is Segmind's fault or the job's. */
async function fetchJob(context: IWebhookFunctions, jobId: string): Promise<IDataObject | string> {
	const endsAt = systemClock.now() + TIMEOUT_MS;
	const client = new Client({ ...(await readCredential(context)), context, endsAt });
	const outcome = await client.callOnce(
		{
			// A GET call with a JSON body (docs/service.md S341). GET is the default: with an explicit `method` n8n drops the body (docs/n8n.md N101).
			url: joinUrl(client.urls.baseUrl, '/finetune/request/details'),
			headers: { 'content-type': 'application/json', accept: 'application/json' },
			body: Buffer.from(JSON.stringify({ request_id: jobId })),
			timeoutMs: TIMEOUT_MS,
		},
		{ priority: 'statusCheck', deadline: endsAt },
	);
	const about = { purpose: 'manage', subject: `the call for fine-tune ${jobId}` } as const;
	if (!isSuccess(outcome)) return callFailure(client, outcome, about).message;
	const body = jsonOf(outcome);
	const job = isObject(body) && isObject(body.finetune) ? body.finetune : {};
	const isThisJob = [job.finetune_id, job.id].map(String).includes(jobId);
	return isThisJob ? (job as IDataObject) : "Segmind's response is not about this job";
}

/** Returns a function that returns whether one more is allowed, if at most `max` are allowed in a minute. */
export function perMinute(max: number): () => boolean {
	let times: number[] = [];
	return () => {
		const now = systemClock.now();
		// The clock may have been set back.
		times = times.filter((at) => Math.abs(now - at) < 60_000);
		if (times.length >= max) return false;
		times.push(now);
		return true;
	};
}
