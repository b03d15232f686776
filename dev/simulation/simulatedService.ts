import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { createRateLimiter, type RateLimiter as ServiceLimiter } from '../emulator/rateLimit';
import type { Refusal } from '../emulator/refusal';
import type { Orders, RateLimit } from '../emulator/orders';
import { refFromSubmission } from '../../nodes/shared/request/result/requestRef';
import type { ScheduleSession } from '../../nodes/shared/request/wait/schedule';
import { waitFor, type Waiting } from '../../nodes/shared/request/wait/wait';
import { jsonOf } from '../../nodes/shared/service/answers';
import { Client } from '../../nodes/shared/service/client';
import { RateLimiter } from '../../nodes/shared/service/gate';
import type { VirtualClock } from './virtualClock';

export const BASE_URL = 'https://api.segmind.com';

/** One call as the service saw it. */
interface SeenCall {
	kind: 'submit' | 'status' | 'result';
	/** ms since the epoch. */
	at: number;
	status: number;
}

interface Settings {
	clock: VirtualClock;
	/** How long a job takes, ms. */
	jobMs: number | ((job: number) => number);
	limit?: RateLimit;
	/** One way through the network and back, ms. */
	latencyMs?: number;
	/** Jobs that were submitted earlier and are known by these ids. */
	known?: string[];
	/** A request is known this long after its submission, ms. Default: for good. */
	recordMs?: number;
}

/** The asynchronous part of the service on virtual time, behind the emulator's own rate limiter. */
export class SimulatedService {
	readonly calls: SeenCall[] = [];

	private readonly acceptedAt = new Map<string, number>();
	readonly endsAt = new Map<string, number>();

	readonly limiter: ServiceLimiter;

	constructor(private readonly settings: Settings) {
		const { clock, limit, known = [] } = settings;
		this.limiter = createRateLimiter(() => clock.now(), { rateLimit: limit } as Orders);
		for (const id of known) this.acceptedAt.set(id, clock.now());
	}

	/** Answers as n8n's request helper does. */
	async answer({ url, method }: IHttpRequestOptions) {
		const { clock, latencyMs = 40 } = this.settings;
		await clock.sleep(latencyMs / 2);
		const { kind, status, headers, body } = this.handle(String(url), method === 'POST');
		this.calls.push({ kind, at: clock.now(), status });
		const answer = {
			statusCode: status,
			headers: { ...headers, date: new Date(clock.now()).toUTCString() },
			body: [Buffer.from(JSON.stringify(body))],
		};
		await clock.sleep(latencyMs / 2);
		return answer;
	}

	count(kind: SeenCall['kind'], status = 200): number {
		return this.calls.filter((call) => call.kind === kind && call.status === status).length;
	}

	/** When each job was accepted, ms since the epoch. */
	get acceptedTimes(): number[] {
		return [...this.acceptedAt.values()];
	}

	private handle(url: string, isPost: boolean) {
		const { clock, jobMs } = this.settings;
		const kind: SeenCall['kind'] = isPost
			? 'submit'
			: url.endsWith('/status')
				? 'status'
				: 'result';
		let headers: Record<string, string>;
		try {
			headers = this.limiter.count();
		} catch (error) {
			const refusal = error as Refusal;
			return { kind, status: refusal.status, headers: refusal.headers, body: refusal.body };
		}
		if (isPost) {
			const id = `request-${this.acceptedAt.size}`;
			this.endsAt.set(
				id,
				clock.now() + (typeof jobMs === 'function' ? jobMs(this.acceptedAt.size) : jobMs),
			);
			this.acceptedAt.set(id, clock.now());
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
		if (clock.now() - acceptedAt >= (this.settings.recordMs ?? Infinity))
			return { kind, status: 404, headers, body: { error: 'Not found' } };
		const status =
			clock.now() >= (this.endsAt.get(id) ?? acceptedAt + (jobMs as number))
				? 'COMPLETED'
				: 'PROCESSING';
		return { kind, status: 200, headers, body: { request_id: id, status, output: 'text' } };
	}
}

/** What the waiting code needs of a run, with a helper that reaches the simulated service. `random` spreads the calls. */
export function sessionFor(
	service: Pick<SimulatedService, 'answer'>,
	clock: VirtualClock,
	random: () => number,
	signal?: AbortSignal,
): ScheduleSession {
	const context = {
		helpers: {
			httpRequestWithAuthentication: async (_credential: string, call: IHttpRequestOptions) =>
				await service.answer(call),
		},
	} as unknown as IExecuteFunctions;
	const client = new Client({
		context,
		urls: { baseUrl: BASE_URL, uploadUrl: '', endpointAdminUrl: '', endpointAdminStagingUrl: '' },
		credential: { id: 'simulated', name: 'Simulated' },
		secrets: [],
		clock,
		random,
		limiter: new RateLimiter(clock, random),
		signal,
	});
	return { client };
}

/** How a simulated job is waited for; adaptive unless it says otherwise. */
type Manner = Partial<Pick<Waiting, 'pollIntervalMs'>>;

/** One request from submission to result, with the nodes' own sending and waiting. @throws Error unless it completes */
export async function runJob(session: ScheduleSession, manner: Manner = {}): Promise<void> {
	const { client } = session;
	const { clock } = client;
	const sent = await client.send(
		() => ({ method: 'POST', url: `${BASE_URL}/v2/a-model`, body: '{}', limitMs: 60_000 }),
		{ purpose: 'submission', deadline: clock.now() + 3_600_000 },
	);
	const ref = sent.kind === 'answer' ? refFromSubmission(jsonOf(sent.answer)) : undefined;
	if (!ref) throw new Error(`A request was not accepted: ${sent.kind}`);
	const outcome = await waitFor(session, ref, {
		acceptedAt: clock.now(),
		isOwn: true,
		timeoutMs: 3_600_000,
		label: 'a-model',
		checkAtOnce: false,
		pollIntervalMs: manner.pollIntervalMs ?? 0,
	});
	if (outcome.kind !== 'finished') throw new Error(`A request ended as ${outcome.kind}`);
}
