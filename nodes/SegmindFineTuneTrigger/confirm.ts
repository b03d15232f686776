import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { safeTextOf } from '../shared/base/redact';
import { textOfMember } from '../shared/base/text';
import { jsonOf } from '../shared/service/responses';
import { Client, readCredential } from '../shared/service/client';
import { reasonIn } from '../shared/service/errorBody';
import { isSuccess, type HttpResponse } from '../shared/service/http';
import { joinUrl, originOf } from '../shared/service/origins';
import { isObject } from '../shared/service/schemas';
import { deliveryKey, nodeKey, countInMinute } from './memory';
import { hasHappened } from './subject';

/** Timeout of the one call, including the wait for the rate limiter. It's short, because the sender waits for our response. */
const TIMEOUT_MS = 10_000;
/** The maximum number of calls per minute for one node, however many forged deliveries there are. */
const MAX_CALLS_PER_MINUTE = 10;
/** The maximum number of confirmations under way in this process. */
const MAX_PENDING = 20;

/** Confirmations under way, by node, job and event. */
const pending = new Set<string>();

/**
 * Whether Segmind confirms an event. `later`: the node can't ask Segmind now, or the job isn't that far yet, so the same delivery may be confirmed when
 * it's sent again. `never`: there is no such job. `cannot`: the credential can't be used.
 */
type Confirmation =
	| { kind: 'confirmed'; job: IDataObject }
	| { kind: 'later' | 'never' | 'cannot'; why: string };

type DeliveredEvent = { event: string; jobId: string };

/** Checks with one call to Segmind whether the event has happened. @throws if the credential can't be read */
export async function confirm(
	context: IWebhookFunctions,
	delivered: DeliveredEvent,
): Promise<Confirmation> {
	const key = `${nodeKey(context)}|${deliveryKey(delivered.event, delivered.jobId)}`;
	if (pending.has(key)) return { kind: 'later', why: 'the same delivery is being confirmed' };
	if (pending.size >= MAX_PENDING) return { kind: 'later', why: 'too many deliveries are waiting' };
	if (countInMinute(context, 'calls') > MAX_CALLS_PER_MINUTE)
		return { kind: 'later', why: 'too many deliveries in this minute' };
	pending.add(key);
	try {
		return await confirmByCall(context, delivered);
	} finally {
		pending.delete(key);
	}
}

async function confirmByCall(
	context: IWebhookFunctions,
	delivered: DeliveredEvent,
): Promise<Confirmation> {
	const read = await readCredential(context);
	if (originOf(read.urls.baseUrl) === undefined)
		return { kind: 'cannot', why: 'Base URL in the credential is not an http(s) address' };
	const endsAt = systemClock.now() + TIMEOUT_MS;
	const client = new Client({ ...read, context, endsAt });
	const sent = await client.callOnce(
		{
			// A GET call with a JSON body (docs/service.md S341). GET is the default: with an explicit `method` n8n drops the body (docs/n8n.md N101).
			url: joinUrl(client.urls.baseUrl, '/finetune/request/details'),
			headers: { 'content-type': 'application/json', accept: 'application/json' },
			body: Buffer.from(JSON.stringify({ request_id: delivered.jobId })),
			timeoutMs: TIMEOUT_MS,
		},
		{ priority: 'statusCheck', deadline: endsAt },
	);
	if (sent.kind === 'response') return readResponse(client, sent.response, delivered);
	const why =
		sent.kind === 'deadlinePassed' ? 'calls to Segmind had to wait too long' : sent.fault.reason;
	return { kind: 'later', why: `no response from Segmind: ${client.redact(why)}` };
}

function readResponse(
	client: Client,
	response: HttpResponse,
	{ event, jobId }: DeliveredEvent,
): Confirmation {
	const { status } = response;
	const body = jsonOf(response);
	if (!isSuccess(status)) {
		const why = `Segmind responded with HTTP ${status}: ${reasonIn(body, client.redact)}`;
		if (status === 404) return { kind: 'never', why };
		return { kind: status === 401 || status === 403 ? 'cannot' : 'later', why };
	}
	const job = isObject(body) && isObject(body.finetune) ? body.finetune : body;
	const isThisJob = (name: string) => isObject(job) && textOfMember(job, name) === jobId;
	if (!isObject(job) || !['finetune_id', 'id', 'request_id'].some(isThisJob))
		return { kind: 'later', why: "Segmind's response is not about this job" };
	const jobStatus = textOfMember(job, 'status');
	return hasHappened(event, jobStatus)
		? { kind: 'confirmed', job: job as IDataObject }
		: { kind: 'later', why: `the job's status is ${safeTextOf(jobStatus.slice(0, 200))}` };
}
