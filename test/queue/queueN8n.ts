/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startEmulator, type Emulator } from '../../dev/emulator';
import { preparedN8n } from '../../dev/n8n/installation';
import { N8nApi, type Ref } from '../../dev/n8n/n8nApi';
import { startN8n, type N8nProcess, type N8nRole } from '../../dev/n8n/n8nProcess';
import { startQueueServices, type Endings } from '../../dev/n8n/queueServices';
import { createCredentials } from '../../dev/n8n/sampleAccount';
import { newUserFolder } from '../../dev/n8n/userFolder';
import { until, type Production } from '../host/workflows';

/** Executions that one worker runs at once. */
export const WORKER_CONCURRENCY = 5;

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

/** n8n in queue mode as on four machines: no file of one is seen by another. */
export interface Queue extends Production {
	emulator: Emulator;
	credentials: Record<string, Ref>;
	main: N8nProcess;
	/** The webhook processor. */
	webhook: N8nProcess;
	workers: N8nProcess[];
	/** A further process on the same database and queue; ended with the rest. */
	start(role: N8nRole, env?: Record<string, string>): Promise<N8nProcess>;
	/** Starts a worker in the place of one that has ended. */
	replace(worker: N8nProcess): Promise<void>;
	/** Ends the main process, starts it again on the same database, and signs in. */
	restartMain(env?: Record<string, string>): Promise<void>;
	/** The worker that took an execution. */
	workerOf(executionId: string): Promise<N8nProcess>;
}

/** One cluster for a test file: a main process, a webhook processor and two workers. */
export function useQueue(): { readonly it: Queue } {
	const held = {} as { it: Queue };
	const endings: Endings = [];
	const everyone: N8nProcess[] = [];
	beforeAll(async () => {
		const installation = await preparedN8n(() => {});
		const emulator = await startEmulator({ queueMs: 10, jobMs: 100 });
		endings.push(async () => await emulator.close());
		const services = await startQueueServices(endings);
		const pattern = await newUserFolder();
		endings.push(async () => await rm(pattern, { recursive: true, force: true }));
		const key = randomBytes(24).toString('hex');
		const start = async (role: N8nRole, env: Record<string, string> = {}) => {
			const userFolder = await mkdtemp(join(tmpdir(), 'segmind-n8n-'));
			endings.push(async () => await rm(userFolder, { recursive: true, force: true }));
			await cp(pattern, userFolder, { recursive: true });
			const shared = { ...SETTINGS, ...services, N8N_ENCRYPTION_KEY: key };
			const n8n = await startN8n({
				installation,
				role,
				userFolder,
				port: 0,
				env: {
					...shared,
					...(role === 'worker' && { N8N_CONCURRENCY_PRODUCTION_LIMIT: `${WORKER_CONCURRENCY}` }),
					...env,
				},
			});
			// What it holds is thrown away: nothing to wait for.
			endings.push(async () => await n8n.kill());
			everyone.push(n8n);
			return n8n;
		};
		// Makes the database.
		const main = await start('start');
		const [webhook, ...workers] = await Promise.all([
			start('webhook'),
			start('worker'),
			start('worker'),
		]);
		const api = new N8nApi(main.url);
		await api.setUpOwner();
		held.it = {
			emulator,
			main,
			webhook,
			workers,
			api,
			hooks: webhook.url,
			credentials: await createCredentials(api, emulator),
			start,
			async replace(worker) {
				this.workers[this.workers.indexOf(worker)] = await start('worker');
			},
			async restartMain(env) {
				await this.main.stop();
				this.main = await start('start', env);
				this.api = new N8nApi(this.main.url);
				await this.api.signIn();
			},
			async workerOf(executionId) {
				const line = `Worker started execution ${executionId} `;
				const took = (worker: N8nProcess) => worker.output().includes(line);
				await until(() => everyone.some(took));
				return everyone.filter(took)[0];
			},
		};
	}, 300_000);
	beforeEach(() => held.it.emulator.reset());
	afterEach(() => {
		expect(held.it.emulator.leaks).toEqual([]);
		for (const one of everyone) expect(one.output()).not.toContain('left loopback');
	});
	afterAll(async () => {
		for (const end of endings.reverse()) await end();
	}, 60_000);
	return held;
}
