/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run } from '../base/run';
import { findFreePort, startChild, succeeds, waitUntilServing, type User } from './childProcess';
import { ensureDebianPackages } from './debianPackages';
import type { Cleanups } from './cleanups';

const POSTGRES = '/usr/lib/postgresql';
const REDIS = '/usr/bin/redis-server';
/** How long a service may take to start. */
const START_MS = 60_000;

/** Installs the Debian packages that queue mode needs. @throws Error with a sentence if one is missing and can't be installed */
export async function ensureQueueServices(say: (line: string) => void): Promise<void> {
	const packages = [
		{ name: 'postgresql', isInstalled: () => newestPostgres() !== undefined },
		{ name: 'redis-server', isInstalled: () => existsSync(REDIS) },
	];
	await ensureDebianPackages(packages, say);
}

/**
 * Starts a PostgreSQL server on a socket in a temporary folder, and a Redis server on loopback. Returns the environment variables that tell n8n
 * where the servers are. `cleanups` end them and delete their data.
 */
export async function startQueueServices(cleanups: Cleanups): Promise<Record<string, string>> {
	return { ...(await startPostgres(cleanups)), ...(await startRedis(cleanups)) };
}

async function startPostgres(cleanups: Cleanups): Promise<Record<string, string>> {
	const programs = join(POSTGRES, newestPostgres() ?? '', 'bin');
	// The port is only part of the socket's file name in this folder, so it can't conflict with another server's port.
	const port = '5432';
	const user = ordinaryUser();
	const folder = await newFolder(cleanups, user);
	const data = join(folder, 'data');
	const env = { ...process.env, LC_ALL: 'C.UTF-8' };
	// No password is needed, because only root and the server's user can reach the socket.
	const args = ['-D', data, '-U', 'n8n', '--auth=trust', '--encoding=UTF8', '--no-sync'];
	await run(join(programs, 'initdb'), args, { cwd: folder, env, ...user });
	const server = startChild({
		file: join(programs, 'postgres'),
		// fsync is off, because the data needn't survive a power failure.
		args: ['-D', data, '-k', folder, '-p', port, '-c', 'listen_addresses=', '-c', 'fsync=off'],
		cwd: folder,
		env,
		user,
	});
	cleanups.push(async () => await server.stop());
	await waitUntilServing(server, {
		name: 'PostgreSQL',
		isServing: async () => await succeeds(join(programs, 'pg_isready'), ['-h', folder, '-p', port]),
		timeoutMs: START_MS,
	});
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: folder,
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_DATABASE: 'postgres',
	};
}

async function startRedis(cleanups: Cleanups): Promise<Record<string, string>> {
	const port = String(await findFreePort(0));
	const folder = await newFolder(cleanups);
	const server = startChild({
		file: REDIS,
		args: ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', folder],
		cwd: folder,
		env: process.env,
	});
	cleanups.push(async () => await server.stop());
	await waitUntilServing(server, {
		name: 'Redis',
		isServing: async () => await succeeds('redis-cli', ['-p', port, 'ping']),
		timeoutMs: START_MS,
	});
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port };
}

/** Returns the newest installed version of PostgreSQL. */
function newestPostgres(): string | undefined {
	if (!existsSync(POSTGRES)) return undefined;
	return readdirSync(POSTGRES)
		.filter((version) => existsSync(join(POSTGRES, version, 'bin', 'initdb')))
		.sort((one, other) => Number(other) - Number(one))[0];
}

/** Returns the user that PostgreSQL's package creates if this process is root, because PostgreSQL doesn't run as root. Undefined means the current user. */
function ordinaryUser(): User | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const number = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString());
	return { uid: number('-u'), gid: number('-g') };
}

/** Creates a temporary folder that only its owner can open. */
async function newFolder(cleanups: Cleanups, user?: User): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'segmind-queue-'));
	cleanups.push(async () => await rm(folder, { recursive: true, force: true }));
	if (user) await chown(folder, user.uid, user.gid);
	return folder;
}
