import { countsOf } from './callKinds';
import { submitElsewhere } from './elsewhere';
import { createListener, urlOf, type Listener } from './listener';
import { originApp } from './origin';
import { originParts } from './origins';
import { accountRoot } from './routes/account';
import { createService } from './service';
import { originNames, type Emulator, type EmulatorOptions, type OriginName } from './types';

export type * from './types';

/**
 * Starts the whole service on loopback, each origin on its own port. Rejects with the system's error
 * (EADDRINUSE) when a port asked for is taken, with nothing left listening.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
	const service = createService(options);
	const parts = originParts(service);
	const listeners = Object.fromEntries(
		originNames.map((name) => [name, createListener(originApp(service, name, parts[name]))]),
	) as Record<OriginName, Listener>;
	const stopAll = async (): Promise<void> => {
		await Promise.all(originNames.map(async (name) => await listeners[name].stop()));
	};
	const first = options.port ?? 0;
	const started = await Promise.allSettled(
		originNames.map(
			async (name, index) => await listeners[name].listen(first === 0 ? 0 : first + index),
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
			service.blobs.clear();
		},
	};
}
