/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startEmulator, type Emulator, type EmulatorOptions } from '../emulator';
import { endAll, startedWith } from './endings';
import { preparedN8n } from './installation';
import { N8nApi, type Ref } from './n8nApi';
import { startN8n, type N8nProcess, type N8nRole } from './n8nProcess';
import { startQueueServices } from './queueServices';
import { createCredentials } from './sampleAccount';
import { newUserFolder, writeVersion } from './userFolder';

const SETTINGS = {
	EXECUTIONS_MODE: 'queue',
	// What n8n itself takes in queue mode.
	N8N_DEFAULT_BINARY_DATA_MODE: 'database',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	// A dead worker is noticed sooner than after the 1 to 2 minutes of n8n's defaults.
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
	// How long a worker that is asked to end may take, s (30 by default), and the largest file in the database, MB (512).
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
	N8N_BINARY_DATA_DATABASE_MAX_FILE_SIZE: '1',
};

/** n8n in queue mode as on four machines: no file of one is seen by another. A main process, a webhook processor, workers. */
export interface QueueN8n {
	emulator: Emulator;
	main: N8nProcess;
	/** The webhook processor. */
	webhook: N8nProcess;
	workers: N8nProcess[];
	/** Of the main process. */
	api: N8nApi;
	/** By type. */
	credentials: Record<string, Ref>;
	/** A further process on the same database and queue; ended with the rest. */
	start(role: N8nRole, env?: Record<string, string>): Promise<N8nProcess>;
	/** Processes that start from now on have the package in this version. */
	updatePackage(version: string): Promise<void>;
	/** Starts a worker in the place of one that has ended. */
	replace(worker: N8nProcess): Promise<void>;
	/** Ends the main process, starts it again on the same database, and signs in. */
	restartMain(env?: Record<string, string>): Promise<void>;
	/** Every process so far, those that have ended included. */
	processes: N8nProcess[];
	/** Ends everything; what n8n holds is thrown away. */
	stop(): Promise<void>;
}

interface QueueN8nOptions {
	/** For the emulator. */
	orders: EmulatorOptions;
	/** Executions that one worker runs at once. */
	workerConcurrency: number;
	/** How many workers; 2 by default. */
	workerCount?: number;
}

/** Starts it. `dist` must be built. @throws Error with a sentence when something is missing or does not start; nothing is left running then */
export async function startQueueN8n({
	orders,
	workerConcurrency,
	workerCount = 2,
}: QueueN8nOptions): Promise<QueueN8n> {
	return await startedWith(async (endings) => {
		const installation = await preparedN8n(() => {});
		const emulator = await startEmulator(orders);
		endings.push(async () => await emulator.close());
		const services = await startQueueServices(endings);
		const pattern = await newUserFolder();
		endings.push(async () => await rm(pattern, { recursive: true, force: true }));
		const key = randomBytes(24).toString('hex');
		const processes: N8nProcess[] = [];
		const start = async (role: N8nRole, env: Record<string, string> = {}) => {
			const userFolder = await mkdtemp(join(tmpdir(), 'segmind-n8n-'));
			endings.push(async () => await rm(userFolder, { recursive: true, force: true }));
			await cp(pattern, userFolder, { recursive: true });
			const n8n = await startN8n({
				installation,
				role,
				userFolder,
				port: 0,
				env: {
					...SETTINGS,
					...services,
					N8N_ENCRYPTION_KEY: key,
					...(role === 'worker' && { N8N_CONCURRENCY_PRODUCTION_LIMIT: `${workerConcurrency}` }),
					...env,
				},
			});
			// Nothing to wait for.
			endings.push(async () => await n8n.kill());
			processes.push(n8n);
			return n8n;
		};
		// Makes the database.
		const main = await start('start');
		const [webhook, ...workers] = await Promise.all([
			start('webhook'),
			...Array.from({ length: workerCount }, async () => await start('worker')),
		]);
		const api = new N8nApi(main.url);
		await api.setUpOwner();
		const queue: QueueN8n = {
			emulator,
			main,
			webhook,
			workers,
			api,
			credentials: await createCredentials(api, emulator),
			start,
			updatePackage: async (version) => await writeVersion(pattern, version),
			async replace(worker) {
				this.workers[this.workers.indexOf(worker)] = await start('worker');
			},
			async restartMain(env) {
				// One that was killed has ended already.
				await this.main.stop();
				this.main = await start('start', env);
				this.api = new N8nApi(this.main.url);
				await this.api.signIn();
			},
			processes,
			stop: async () => await endAll(endings),
		};
		return queue;
	});
}
