import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { weightsPath, type FineTune, type FineTuneStore } from './fineTunes';
import type { Timers } from './timers';
import type { Orders, WebhookOrders } from './orders';
import { fineTuneStates, type FineTuneEvent, type OriginName, type WebhookDelivery } from './types';

/** A timer may fire a moment before the clock has reached its time. */
const TIMER_MARGIN_MS = 5;
/** How long the emulator waits for the webhook's response. */
const RESPONSE_TIMEOUT_MS = 70_000;

interface WebhookParts {
	now(): number;
	isRealTime: boolean;
	orders: Orders;
	timers: Timers;
	fineTunes: FineTuneStore;
	urls: Record<OriginName, string>;
}

/** Creates the webhook settings of the account's console, which send events to the registered webhook. */
export function createWebhooks({ now, isRealTime, orders, timers, fineTunes, urls }: WebhookParts) {
	let url: string | null = null;
	const sender = createSender();
	const send = (
		origin: WebhookDelivery['origin'],
		event: FineTuneEvent,
		finetuneId: string,
		resultUrls: Record<string, string>,
	): void => {
		const body = payloadsByShape(event, finetuneId, resultUrls)[orders.webhooks.shape ?? 'flat'];
		const delivery = { at: now(), event, finetuneId, origin, body };
		if (url !== null) sender.send(url, delivery);
	};
	const sendCopies = (job: FineTune, event: FineTuneEvent): void => {
		for (let copy = 0; copy < (orders.webhooks.copies ?? 1); copy++)
			send('service', event, job.id, urlsOf(job, event, urls));
	};

	return {
		get url() {
			return url;
		},
		deliveries: sender.deliveries,
		/** Registers the webhook, which gets no job events if the test drives the clock. @throws Error if there is one already, or the URL isn't on loopback */
		register(address: string): void {
			if (url !== null) throw new Error('There is a webhook already.');
			if (!isLoopback(address))
				throw new Error(`The emulator only delivers to this computer, not to ${address}.`);
			url = address;
		},
		/** Sends a sample payload, like the console's test button. @throws Error if no webhook is registered */
		test(): void {
			if (url === null) throw new Error('There is no webhook to test.');
			const sample = { trained_model_url: `${urls.storage}/weights/sample.safetensors` };
			send('test', 'TRAINING_COMPLETED', randomUUID(), sample);
		},
		/** Plans the events of a job that has just been submitted, unless the test drives the clock. */
		planEvents(job: FineTune): void {
			if (!isRealTime) return;
			// A failed job has no event (docs/service.md S360).
			if (job.failure !== null) return;
			for (const { event, afterMs } of eventTimes(orders.webhooks, job.stepMs))
				timers.after(afterMs, () => {
					if (fineTunes.find(job.id) === job) sendCopies(job, event);
				});
		},
		clear(): void {
			url = null;
			sender.clear();
		},
	};
}

function createSender() {
	let abortController = new AbortController();
	const deliveries: WebhookDelivery[] = [];
	return {
		deliveries,
		send(url: string, details: Omit<WebhookDelivery, 'status'>): void {
			const delivery: WebhookDelivery = { ...details, status: undefined };
			deliveries.push(delivery);
			void post(url, details.body, abortController.signal).then((status) => {
				delivery.status = status;
			});
		},
		/** Forgets all deliveries, and aborts those that are under way. */
		clear(): void {
			deliveries.length = 0;
			abortController.abort();
			abortController = new AbortController();
		},
	};
}

/** Returns how long after the submission each event is sent. */
function eventTimes({ lateMs = 0, order }: Partial<WebhookOrders>, stepMs: number) {
	const [, ...events] = fineTuneStates;
	const last = events.length;
	return events.map((event, at) => {
		// Reversed events are sent 30 ms apart, because events that are sent together arrive in any order.
		const due = order === 'reversed' ? last * stepMs + (last - 1 - at) * 30 : (at + 1) * stepMs;
		return { event, afterMs: due + lateMs + TIMER_MARGIN_MS };
	});
}

function urlsOf(
	job: FineTune,
	event: FineTuneEvent,
	{ storage, api }: WebhookParts['urls'],
): Record<string, string> {
	if (event === 'TRAINING_COMPLETED') return { trained_model_url: storage + weightsPath(job) };
	return event === 'AVAILABLE' ? { inference_api_url: `${api}/v1/${job.slug}` } : {};
}

/** Returns a possible payload of each form. The real one isn't published, only hints at it (docs/service.md S362). */
function payloadsByShape(
	status: FineTuneEvent,
	id: string,
	urls: Record<string, string>,
): Record<WebhookOrders['shape'], Record<string, unknown>> {
	return {
		flat: { event_type: status, finetune_id: id, ...urls },
		nested: {
			event_type: 'FINE_TUNE',
			event_id: randomUUID(),
			timestamp: new Date().toISOString(),
			data: { request_id: id, status, ...urls },
		},
		callback: {
			status,
			request_id: id,
			machine_type: 'NVIDIA_H100',
			model_metadata: '{"rank":32}',
			error: null,
			...urls,
		},
	};
}

async function post(url: string, body: unknown, signal: AbortSignal): Promise<number | null> {
	try {
		const response = await request(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
			// The connection isn't kept after the delivery.
			reset: true,
			headersTimeout: RESPONSE_TIMEOUT_MS,
			signal,
		});
		await response.body.dump();
		return response.statusCode;
	} catch {
		// The webhook is unreachable, or a reset aborted the delivery. Like the service, the emulator doesn't send it again.
		return null;
	}
}

function isLoopback(address: string): boolean {
	if (!URL.canParse(address)) return false;
	const { protocol, hostname } = new URL(address);
	return /^https?:$/.test(protocol) && /^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname);
}
