/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { join } from 'node:path';

import { cacheFolder } from './cache';
import { findFreePort, startChild, waitUntilServing, type Child } from './childProcess';
import { envWithoutNpm } from './npm';

/** How long n8n may take to start, which includes creating its database. */
const START_MS = 180_000;

/** A real n8n on this computer, with its own Node.js. */
export interface Installation {
	/** The version of n8n. */
	version: string;
	/** The path of Node.js. */
	node: string;
	/** The path of n8n's start script. */
	n8n: string;
	/** The path of a user folder that n8n has already started with once. The first start takes longer than later starts. */
	startedUserFolder: string;
}

/** n8n's three kinds of process, by the argument that starts them. Only `start` serves the editor and the API. */
export type N8nRole = 'start' | 'webhook' | 'worker';

export interface N8nProcess extends Child {
	/** The URL without a trailing slash. A worker only responds to health checks. */
	url: string;
}

interface N8nOptions {
	installation: Pick<Installation, 'node' | 'n8n'>;
	/** `start` by default. The other roles need queue mode in `env`. */
	role?: N8nRole;
	/** The folder with n8n's database, files and community nodes. */
	userFolder: string;
	/** 0 means any free port. */
	port: number;
	/** Environment variables in addition to `SETTINGS`. */
	env?: Record<string, string>;
	/** Aborting the signal ends the start. */
	signal?: AbortSignal;
}

/** Variables that start n8n without its editor, because creating the editor's files takes seconds. */
export const NO_EDITOR = { N8N_DISABLE_UI: 'true' };

/** Isolates n8n: it listens on loopback only, and makes no calls to other hosts. */
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
	// The first module fetches a list from n8n's own server, and the second one is an assistant that needs it. The third one fails executions that
	// begin before it has started ('OTel settings not yet initialized').
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,otel',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// n8n would inherit the environment of the tests, in which Jest sets another value.
	NODE_ENV: 'production',
	// Workflows can't call the internet either.
	NODE_OPTIONS: `--require "${join(__dirname, 'loopbackOnly.cjs')}"`,
	EXTERNAL_FRONTEND_HOOKS_URLS: '',
	N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
	DB_TYPE: 'sqlite',
	EXECUTIONS_MODE: 'regular',
	GENERIC_TIMEZONE: 'UTC',
};

/**
 * Starts n8n. Resolves when it's ready.
 * @throws Error with n8n's last output if it ends or takes too long
 */
export async function startN8n({
	installation,
	role = 'start',
	userFolder,
	port,
	env,
	signal,
}: N8nOptions): Promise<N8nProcess> {
	const [servicePort, brokerPort] = [await findFreePort(port), await findFreePort(0)];
	const child = startChild({
		file: installation.node,
		args: [installation.n8n, role],
		cwd: userFolder,
		env: {
			...envWithoutN8n(envWithoutNpm()),
			...SETTINGS,
			N8N_USER_FOLDER: userFolder,
			// Compiling n8n's modules takes seconds, so Node.js caches them. It writes the cache when a process ends by itself.
			NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled'),
			N8N_PORT: String(servicePort),
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			...(role === 'worker' && {
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(servicePort),
				N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			}),
			...env,
		},
	});
	const url = `http://127.0.0.1:${servicePort}`;
	await waitUntilServing(child, {
		name: role === 'start' ? 'n8n' : `n8n's ${role} process`,
		isServing: async () => await isServing(url, role),
		timeoutMs: START_MS,
		signal,
	});
	return { ...child, url };
}

/** Returns the environment without the settings of another n8n. */
function envWithoutN8n(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(env).filter(
			([name]) => !/^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_|CREDENTIALS_|NODE_OPTIONS)/.test(name),
		),
	);
}

/** Whether a process is ready; the main process is ready when its API responds. */
async function isServing(url: string, role: N8nRole): Promise<boolean> {
	const path = role === 'start' ? '/rest/login' : '/healthz/readiness';
	const signal = AbortSignal.timeout(5000);
	const response = await fetch(`${url}${path}`, { signal }).catch(() => undefined);
	// Once the API is ready, this path returns the 401 for a user who isn't signed in; before, it returns another status.
	return role === 'start' ? response?.status === 401 : response?.ok === true;
}
