/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { Installation } from './installation';
import { outsideNpm } from './npm';

/** How long n8n may take to start, with the making of its database, ms. */
const START_MS = 180_000;
/** How long it may take to end before it is killed, ms. */
const STOP_MS = 15_000;

export interface N8nProcess {
	/** Address without a trailing slash. */
	url: string;
	pid: number;
	/** Everything it printed so far. */
	output(): string;
	/** Asks it to end, and waits until it has. */
	stop(): Promise<void>;
	/** Ends it as a crash would. */
	kill(): Promise<void>;
	/** Resolves when it has ended, however that came. */
	ended: Promise<void>;
}

export interface N8nOptions {
	installation: Installation;
	/** Holds its database, its files and the community nodes. */
	userFolder: string;
	/** 0: any free one. */
	port: number;
	/** On top of the settings below. */
	env?: Record<string, string>;
	/** Gives up starting. */
	signal?: AbortSignal;
}

/** Keeps n8n to itself: it listens on loopback only, and reaches nothing else. */
const SETTINGS = {
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_HOST: '127.0.0.1',
	N8N_PROTOCOL: 'http',
	N8N_SECURE_COOKIE: 'false',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	// Fetches a list from n8n's own server.
	N8N_DISABLED_MODULES: 'mcp-registry',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// Whoever starts us may be a test.
	NODE_ENV: 'production',
	// A workflow that calls the internet is refused too.
	NODE_OPTIONS: `--require "${join(__dirname, 'loopbackOnly.cjs')}"`,
	EXTERNAL_FRONTEND_HOOKS_URLS: '',
	N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
	DB_TYPE: 'sqlite',
	EXECUTIONS_MODE: 'regular',
	GENERIC_TIMEZONE: 'UTC',
};

/**
 * Starts n8n and resolves when it serves its API.
 * @throws Error with the last lines it printed, when it ends before or takes too long
 */
export async function startN8n({
	installation,
	userFolder,
	port,
	env,
	signal,
}: N8nOptions): Promise<N8nProcess> {
	const [ownPort, brokerPort] = [await freePort(port), await freePort(0)];
	const child = spawn(installation.node, [installation.n8n, 'start'], {
		cwd: userFolder,
		stdio: ['ignore', 'pipe', 'pipe'],
		// A group of its own: Ctrl-C reaches us alone, and we end it in order.
		detached: process.platform !== 'win32',
		env: {
			...withoutN8n(outsideNpm()),
			...SETTINGS,
			N8N_USER_FOLDER: userFolder,
			N8N_PORT: String(ownPort),
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			...env,
		},
	});
	let printed = '';
	const read = (chunk: Buffer) => (printed += chunk.toString());
	child.stdout.on('data', read);
	child.stderr.on('data', read);
	const ended = new Promise<void>((resolve) => {
		child.once('error', ({ message }) => {
			printed += message;
			resolve();
		});
		child.once('exit', () => resolve());
	});
	const url = `http://127.0.0.1:${ownPort}`;
	const n8n: N8nProcess = {
		url,
		pid: child.pid ?? 0,
		output: () => printed,
		ended,
		async stop() {
			child.kill('SIGTERM');
			const inTime = await Promise.race([ended.then(() => true), pause(STOP_MS, false)]);
			if (!inTime) await this.kill();
		},
		async kill() {
			killGroup(child);
			await ended;
		},
	};
	// Whatever ends us ends it as well.
	const onExit = () => killGroup(child);
	process.once('exit', onExit);
	void ended.then(() => process.off('exit', onExit));

	const startedAt = Date.now();
	while (!(await isServing(url))) {
		const over = await Promise.race([ended.then(() => true), pause(250, false)]);
		if (signal?.aborted) await n8n.kill();
		signal?.throwIfAborted();
		if (over || Date.now() - startedAt > START_MS) {
			await n8n.kill();
			const why = over ? 'ended instead of starting' : 'did not start in time';
			throw new Error(`n8n ${why}; it printed:\n${printed.slice(-3000)}`);
		}
	}
	return n8n;
}

/** The environment without settings of another n8n. */
function withoutN8n(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(env).filter(
			([name]) => !/^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_|CREDENTIALS_|NODE_OPTIONS)/.test(name),
		),
	);
}

/** True once the API is there, which comes after the port. */
async function isServing(url: string): Promise<boolean> {
	try {
		const signal = AbortSignal.timeout(5000);
		const ready = await fetch(`${url}/healthz/readiness`, { signal });
		const settings = ready.ok && (await fetch(`${url}/rest/settings`, { signal }));
		return settings && (settings.headers.get('content-type') ?? '').includes('json');
	} catch {
		return false;
	}
}

/** Ends a process with those it started (n8n's task runner). */
function killGroup(child: ChildProcess): void {
	if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
	try {
		if (process.platform === 'win32') child.kill('SIGKILL');
		else process.kill(-child.pid, 'SIGKILL');
	} catch {
		// It has ended in the meantime.
	}
}

/** That port, or any free one for 0. @throws the system's error when it is taken */
async function freePort(port: number): Promise<number> {
	return await new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
		});
	});
}
