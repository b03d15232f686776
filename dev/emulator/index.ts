import { countsOf } from './callKinds';
import { submitElsewhere, type ElsewhereRequest } from './elsewhere';
import type { FaultHandle, FaultSpec } from './faults';
import { createListener, urlOf, type Listener } from './listener';
import { originApp } from './origin';
import { originParts } from './origins';
import { accountRoot } from './routes/account';
import type { Balance, Orders } from './orders';
import { createService, type EmulatorOptions } from './service';
import {
	originNames,
	type ApiKeyRecord,
	type Call,
	type CallKind,
	type EndpointRecord,
	type FineTuneView,
	type JobView,
	type Leak,
	type OriginName,
	type StoredObject,
	type WebhookDelivery,
} from './types';

export type { Rewrite } from './answerForms';
export type * from './elsewhere';
export type * from './faults';
export type * from './orders';
export type { EmulatorOptions } from './service';
export type * from './types';

/** Field for field what the n8n credential `segmindSessionApi` takes. */
interface EmulatorSession {
	[name: string]: string | true;
	refreshToken: string;
	accessToken: string;
	customAddresses: true;
	accountUrl: string;
	consoleUrl: string;
}

/** Field for field what the n8n credential `segmindApi` takes. */
interface EmulatorCredentials {
	[name: string]: string | true;
	apiKey: string;
	customAddresses: true;
	baseUrl: string;
	uploadUrl: string;
	endpointAdminUrl: string;
	endpointAdminStagingUrl: string;
}

export interface Emulator {
	/** Origins without a trailing slash. */
	readonly urls: Readonly<Record<OriginName, string>>;
	readonly key: string;
	readonly credentials: EmulatorCredentials;
	/** The refresh token that is good now; the access token is left empty, to be fetched. */
	readonly session: EmulatorSession;
	readonly endpoints: { production: EndpointRecord[]; staging: EndpointRecord[] };
	readonly fineTunes: FineTuneView[];
	/** Address of the one webhook; null when there is none. */
	readonly webhook: string | null;
	/** What was sent to it, in order. */
	readonly deliveries: readonly WebhookDelivery[];
	/** Throws when one is registered already, and for an address that is not on loopback. Real time only: a driven clock delivers nothing. */
	registerWebhook(url: string): void;
	/** Throws when there is none. */
	removeWebhook(): void;
	/** The console's test button: a sample payload. Throws when there is none. */
	testWebhook(): void;
	/** What was uploaded to presigned URLs, in order. */
	readonly stored: StoredObject[];
	readonly apiKeys: ApiKeyRecord[];
	/** Every call in arrival order, control calls left out. */
	readonly calls: Call[];
	callsOf(kind: CallKind, ...more: CallKind[]): Call[];
	/** How many calls of each kind there were. */
	readonly counts: Partial<Record<CallKind, number>>;
	/** A fresh picture of all jobs, in submission order. */
	readonly jobs: JobView[];
	/** Gives its request id. Throws for an unknown slug. */
	submitElsewhere(request: ElsewhereRequest): string;
	/** As the credits call would tell it: reserved amounts are off. */
	readonly balance: Balance;
	/** Sum of what completed jobs cost. */
	readonly charged: number;
	/** Secrets that arrived where they should not. Must be [] in a good run. */
	readonly leaks: Leak[];
	set(orders: Partial<Orders>): void;
	fault(spec: FaultSpec): FaultHandle;
	/** Removes every fault. */
	clearFaults(): void;
	/** Initial orders, no records, no jobs, no faults; held calls are dropped. */
	reset(): void;
	/** Resolves when no call is open. */
	idle(): Promise<void>;
	/** Stops listening at one origin (connections are refused), until `listen`. */
	refuse(origin: OriginName): Promise<void>;
	listen(origin: OriginName): Promise<void>;
	/** Destroys every socket and timer. Safe to call twice. */
	close(): Promise<void>;
}

/**
 * Starts the whole service on loopback, each origin on its own port. Rejects with the system's error
 * (EADDRINUSE) when a port asked for is taken, with nothing left listening.
 */
export async function startEmulator({
	port = 0,
	...options
}: EmulatorOptions = {}): Promise<Emulator> {
	const service = createService(options);
	const parts = originParts(service);
	const listeners = Object.fromEntries(
		originNames.map((name) => [name, createListener(originApp(service, name, parts[name]))]),
	) as Record<OriginName, Listener>;
	const stopAll = async (): Promise<void> => {
		await Promise.all(originNames.map(async (name) => await listeners[name].stop()));
	};
	const started = await Promise.allSettled(
		originNames.map(
			async (name, index) => await listeners[name].listen(port === 0 ? 0 : port + index),
		),
	);
	const failure = started.find((outcome) => outcome.status === 'rejected');
	if (failure) {
		await stopAll();
		throw failure.reason;
	}
	for (const name of originNames) service.urls[name] = urlOf(listeners[name]);
	const { urls, key, calls, leaks, endpoints, fineTunes, storage, account, moments } = service;

	return {
		urls,
		key,
		calls,
		leaks,
		credentials: {
			apiKey: key,
			customAddresses: true,
			baseUrl: urls.api,
			uploadUrl: urls.upload,
			endpointAdminUrl: urls.admin,
			endpointAdminStagingUrl: urls.adminStaging,
		},
		get session() {
			return {
				refreshToken: account.refreshToken(),
				accessToken: '',
				customAddresses: true as const,
				accountUrl: urls.account + accountRoot,
				consoleUrl: urls.console,
			};
		},
		get endpoints() {
			return {
				production: [...endpoints.production.values()],
				staging: [...endpoints.staging.values()],
			};
		},
		get fineTunes() {
			return moments.at(() => fineTunes.views());
		},
		get webhook() {
			return service.webhooks.url;
		},
		deliveries: service.webhooks.deliveries,
		registerWebhook: service.webhooks.register,
		removeWebhook: service.webhooks.remove,
		testWebhook: service.webhooks.test,
		get stored() {
			return storage.views();
		},
		apiKeys: account.keys,
		get counts() {
			return countsOf(calls);
		},
		submitElsewhere: (request) => moments.at(() => submitElsewhere(service, request)),
		callsOf: (...kinds) => calls.filter((call) => kinds.includes(call.kind)),
		get jobs() {
			return moments.at(() => service.jobs.views());
		},
		get balance() {
			return moments.at(() => {
				service.jobs.settle();
				return service.ledger.balance;
			});
		},
		get charged() {
			return moments.at(() => {
				service.jobs.settle();
				return service.ledger.charged;
			});
		},
		set: service.set,
		fault: service.faults.add,
		clearFaults: service.faults.clear,
		reset: service.reset,
		idle: service.open.none,
		refuse: async (origin) => await listeners[origin].stop(),
		listen: async (origin) => await listeners[origin].listen(),
		async close() {
			service.timers.clear();
			service.webhooks.clear();
			await stopAll();
		},
	};
}
