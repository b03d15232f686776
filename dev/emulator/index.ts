import { countsOf } from './callCounts';
import type { ElsewhereRequest } from './jobs';
import { createListener, urlOf, type Listener } from './listener';
import { findModel } from './models';
import { originApp } from './originApp';
import { originRoutes } from './originRoutes';
import { accountRoot } from './routes/account';
import { createService, type EmulatorOptions, type Service } from './service';
import { originNames, type CallKind, type OriginName } from './types';
import { findWorkflow } from './workflows';

export type { Rewrite } from './responseChanges';
export type * from './faults';
export type { JobView } from './jobs';
export type * from './orders';
export type { EmulatorOptions } from './service';
export type * from './types';

/** A running emulator: its records and its controls. */
export type Emulator = ReturnType<typeof emulatorOf>;

function emulatorOf(service: Service, listeners: Record<OriginName, Listener>) {
	const { urls, key, calls, leaks, account, moments, webhooks, faults } = service;
	const settledLedger = () => {
		moments.at(() => service.jobs.settle());
		return service.ledger;
	};
	/** Stops listening at one origin, so that connections are refused, until `listen`. */
	const stopListening = async (origin: OriginName) => await listeners[origin].stop();
	return {
		/** The URLs of the origins, without a trailing slash. */
		urls,
		key,
		/** Every call in arrival order, without those to the emulator's own control routes. */
		calls,
		/** Secrets that arrived where they shouldn't. A test expects an empty list. */
		leaks,
		apiKeys: account.keys,
		/** The events sent to the registered webhook, in order. */
		deliveries: webhooks.deliveries,
		/** The fields of the n8n credential `segmindApi`. */
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
		/** The fields of the n8n credential `segmindSessionApi`. The access token is empty, so n8n fetches one with the refresh token. */
		get session() {
			return {
				refreshToken: account.currentRefreshToken(),
				accessToken: '',
				customAddresses: true,
				accountUrl: urls.account + accountRoot,
			};
		},
		get endpoints() {
			const { production, staging } = service.endpoints;
			return { production: [...production.values()], staging: [...staging.values()] };
		},
		get fineTunes() {
			return service.fineTunes.views();
		},
		registerWebhook: webhooks.register,
		/** The datasets uploaded to presigned URLs, in order. */
		get storedFiles() {
			return service.storage.views();
		},
		callsOf: (...kinds: [CallKind, ...CallKind[]]) =>
			calls.filter((call) => kinds.includes(call.kind)),
		/** The number of calls of each kind. */
		get counts() {
			return countsOf(calls);
		},
		/** All jobs as they are now, in submission order. */
		get jobs() {
			return moments.at(() => service.jobs.views());
		},
		/** Adds a request that another process or person made on the same account. Returns its ID. @throws Error for an unknown slug */
		submitElsewhere(request: ElsewhereRequest): string {
			const { slug, input, via = 'v2' } = request;
			const model = findModel(slug);
			const workflow = findWorkflow(slug);
			if (!model && !workflow) throw new Error(`There is no model or workflow "${slug}".`);
			const job = { via: model ? via : ('workflow' as const), slug, model, workflow, input };
			return moments.at(() => service.jobs.submitElsewhere(job, request).requestId);
		},
		/** The balance as the credits call returns it: reserved amounts are deducted. */
		get balance() {
			return settledLedger().balance;
		},
		/** Total cost of the completed jobs. */
		get charged() {
			return settledLedger().charged;
		},
		set: service.set,
		fault: faults.add,
		clearFaults: faults.clear,
		/** Restores the initial orders, deletes all records, jobs and faults, and cuts the connections of open calls. */
		reset: service.reset,
		/** Resolves when no call is open. */
		whenIdle: service.open.whenEmpty,
		stopListening,
		listen: async (origin: OriginName): Promise<void> => await listeners[origin].listen(),
		/** Destroys every socket and timer. Safe to call twice. */
		async close(): Promise<void> {
			service.timers.clear();
			webhooks.clear();
			await Promise.all(originNames.map(stopListening));
		},
	};
}

/** Starts the whole service on loopback, each origin on its own port. @throws EADDRINUSE if a port is taken; then nothing is left listening */
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
