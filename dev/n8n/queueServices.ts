/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run } from '../base/run';
import { freePort, startChild, succeeds, untilServing, type User } from './childProcess';
import { ensureDebianPackages } from './debianPackages';
import type { Endings } from './endings';

const POSTGRES = '/usr/lib/postgresql';
const REDIS = '/usr/bin/redis-server';
/** How long one of them may take to start, ms. */
const START_MS = 60_000;

/** What queue mode needs, from Debian's packages. @throws Error with a sentence when something is missing and cannot be installed */
export async function preparedServices(say: (line: string) => void): Promise<void> {
	const packages = [
		{ name: 'postgresql', isThere: () => newestPostgres() !== undefined },
		{ name: 'redis-server', isThere: () => existsSync(REDIS) },
	];
	await ensureDebianPackages(packages, say);
}

/**
 * Starts both for us alone, beside those the system may run: PostgreSQL on a socket in a folder of its own, Redis on loopback.
 * Gives what tells n8n where they are. What they hold is lost with them.
 */
export async function startQueueServices(endings: Endings): Promise<Record<string, string>> {
	return { ...(await startPostgres(endings)), ...(await startRedis(endings)) };
}

async function startPostgres(endings: Endings): Promise<Record<string, string>> {
	const programs = join(POSTGRES, newestPostgres() ?? '', 'bin');
	// A name in the folder instead of a port, so that it's unique.
	const port = '5432';
	const user = ordinaryUser();
	const folder = await newFolder(endings, user);
	const data = join(folder, 'data');
	const env = { ...process.env, LC_ALL: 'C.UTF-8' };
	// Anybody who reaches the socket may connect: only root and its own user can.
	const words = ['-D', data, '-U', 'n8n', '--auth=trust', '--encoding=UTF8', '--no-sync'];
	await run(join(programs, 'initdb'), words, { cwd: folder, env, ...user });
	const server = startChild({
		file: join(programs, 'postgres'),
		// Nothing needs to survive a power failure.
		words: ['-D', data, '-k', folder, '-p', port, '-c', 'listen_addresses=', '-c', 'fsync=off'],
		cwd: folder,
		env,
		user,
	});
	endings.push(async () => await server.stop());
	await untilServing(server, {
		name: 'PostgreSQL',
		isServing: async () => await succeeds(join(programs, 'pg_isready'), ['-h', folder, '-p', port]),
		limitMs: START_MS,
	});
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: folder,
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_DATABASE: 'postgres',
	};
}

async function startRedis(endings: Endings): Promise<Record<string, string>> {
	const port = String(await freePort(0));
	const folder = await newFolder(endings);
	const server = startChild({
		file: REDIS,
		words: ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', folder],
		cwd: folder,
		env: process.env,
	});
	endings.push(async () => await server.stop());
	await untilServing(server, {
		name: 'Redis',
		isServing: async () => await succeeds('redis-cli', ['-p', port, 'ping']),
		limitMs: START_MS,
	});
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port };
}

/** Version of the newest PostgreSQL that Debian's packages brought. */
function newestPostgres(): string | undefined {
	if (!existsSync(POSTGRES)) return undefined;
	return readdirSync(POSTGRES)
		.filter((version) => existsSync(join(POSTGRES, version, 'bin', 'initdb')))
		.sort((one, other) => Number(other) - Number(one))[0];
}

/** PostgreSQL doesn't run as root; its package creates a user for it. Undefined means our own user. */
function ordinaryUser(): User | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const number = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString());
	return { uid: number('-u'), gid: number('-g') };
}

/** Only its owner can enter. */
async function newFolder(endings: Endings, user?: User): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'segmind-queue-'));
	endings.push(async () => await rm(folder, { recursive: true, force: true }));
	if (user) await chown(folder, user.uid, user.gid);
	return folder;
}
