import { countsOf } from './callKinds';
import { submitElsewhere } from './elsewhere';
import type { ElsewhereRequest } from './jobs';
import { createListener, urlOf, type Listener } from './listener';
import { originApp } from './origin';
import { originRoutes } from './origins';
import { accountRoot } from './routes/account';
import { createService, type EmulatorOptions, type Service } from './service';
import { originNames, type CallKind, type OriginName } from './types';

export type { Rewrite } from './answerForms';
export type * from './faults';
export type { ElsewhereRequest, JobView } from './jobs';
export type * from './orders';
export type { EmulatorOptions } from './service';
export type * from './types';

/** A running emulator: its records and its controls. */
export type Emulator = ReturnType<typeof emulatorOf>;

function emulatorOf(service: Service, listeners: Record<OriginName, Listener>) {
	const { urls, key, calls, leaks, account, moments, webhooks, faults } = service;
	const settled = () => {
		moments.at(() => service.jobs.settle());
		return service.ledger;
	};
	/** Stops listening at one origin (connections are refused), until `listen`. */
	const refuse = async (origin: OriginName) => await listeners[origin].stop();
	return {
		/** Addresses of the origins, without a trailing slash. */
		urls,
		key,
		/** Every call in arrival order, control calls left out. */
		calls,
		/** Secrets that arrived where they should not. Must be [] in a good run. */
		leaks,
		apiKeys: account.keys,
		/** What was sent to the webhook, in order. */
		deliveries: webhooks.deliveries,
		/** Field for field what the n8n credential `segmindApi` takes. */
		get credentials() {
			return {
				apiKey: key,
				customAddresses: true,
				baseUrl: urls.api,
				uploadUrl: urls.upload,
				endpointAdminUrl: urls.admin,
				endpointAdminStagingUrl: urls.adminStaging,
			};
		},
		/** What `segmindSessionApi` takes: the refresh token that is good now; the access token is left empty, to be fetched. */
		get session() {
			return {
				refreshToken: account.refreshToken(),
				accessToken: '',
				customAddresses: true,
				accountUrl: urls.account + accountRoot,
				consoleUrl: urls.console,
			};
		},
		get endpoints() {
			const { production, staging } = service.endpoints;
			return { production: [...production.values()], staging: [...staging.values()] };
		},
		get fineTunes() {
			return moments.at(() => service.fineTunes.views());
		},
		registerWebhook: webhooks.register,
		testWebhook: webhooks.test,
		/** What was uploaded to presigned URLs, in order. */
		get stored() {
			return service.storage.views();
		},
		callsOf: (...kinds: [CallKind, ...CallKind[]]) =>
			calls.filter((call) => kinds.includes(call.kind)),
		/** How many calls of each kind there were. */
		get counts() {
			return countsOf(calls);
		},
		/** A fresh picture of all jobs, in submission order. */
		get jobs() {
			return moments.at(() => service.jobs.views());
		},
		/** Returns its request ID. @throws Error for an unknown slug */
		submitElsewhere: (request: ElsewhereRequest): string =>
			moments.at(() => submitElsewhere(service, request)),
		/** As the credits call would return it: reserved amounts are deducted. */
		get balance() {
			return settled().balance;
		},
		/** Total cost of the completed jobs. */
		get charged() {
			return settled().charged;
		},
		set: service.set,
		fault: faults.add,
		clearFaults: faults.clear,
		/** Initial orders, no records, no jobs, no faults; held calls are dropped. */
		reset: service.reset,
		/** Resolves when no call is open. */
		idle: service.open.none,
		refuse,
		listen: async (origin: OriginName): Promise<void> => await listeners[origin].listen(),
		/** Destroys every socket and timer. Safe to call twice. */
		async close(): Promise<void> {
			service.timers.clear();
			webhooks.clear();
			await Promise.all(originNames.map(refuse));
		},
	};
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
	const routes = originRoutes(service);
	const listeners = Object.fromEntries(
		originNames.map((name) => [name, createListener(originApp(service, name, routes[name]))]),
	) as Record<OriginName, Listener>;
	const emulator = emulatorOf(service, listeners);
	const started = await Promise.allSettled(
		originNames.map(
			async (name, index) => await listeners[name].listen(port === 0 ? 0 : port + index),
		),
	);
	const failure = started.find((outcome) => outcome.status === 'rejected');
	if (failure) {
		await emulator.close();
		throw failure.reason;
	}
	for (const name of originNames) service.urls[name] = urlOf(listeners[name]);
	return emulator;
}
