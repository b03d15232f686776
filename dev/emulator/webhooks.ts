import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { weightsPath, type FineTune } from './fineTunes';
import type { Timers } from './timers';
import type { Orders, WebhookOrders } from './orders';
import { fineTuneStates, type FineTuneEvent, type OriginName, type WebhookDelivery } from './types';

/** A timer may fire a moment before the clock has reached its time. */
const TIMER_MARGIN_MS = 5;
/** How long the emulator waits for the webhook's response. */
const RESPONSE_TIMEOUT_MS = 70_000;

interface WebhookParts {
	isRealTime: boolean;
	orders: Orders;
	timers: Timers;
	urls: Record<OriginName, string>;
}

/** Creates the webhook settings of the account's console, which send events to the registered webhook. */
export function createWebhooks({ isRealTime, orders, timers, urls }: WebhookParts) {
	let url: string | undefined;
	let aborting = new AbortController();
	const deliveries: WebhookDelivery[] = [];
	const deliver = (job: FineTune, event: FineTuneEvent): void => {
		if (url === undefined) return;
		const { shape = 'flat', copies = 1 } = orders.webhooks;
		for (let copy = 0; copy < copies; copy++) {
			const body = payloadsByShape(event, job.id, urlsOf(job, event, urls))[shape];
			const delivery: WebhookDelivery = { body, status: undefined };
			deliveries.push(delivery);
			void post(url, body, aborting.signal).then((status) => (delivery.status = status));
		}
	};
	return {
		deliveries,
		/** Registers the webhook, which gets no job events if the test drives the clock. */
		register(address: string): void {
			url = address;
		},
		/** Plans the events of a job that has just been submitted, unless the test drives the clock. */
		planEvents(job: FineTune): void {
			// A failed job has no event (docs/service.md S360).
			if (!isRealTime || job.failure !== null) return;
			const [, ...events] = fineTuneStates;
			for (const [at, event] of events.entries())
				timers.after((at + 1) * job.stepMs + TIMER_MARGIN_MS, () => deliver(job, event));
		},
		/** Forgets the webhook and all deliveries, and aborts those that are under way. */
		clear(): void {
			url = undefined;
			deliveries.length = 0;
			aborting.abort();
			aborting = new AbortController();
		},
	};
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
