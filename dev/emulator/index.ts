import { countsOf } from './callKinds';
import { submitElsewhere, type ElsewhereRequest } from './elsewhere';
import type { FaultSpec } from './faults';
import { createListener, urlOf, type Listener } from './listener';
import { originApp } from './origin';
import { originRoutes } from './origins';
import type { Orders } from './orders';
import { accountRoot } from './routes/account';
import { createService, type EmulatorOptions, type Service } from './service';
import { originNames, type CallKind, type OriginName } from './types';

export type { Rewrite } from './answerForms';
export type * from './elsewhere';
export type * from './faults';
export type { JobView } from './jobs';
export type * from './orders';
export type { EmulatorOptions } from './service';
export type * from './types';

/** A running emulator: what it saw, and what it is told to do. */
export class Emulator {
	/** Addresses of the origins, without a trailing slash. */
	readonly urls: Service['urls'];
	readonly key: string;
	/** Every call in arrival order, control calls left out. */
	readonly calls: Service['calls'];
	/** Secrets that arrived where they should not. Must be [] in a good run. */
	readonly leaks: Service['leaks'];
	readonly apiKeys: Service['account']['keys'];
	/** What was sent to the webhook, in order. */
	readonly deliveries: Service['webhooks']['deliveries'];

	constructor(
		private readonly service: Service,
		private readonly listeners: Record<OriginName, Listener>,
	) {
		({ urls: this.urls, key: this.key, calls: this.calls, leaks: this.leaks } = service);
		this.apiKeys = service.account.keys;
		this.deliveries = service.webhooks.deliveries;
	}

	/** Field for field what the n8n credential `segmindApi` takes. */
	get credentials() {
		return {
			apiKey: this.key,
			customAddresses: true,
			baseUrl: this.urls.api,
			uploadUrl: this.urls.upload,
			endpointAdminUrl: this.urls.admin,
			endpointAdminStagingUrl: this.urls.adminStaging,
		};
	}

	/** What `segmindSessionApi` takes: the refresh token that is good now; the access token is left empty, to be fetched. */
	get session() {
		return {
			refreshToken: this.service.account.refreshToken(),
			accessToken: '',
			customAddresses: true,
			accountUrl: this.urls.account + accountRoot,
			consoleUrl: this.urls.console,
		};
	}

	get endpoints() {
		const { production, staging } = this.service.endpoints;
		return { production: [...production.values()], staging: [...staging.values()] };
	}

	get fineTunes() {
		return this.service.moments.at(() => this.service.fineTunes.views());
	}

	/** Address of the one webhook; null when there is none. */
	get webhook() {
		return this.service.webhooks.url;
	}

	/** Throws when one is registered already, and for an address that is not on loopback. Real time only: a driven clock delivers nothing. */
	registerWebhook(url: string): void {
		this.service.webhooks.register(url);
	}

	/** Throws when there is none. */
	removeWebhook(): void {
		this.service.webhooks.remove();
	}

	/** The console's test button: a sample payload. Throws when there is none. */
	testWebhook(): void {
		this.service.webhooks.test();
	}

	/** What was uploaded to presigned URLs, in order. */
	get stored() {
		return this.service.storage.views();
	}

	callsOf(...kinds: [CallKind, ...CallKind[]]) {
		return this.calls.filter((call) => kinds.includes(call.kind));
	}

	/** How many calls of each kind there were. */
	get counts() {
		return countsOf(this.calls);
	}

	/** A fresh picture of all jobs, in submission order. */
	get jobs() {
		return this.service.moments.at(() => this.service.jobs.views());
	}

	/** Gives its request id. Throws for an unknown slug. */
	submitElsewhere(request: ElsewhereRequest): string {
		return this.service.moments.at(() => submitElsewhere(this.service, request));
	}

	/** As the credits call would tell it: reserved amounts are off. */
	get balance() {
		return this.settledLedger.balance;
	}

	/** Sum of what completed jobs cost. */
	get charged() {
		return this.settledLedger.charged;
	}

	private get settledLedger() {
		this.service.moments.at(() => this.service.jobs.settle());
		return this.service.ledger;
	}

	set(orders: Partial<Orders>): void {
		this.service.set(orders);
	}

	fault(spec: FaultSpec) {
		return this.service.faults.add(spec);
	}

	/** Removes every fault. */
	clearFaults(): void {
		this.service.faults.clear();
	}

	/** Initial orders, no records, no jobs, no faults; held calls are dropped. */
	reset(): void {
		this.service.reset();
	}

	/** Resolves when no call is open. */
	async idle(): Promise<void> {
		await this.service.open.none();
	}

	/** Stops listening at one origin (connections are refused), until `listen`. */
	async refuse(origin: OriginName): Promise<void> {
		await this.listeners[origin].stop();
	}

	async listen(origin: OriginName): Promise<void> {
		await this.listeners[origin].listen();
	}

	/** Destroys every socket and timer. Safe to call twice. */
	async close(): Promise<void> {
		this.service.timers.clear();
		this.service.webhooks.clear();
		await Promise.all(originNames.map(async (origin) => await this.refuse(origin)));
	}
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
	const emulator = new Emulator(service, listeners);
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
