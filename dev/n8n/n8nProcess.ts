/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { join } from 'node:path';

import { cacheFolder } from './cache';
import { freePort, startChild, untilServing, type Child } from './childProcess';
import { outsideNpm } from './npm';

/** How long n8n may take to start, with the making of its database, ms. */
const START_MS = 180_000;

/** A real n8n on this computer, with a Node of its own. Paths of files. */
export interface Installation {
	/** Version of n8n. */
	version: string;
	node: string;
	n8n: string;
	/** A user folder as n8n leaves it after its first start, which takes longer than others. */
	started: string;
}

/** n8n's three kinds of process, by the words that start them; only `start` serves editor and API. */
export type N8nRole = 'start' | 'webhook' | 'worker';

export interface N8nProcess extends Child {
	/** Address without a trailing slash; that of a worker says only whether it is ready. */
	url: string;
}

interface N8nOptions {
	installation: Pick<Installation, 'node' | 'n8n'>;
	/** Default `start`; the others need queue mode in `env`. */
	role?: N8nRole;
	/** Holds its database, its files and the community nodes. */
	userFolder: string;
	/** 0: any free one. */
	port: number;
	/** On top of the settings below. */
	env?: Record<string, string>;
	/** Ends the start. */
	signal?: AbortSignal;
}

/** Leaves out the editor, whose files take seconds to make. */
export const NO_EDITOR = { N8N_DISABLE_UI: 'true' };

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
	// One fetches a list from n8n's own server, the other is an assistant that needs it.
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// A test may have started this process.
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
 * Starts n8n and resolves when it serves what it is there for.
 * @throws Error with the last lines it printed, when it ends before or takes too long
 */
export async function startN8n({
	installation,
	role = 'start',
	userFolder,
	port,
	env,
	signal,
}: N8nOptions): Promise<N8nProcess> {
	const [ownPort, brokerPort] = [await freePort(port), await freePort(0)];
	const child = startChild({
		file: installation.node,
		words: [installation.n8n, role],
		cwd: userFolder,
		env: {
			...withoutN8n(outsideNpm()),
			...SETTINGS,
			N8N_USER_FOLDER: userFolder,
			// What Node compiles takes seconds. A process that ends by itself writes it down.
			NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled'),
			N8N_PORT: String(ownPort),
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			...(role === 'worker' && {
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(ownPort),
				N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			}),
			...env,
		},
	});
	const url = `http://127.0.0.1:${ownPort}`;
	await untilServing(child, {
		name: role === 'start' ? 'n8n' : `n8n's ${role} process`,
		isServing: async () => await isServing(url, role),
		limitMs: START_MS,
		signal,
	});
	return { ...child, url };
}

/** The environment without settings of another n8n. */
function withoutN8n(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(env).filter(
			([name]) => !/^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_|CREDENTIALS_|NODE_OPTIONS)/.test(name),
		),
	);
}

/** True once it works; of the main process, once it has its API. */
async function isServing(url: string, role: N8nRole): Promise<boolean> {
	const path = role === 'start' ? '/rest/login' : '/healthz/readiness';
	const signal = AbortSignal.timeout(5000);
	const answer = await fetch(`${url}${path}`, { signal }).catch(() => undefined);
	// Only the API says that there is no owner yet.
	return role === 'start' ? answer?.status === 401 : answer?.ok === true;
}
