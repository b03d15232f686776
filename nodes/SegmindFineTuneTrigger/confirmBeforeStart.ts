import type { IDataObject, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { digest } from '../shared/base/hash';
import { SEGMIND_API, type Client } from '../shared/service/client';
import { memberText } from '../shared/service/picker';
import { parseJson } from '../shared/service/schemas';
import { CONFIRM_FOR_MS, confirmation } from './confirmation';
import { deduplicate, deliveredTo } from './deduplicate';
import { BUSY, MISCONFIGURED, RECEIVED, type Decision } from './deliveryAnswers';
import { addressesIn, itemJson } from './deliveryItem';
import { log } from './deliveryLog';
import { eventOfJob } from './deliverySubject';
import { canonical } from './events';
import { fetchJob, fetchJobList, readClient } from './jobCalls';
import { lookupFor, type Calls, type JobLookup } from './jobLookup';
import { scopeOf } from './nodeScope';
import { addWaiting, removeWaiting, type WaitingDelivery } from './waitingDeliveries';

/** A job that was read this long before a delivery may confirm it, ms. */
const READ_BEFORE_MS = 60_000;

/** What a delivery claims. */
interface Claim {
	event: string;
	jobId: string;
	/** What the delivery brought, as compact JSON: nothing else of it is kept while it waits. */
	text: string;
	/** ms since the epoch. */
	arrivedAt: number;
}

/** Decides whether there is room to confirm the delivery; it is confirmed after the answer. */
export async function confirmBeforeStart(
	context: IWebhookFunctions,
	{ event, jobId, text, arrivedAt }: Claim,
): Promise<Decision> {
	const scope = scopeOf(context);
	const lookup = lookupFor(context.getNode().credentials?.[SEGMIND_API]?.id ?? scope);
	if (lookup.isUnknown(jobId)) {
		log(context, `${eventOfJob(event, jobId)} was not confirmed and started nothing: no such job`);
		return { answer: RECEIVED };
	}
	const key = `${scope}|${canonical(event)}|${digest(jobId)}`;
	const delivery: WaitingDelivery = { text, until: arrivedAt + CONFIRM_FOR_MS };
	const added = addWaiting(key, delivery);
	if (added === 'joined') return { answer: RECEIVED };
	if (added === 'full') return { answer: BUSY };
	let client: Client | undefined;
	try {
		client = await readClient(context);
	} finally {
		if (client === undefined) removeWaiting(key);
	}
	if (client === undefined) {
		log(context, 'Base URL in the credential is not an http(s) address');
		return { answer: MISCONFIGURED };
	}
	const waiting = { event, jobId, arrivedAt, client, lookup, delivery };
	return {
		answer: RECEIVED,
		afterAnswer: async () => {
			try {
				return await confirmedItem(context, waiting);
			} finally {
				removeWaiting(key);
			}
		},
	};
}

interface ToConfirm extends Omit<Claim, 'text'> {
	client: Client;
	lookup: JobLookup;
	delivery: WaitingDelivery;
}

/** The item of a confirmed event; undefined when it is not confirmed, or has started the workflow before. */
async function confirmedItem(
	context: IWebhookFunctions,
	{ event, jobId, arrivedAt, client, lookup, delivery }: ToConfirm,
): Promise<INodeExecutionData | undefined> {
	let job: IDataObject | undefined;
	// A job never goes back, so what was read of it a moment before may confirm the event, but not refute it.
	let since = arrivedAt - READ_BEFORE_MS;
	const until = () => delivery.until;
	const calls: Calls = {
		limit: () => client.limiter.callsPerMinute,
		job: async (id) => await fetchJob(client, id, until()),
		list: async () => await fetchJobList(client, until()),
	};
	await deduplicate(deliveredTo(context, event, jobId), async () => {
		const ask = async () => {
			const answer = await lookup.answerFor({ jobId, since, until }, calls);
			since = systemClock.now();
			return answer;
		};
		const verdict = await confirmation(event, ask, until, systemClock);
		if ('job' in verdict) job = verdict.job;
		else
			log(
				context,
				`${eventOfJob(event, jobId)} was not confirmed and started nothing: ${verdict.why}`,
			);
		return job !== undefined;
	});
	if (job === undefined) return undefined;
	const payload = parseJson(delivery.text) as Record<string, unknown>;
	const own = {
		event,
		finetune_id: memberText(job, 'finetune_id') || jobId,
		...addressesIn(job),
		confirmed: true,
		finetune: job,
	};
	return { json: itemJson(payload, own, job) };
}
