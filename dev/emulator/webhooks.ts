import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { weightsPath, type FineTune, type FineTuneStore } from './fineTunes';
import type { Timers } from './timers';
import type { Orders, WebhookOrders } from './orders';
import { fineTuneStates, type FineTuneEvent, type OriginName, type WebhookDelivery } from './types';

/** A timer may ring a moment before the clock has reached its time. */
const marginMs = 5;
const answerTimeoutMs = 70_000;

interface Parts {
	now(): number;
	realTime: boolean;
	orders: Orders;
	timers: Timers;
	fineTunes: FineTuneStore;
	urls: Record<OriginName, string>;
}

/** The one webhook of an account, as registered in the console, and what was sent to it. */
export function createWebhooks({ now, realTime, orders, timers, fineTunes, urls }: Parts) {
	let url: string | null = null;
	const postman = createPostman();
	const send = (
		origin: WebhookDelivery['origin'],
		event: FineTuneEvent,
		finetuneId: string,
		addresses: Record<string, string>,
	): void => {
		const body = payloads(event, finetuneId, addresses)[orders.webhooks.shape ?? 'flat'];
		const about = { at: now(), event, finetuneId, origin, body };
		if (url !== null) postman.send(url, about);
	};
	const tell = (job: FineTune, event: FineTuneEvent): void => {
		for (let copy = 0; copy < (orders.webhooks.copies ?? 1); copy++)
			send('service', event, job.id, addressesOf(job, event, urls));
	};

	return {
		get url() {
			return url;
		},
		deliveries: postman.deliveries,
		/** Throws when one is registered already, and for an address that is not on loopback. Real time only: a driven clock delivers nothing. */
		register(address: string): void {
			if (url !== null) throw new Error('There is a webhook already.');
			if (!isLoopback(address))
				throw new Error(`The emulator only delivers to this computer, not to ${address}.`);
			url = address;
		},
		/** The console's test button: a sample payload. Throws when none is registered. */
		test(): void {
			if (url === null) throw new Error('There is no webhook to test.');
			const sample = { trained_model_url: `${urls.storage}/weights/sample.safetensors` };
			send('test', 'TRAINING_COMPLETED', randomUUID(), sample);
		},
		/** Plans the events of a job that has just been submitted. Nothing is planned when the caller drives the clock. */
		follow(job: FineTune): void {
			if (!realTime) return;
			// A failed job has no event (docs/service.md S366).
			if (job.failure !== null) return;
			for (const { event, afterMs } of course(orders.webhooks, job.stepMs))
				timers.after(afterMs, () => {
					if (fineTunes.find(job.id) === job) tell(job, event);
				});
		},
		clear(): void {
			url = null;
			postman.clear();
		},
	};
}

function createPostman() {
	let sending = new AbortController();
	const deliveries: WebhookDelivery[] = [];
	return {
		deliveries,
		send(url: string, about: Omit<WebhookDelivery, 'status'>): void {
			const delivery: WebhookDelivery = { ...about, status: undefined };
			deliveries.push(delivery);
			void post(url, about.body, sending.signal).then((status) => {
				delivery.status = status;
			});
		},
		/** Forgets everything, and drops deliveries that are under way. */
		clear(): void {
			deliveries.length = 0;
			sending.abort();
			sending = new AbortController();
		},
	};
}

/** When each event is sent, ms after the submission: one step after the one before. */
function course({ lateMs = 0, order }: Partial<WebhookOrders>, stepMs: number) {
	const [, ...events] = fineTuneStates;
	const last = events.length;
	return events.map((event, at) => {
		// In one go they would leave together and arrive in any order.
		const due = order === 'reversed' ? last * stepMs + (last - 1 - at) * 30 : (at + 1) * stepMs;
		return { event, afterMs: due + lateMs + marginMs };
	});
}

function addressesOf(
	job: FineTune,
	event: FineTuneEvent,
	{ storage, api }: Parts['urls'],
): Record<string, string> {
	if (event === 'TRAINING_COMPLETED') return { trained_model_url: storage + weightsPath(job) };
	return event === 'AVAILABLE' ? { inference_api_url: `${api}/v1/${job.slug}` } : {};
}

/** The published hints at a payload's shape (docs/service.md S362, S365); the real one is not published. */
function payloads(
	status: FineTuneEvent,
	id: string,
	addresses: Record<string, string>,
): Record<WebhookOrders['shape'], Record<string, unknown>> {
	return {
		flat: { event_type: status, finetune_id: id, ...addresses },
		nested: {
			event_type: 'FINE_TUNE',
			event_id: randomUUID(),
			timestamp: new Date().toISOString(),
			data: { request_id: id, status, ...addresses },
		},
		callback: {
			status,
			request_id: id,
			machine_type: 'NVIDIA_H100',
			model_metadata: '{"rank":32}',
			error: null,
			...addresses,
		},
	};
}

async function post(url: string, body: unknown, signal: AbortSignal): Promise<number | null> {
	try {
		const answer = await request(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
			// No connection outlives its delivery.
			reset: true,
			headersTimeout: answerTimeoutMs,
			signal,
		});
		await answer.body.dump();
		return answer.statusCode;
	} catch {
		// Unreachable, or dropped by reset: like the service, it doesn't send it again.
		return null;
	}
}

function isLoopback(address: string): boolean {
	if (!URL.canParse(address)) return false;
	const { protocol, hostname } = new URL(address);
	return /^https?:$/.test(protocol) && /^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname);
}
