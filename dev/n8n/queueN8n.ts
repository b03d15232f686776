/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startEmulator, type EmulatorOptions } from '../emulator';
import { cleanUp, startAll, type Cleanups } from './cleanups';
import { ensureN8n } from './installation';
import { N8nApi, type Ref } from './n8nApi';
import { NO_EDITOR, startN8n, type N8nProcess, type N8nRole } from './n8nProcess';
import { startQueueServices } from './queueServices';
import { createCredentials } from './sampleAccount';
import { newUserFolder, writeVersion } from './userFolder';

const SETTINGS = {
	...NO_EDITOR,
	EXECUTIONS_MODE: 'queue',
	// n8n's own default in queue mode.
	N8N_DEFAULT_BINARY_DATA_MODE: 'database',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	// With these values n8n notices a dead worker in seconds; with its defaults it takes 1 to 2 minutes.
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
	// How long a worker may take to end, in seconds (30 by default).
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
	// The size of the largest file in the database, in MB (512 by default).
	N8N_BINARY_DATA_DATABASE_MAX_FILE_SIZE: '1',
};

export type QueueN8n = Awaited<ReturnType<typeof startQueueN8n>>;

interface QueueN8nOptions {
	/** The emulator's options. */
	orders: EmulatorOptions;
	/** How many executions a worker runs at once. */
	workerConcurrency: number;
	/** How many workers to start; 2 by default. */
	workerCount?: number;
}

/**
 * Starts n8n in queue mode: a main process, a webhook processor and workers, which share no files, as if each ran on its own machine. `dist` must
 * be built. @throws Error with a sentence if something is missing or doesn't start, after ending everything that was started
 */
export async function startQueueN8n(options: QueueN8nOptions) {
	return await startAll(async (cleanups) => {
		const emulator = await startEmulator(options.orders);
		cleanups.push(async () => await emulator.close());
		const { start, processes, updatePackage } = await createStarter(cleanups, options);
		// The main process creates the database, so it starts first.
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
			/** The API of the main process. */
			api,
			/** Credentials by type. */
			credentials: (await createCredentials(api, emulator)) as Record<string, Ref>,
			updatePackage,
			/** Starts a worker that replaces one that has ended. */
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
			/** Ends everything and discards n8n's data. */
			stop: async () => await cleanUp(cleanups),
		};
		return queue;
	});
}

/** Starts the database and the queue. Returns functions that start n8n processes on them. */
async function createStarter(cleanups: Cleanups, { workerConcurrency }: QueueN8nOptions) {
	const installation = await ensureN8n(() => {});
	const services = await startQueueServices(cleanups);
	const template = await newUserFolder(installation.startedUserFolder);
	cleanups.push(async () => await rm(template, { recursive: true, force: true }));
	// All processes have the same encryption key, because it's in the user folder.
	const shared = { ...SETTINGS, ...services };
	/** Every process that was started, even if it has ended. */
	const processes: N8nProcess[] = [];
	return {
		processes,
		/** Starts another process, which `cleanups` end. */
		async start(role: N8nRole, extraEnv: Record<string, string> = {}): Promise<N8nProcess> {
			const userFolder = await mkdtemp(join(tmpdir(), 'segmind-n8n-'));
			cleanups.push(async () => await rm(userFolder, { recursive: true, force: true }));
			await cp(template, userFolder, { recursive: true });
			const limit = { N8N_CONCURRENCY_PRODUCTION_LIMIT: `${workerConcurrency}` };
			const env = { ...shared, ...(role === 'worker' && limit), ...extraEnv };
			const n8n = await startN8n({ installation, role, userFolder, port: 0, env });
			// The data is discarded, so n8n needn't end properly.
			cleanups.push(async () => await n8n.kill());
			processes.push(n8n);
			return n8n;
		},
		/** Changes the version of the package for processes that start from now on. */
		updatePackage: async (version: string) => await writeVersion(template, version),
	};
}
