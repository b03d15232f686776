import type { IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';

import { createRateLimiter, type RateLimiter as ServiceLimiter } from '../emulator/rateLimit';
import type { Rejection } from '../emulator/rejection';
import type { RateLimit } from '../emulator/orders';
import { refFromSubmission, type RequestRef } from '../../nodes/shared/service/requestRef';
import { poll } from '../../nodes/shared/request/poll/poll';
import { isSuccess } from '../../nodes/shared/service/http';
import { jsonOf } from '../../nodes/shared/service/responses';
import { Client } from '../../nodes/shared/service/client';
import { RateLimiter } from '../../nodes/shared/service/rateLimiter';
import type { Clock } from '../../nodes/shared/base/clock';
import type { VirtualClock } from './virtualClock';

const BASE_URL = 'https://api.segmind.com';

/** The name of every job's model. */
export const MODEL_LABEL = 'a-model';

/** The time of a call through the network and back. */
export const LATENCY_MS = 40;

/** A call that reached the service. */
interface RecordedCall {
	kind: 'submit' | 'status' | 'result';
	/** When the call arrived, ms since the epoch. */
	at: number;
	status: number;
}

interface Settings {
	clock: VirtualClock;
	/** How long each job runs; a list has a duration for each job, in the order of acceptance. */
	jobMs: number | readonly number[];
	limit?: RateLimit;
	/** How long a request can be looked up after its submission; forever by default. */
	recordMs?: number;
}

/**
 * The asynchronous API of the service in virtual time, with the emulator's rate limiter. The benchmarks make some 700,000 calls, which would take the
 * emulator an hour or more (8 ms a call in virtual time), and this class minutes.
 */
export class SimulatedService {
	readonly calls: RecordedCall[] = [];

	private readonly acceptedAt = new Map<string, number>();

	private readonly endsAt = new Map<string, number>();

	readonly limiter: ServiceLimiter;

	constructor(private readonly settings: Settings) {
		const { clock, limit = null } = settings;
		this.limiter = createRateLimiter(() => clock.now(), { rateLimit: limit });
	}

	/** Makes a call and returns its response like n8n's request helper. */
	async respond({ url, method }: IHttpRequestOptions) {
		const { clock } = this.settings;
		await clock.sleep(LATENCY_MS / 2);
		const { kind, status, headers, body } = this.handle(String(url), method === 'POST');
		this.calls.push({ kind, at: clock.now(), status });
		const response = {
			statusCode: status,
			headers: { ...headers, date: new Date(clock.now()).toUTCString() },
			body: [Buffer.from(JSON.stringify(body))],
		};
		await clock.sleep(LATENCY_MS / 2);
		return response;
	}

	count(kind: RecordedCall['kind'], status = 200): number {
		return this.calls.filter((call) => call.kind === kind && call.status === status).length;
	}

	/** When each job was accepted, ms since the epoch. */
	get acceptedTimes(): number[] {
		return [...this.acceptedAt.values()];
	}

	/** When each job ends, ms since the epoch. */
	get endTimes(): number[] {
		return [...this.endsAt.values()];
	}

	private handle(url: string, isPost: boolean) {
		const { clock, jobMs, recordMs = Infinity } = this.settings;
		const kind: RecordedCall['kind'] = isPost
			? 'submit'
			: url.endsWith('/status')
				? 'status'
				: 'result';
		let headers: Record<string, string>;
		try {
			headers = this.limiter.count();
		} catch (error) {
			const rejection = error as Rejection;
			return { kind, status: rejection.status, headers: rejection.headers, body: rejection.body };
		}
		if (isPost) {
			const index = this.acceptedAt.size;
			const id = `request-${index}`;
			this.acceptedAt.set(id, clock.now());
			this.endsAt.set(id, clock.now() + (typeof jobMs === 'number' ? jobMs : jobMs[index]));
			const response_url = `${BASE_URL}/v2/requests/${id}`;
			return {
				kind,
				status: 200,
				headers,
				body: { request_id: id, response_url, status_url: `${response_url}/status` },
			};
		}
		const id = url.split('/requests/')[1].split('/')[0];
		const acceptedAt = this.acceptedAt.get(id) ?? Infinity;
		const age = clock.now() - acceptedAt;
		if (age >= recordMs) return { kind, status: 404, headers, body: { error: 'Not found' } };
		const status = clock.now() >= (this.endsAt.get(id) ?? Infinity) ? 'COMPLETED' : 'PROCESSING';
		return { kind, status: 200, headers, body: { request_id: id, status, output: 'text' } };
	}
}

interface ClientSettings {
	signal?: AbortSignal;
	/** Clients that share a rate limiter act as one process. */
	limiter?: RateLimiter;
}

/** Creates a client whose calls go to the simulated service. `random` varies the intervals. */
export function simulatedClient(
	service: Pick<SimulatedService, 'respond'>,
	clock: VirtualClock,
	random: () => number,
	{ signal, limiter = new RateLimiter(clock, random) }: ClientSettings = {},
): Client {
	const context = {
		logger: { info: () => {} },
		helpers: {
			httpRequestWithAuthentication: async (_credential: string, call: IHttpRequestOptions) =>
				await service.respond(call),
		},
	} as unknown as IPollFunctions;
	return new Client({
		context,
		urls: { baseUrl: BASE_URL, uploadUrl: '', endpointAdminUrl: '', endpointAdminStagingUrl: '' },
		credentialId: 'simulated',
		secrets: [],
		clock,
		random,
		limiter,
		signal,
	});
}

/** Returns a request of a model that was accepted now. */
export function requestOf(model: string, clock: Clock, request_id = 'simulated'): RequestRef {
	return { request_id, model, submitted_at: new Date(clock.now()).toISOString() };
}

/** Runs one request from submission to result with the nodes' code. If `pollIntervalMs` is 0, polling is adaptive. @throws Error unless the request completes */
export async function runJob(client: Client, pollIntervalMs = 0): Promise<void> {
	const { clock } = client;
	const sent = await client.send(
		() => ({ method: 'POST', url: `${BASE_URL}/v2/a-model`, body: '{}', timeoutMs: 60_000 }),
		{ priority: 'submission', deadline: clock.now() + 3_600_000 },
	);
	const accepted = isSuccess(sent) ? refFromSubmission(jsonOf(sent), client.urls) : undefined;
	if (!accepted) throw new Error(`A request was not accepted: ${sent.kind}`);
	const ref = { ...accepted, ...requestOf(MODEL_LABEL, clock, accepted.request_id) };
	const outcome = await poll(client, ref, { timeoutMs: 3_600_000, pollIntervalMs, isNew: true });
	if (outcome.kind !== 'completed') throw new Error(`A request ended as ${outcome.kind}`);
}
