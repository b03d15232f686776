import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { weightsPath, type FineTune, type FineTuneStore } from './fineTunes';
import type { Timers } from './timers';
import type { Orders, WebhookOrders } from './orders';
import type { FineTuneEvent, OriginName, WebhookDelivery } from './types';

/** The changes of state that produce events (docs/service.md S360); each comes one step after the one before. */
const fineTuneEvents: readonly FineTuneEvent[] = [
	'TRAINING_COMPLETED',
	'INFERENCE_QUEUED',
	'AVAILABLE',
];

/** A timer may ring a moment before the clock has reached its time. */
const marginMs = 5;
const answerTimeoutMs = 70_000;

/** The one webhook an account can have, as the console's page keeps it, and what was sent to it. */
export interface Webhooks {
	readonly url: string | null;
	readonly deliveries: WebhookDelivery[];
	/** Throws when one is registered already, and for an address that is not on loopback. */
	register(url: string): void;
	/** Throws when none is registered. */
	remove(): void;
	/** The console's test button: a sample payload. Throws when none is registered. */
	test(): void;
	/** Plans the events of a job that has just been submitted. Nothing is planned when the caller drives the clock. */
	follow(job: FineTune): void;
	clear(): void;
}

interface Parts {
	now(): number;
	realTime: boolean;
	orders: Orders;
	timers: Timers;
	fineTunes: FineTuneStore;
	urls: Record<OriginName, string>;
}

export function createWebhooks({
	now,
	realTime,
	orders,
	timers,
	fineTunes,
	urls,
}: Parts): Webhooks {
	let url: string | null = null;
	let sending = new AbortController();
	const deliveries: WebhookDelivery[] = [];

	const ordered = (): WebhookOrders => ({
		copies: 1,
		lateMs: 0,
		order: 'inOrder',
		forged: false,
		shape: 'flat',
		...orders.webhooks,
	});

	const send = (about: Pick<WebhookDelivery, 'event' | 'finetuneId' | 'origin' | 'body'>): void => {
		if (url === null) return;
		const delivery: WebhookDelivery = { ...about, at: now(), status: undefined };
		deliveries.push(delivery);
		void post(url, about.body, sending.signal).then((status) => {
			delivery.status = status;
		});
	};

	const addresses = (job: FineTune, event: FineTuneEvent): Record<string, string> => ({
		...(event === 'TRAINING_COMPLETED' && {
			trained_model_url: urls.storage + weightsPath(job),
		}),
		...(event === 'AVAILABLE' && { inference_api_url: `${urls.api}/v1/${job.slug}` }),
	});

	const tell = (job: FineTune, event: FineTuneEvent): void => {
		const { copies, shape } = ordered();
		const body = payload(shape, event, job.id, addresses(job, event));
		for (let copy = 0; copy < copies; copy++)
			send({ event, finetuneId: job.id, origin: 'service', body });
	};

	return {
		get url() {
			return url;
		},
		deliveries,
		register(address) {
			if (url !== null) throw new Error('There is a webhook already: delete it first.');
			if (!isLoopback(address))
				throw new Error(`The emulator only delivers to this computer, not to ${address}.`);
			url = address;
		},
		remove() {
			if (url === null) throw new Error('There is no webhook to delete.');
			url = null;
		},
		test() {
			if (url === null) throw new Error('There is no webhook to test.');
			const id = randomUUID();
			const sample = { trained_model_url: `${urls.storage}/weights/sample.safetensors` };
			send({
				event: 'TRAINING_COMPLETED',
				finetuneId: id,
				origin: 'test',
				body: payload(ordered().shape, 'TRAINING_COMPLETED', id, sample),
			});
		},
		follow(job) {
			if (!realTime) return;
			const { lateMs, order, forged, shape } = ordered();
			if (forged) {
				// From somebody who knows the address: a job that is not that far, and one that does not exist.
				for (const id of [job.id, randomUUID()]) {
					const lure = { inference_api_url: `${urls.hostile}/v1/stolen` };
					const body = payload(shape, 'AVAILABLE', id, lure);
					send({ event: 'AVAILABLE', finetuneId: id, origin: 'forger', body });
				}
			}
			// A failed job has no event (docs/service.md S366).
			if (job.failure !== null) return;
			const told = order === 'reversed' ? [...fineTuneEvents].reverse() : fineTuneEvents;
			told.forEach((event, index) => {
				const steps = order === 'reversed' ? fineTuneEvents.length : index + 1;
				// In one go they would leave together and arrive in any order.
				const apart = order === 'reversed' ? index * 30 : 0;
				timers.after(steps * job.stepMs + lateMs + apart + marginMs, () => {
					if (fineTunes.find(job.id) === job) tell(job, event);
				});
			});
		},
		clear() {
			url = null;
			deliveries.length = 0;
			sending.abort();
			sending = new AbortController();
		},
	};
}

/** The published hints at a payload's shape (docs/service.md S362, S365); the real one is not published. */
function payload(
	shape: WebhookOrders['shape'],
	event: FineTuneEvent,
	id: string,
	addresses: Record<string, string>,
): Record<string, unknown> {
	switch (shape) {
		case 'flat':
			return { event_type: event, finetune_id: id, ...addresses };
		case 'nested':
			return {
				event_type: 'FINE_TUNE',
				event_id: randomUUID(),
				timestamp: new Date().toISOString(),
				data: { request_id: id, status: event, ...addresses },
			};
		case 'callback':
			return {
				status: event,
				request_id: id,
				machine_type: 'NVIDIA_H100',
				model_metadata: '{"rank":32}',
				error: null,
				...addresses,
			};
	}
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
		// Nobody there, or dropped by reset: like the service, it does not come again.
		return null;
	}
}

function isLoopback(address: string): boolean {
	if (!URL.canParse(address)) return false;
	const { protocol, hostname } = new URL(address);
	return /^https?:$/.test(protocol) && /^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname);
}
