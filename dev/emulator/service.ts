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

/** The account's key, which isn't a secret. It's assembled from parts because the linter would mistake the whole for a real key. */
const key = ['SG', '0123456789abcdef'].join('_');

export interface EmulatorOptions extends Partial<Orders> {
	/** The first of consecutive ports; 0 means any free ports. Default 0. */
	port?: number;
	/** Default Date.now. Jobs, records and rate-limit windows use this clock; v1 calls and the fault `delayMs` also need real time. */
	clock?: () => number;
}

type ServiceOptions = Omit<EmulatorOptions, 'port'>;

/** Everything that the routes share: the clock, the orders, the records and the credits. */
export type Service = ReturnType<typeof createService>;

/** Creates the parts of a service. */
function partsOf({ clock, ...changes }: ServiceOptions) {
	const initial = initialOrders(changes);
	const orders: Orders = { ...initial };
	/** Reads the test's clock, without `clockAheadMs`. */
	const moments = createMoments(clock ?? Date.now);
	/** Returns the time of the service's clock, which doesn't change during a call. */
	const now = (): number => moments.now() + orders.clockAheadMs;
	const urls = Object.fromEntries(originNames.map((name) => [name, ''])) as Record<
		OriginName,
		string
	>;
	/** False if the test drives the clock. */
	const isRealTime = clock === undefined;
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
		/** Returns the time of the service's clock, which also passes during a call. */
		clock: () => moments.clock() + orders.clockAheadMs,
		urls,
		isRealTime,
		key,
		calls: [] as Call[],
		leaks: [] as Leak[],
		/** Calls whose response isn't complete yet. */
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
		webhooks: createWebhooks({ isRealTime, orders, timers, urls }),
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
				// Jobs that ended before the change are charged to the old balance.
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
			for (const store of [parts.account, rateLimiter, ledger]) store.reset();
			parts.calls.length = 0;
			parts.leaks.length = 0;
		},
	};
}
