/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startEmulator, type EmulatorOptions } from '../emulator';
import { endAll, startedWith, type Endings } from './endings';
import { preparedN8n } from './installation';
import { N8nApi, type Ref } from './n8nApi';
import { NO_EDITOR, startN8n, type N8nProcess, type N8nRole } from './n8nProcess';
import { startQueueServices } from './queueServices';
import { createCredentials } from './sampleAccount';
import { newUserFolder, writeVersion } from './userFolder';

const SETTINGS = {
	...NO_EDITOR,
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

export type QueueN8n = Awaited<ReturnType<typeof startQueueN8n>>;

interface QueueN8nOptions {
	/** For the emulator. */
	orders: EmulatorOptions;
	/** Executions that one worker runs at once. */
	workerConcurrency: number;
	/** How many workers; 2 by default. */
	workerCount?: number;
}

/**
 * Starts n8n in queue mode as on four machines, where no file of one is seen by another: a main process, a webhook processor, workers. `dist`
 * must be built. @throws Error with a sentence when something is missing or does not start; nothing is left running then
 */
export async function startQueueN8n(options: QueueN8nOptions) {
	return await startedWith(async (endings) => {
		const emulator = await startEmulator(options.orders);
		endings.push(async () => await emulator.close());
		const { start, processes, updatePackage } = await starter(endings, options);
		// Makes the database.
		const main = await start('start');
		const [webhook, ...workers] = await Promise.all([
			start('webhook'),
			...Array.from({ length: options.workerCount ?? 2 }, async () => await start('worker')),
		]);
		const api = new N8nApi(main.url);
		await api.setUpOwner();
		const queue = {
			emulator,
			main,
			/** The webhook processor. */
			webhook,
			workers,
			/** Of the main process. */
			api,
			/** By type. */
			credentials: (await createCredentials(api, emulator)) as Record<string, Ref>,
			updatePackage,
			/** Starts a worker in the place of one that has ended. */
			async replace(worker: N8nProcess): Promise<void> {
				this.workers[this.workers.indexOf(worker)] = await start('worker');
			},
			/** Kills the main process, starts it again on the same database, and signs in. */
			async restartMain(env?: Record<string, string>): Promise<void> {
				await this.main.kill();
				this.main = await start('start', env);
				this.api = new N8nApi(this.main.url);
				await this.api.signIn();
			},
			processes,
			/** Ends everything; what n8n holds is thrown away. */
			stop: async () => await endAll(endings),
		};
		return queue;
	});
}

/** What starts processes on one database and queue. */
async function starter(endings: Endings, { workerConcurrency }: QueueN8nOptions) {
	const installation = await preparedN8n(() => {});
	const services = await startQueueServices(endings);
	const pattern = await newUserFolder(installation.started);
	endings.push(async () => await rm(pattern, { recursive: true, force: true }));
	// What they encrypt with comes with the user folder.
	const shared = { ...SETTINGS, ...services };
	/** Every process so far, those that have ended included. */
	const processes: N8nProcess[] = [];
	return {
		processes,
		/** A further process; ended with the rest. */
		async start(role: N8nRole, more: Record<string, string> = {}): Promise<N8nProcess> {
			const userFolder = await mkdtemp(join(tmpdir(), 'segmind-n8n-'));
			endings.push(async () => await rm(userFolder, { recursive: true, force: true }));
			await cp(pattern, userFolder, { recursive: true });
			const limit = { N8N_CONCURRENCY_PRODUCTION_LIMIT: `${workerConcurrency}` };
			const env = { ...shared, ...(role === 'worker' && limit), ...more };
			const n8n = await startN8n({ installation, role, userFolder, port: 0, env });
			// Nothing to wait for.
			endings.push(async () => await n8n.kill());
			processes.push(n8n);
			return n8n;
		},
		/** Processes that start from now on have the package in this version. */
		updatePackage: async (version: string) => await writeVersion(pattern, version),
	};
}
