/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { run } from '../base/run';

/** How long a process may take to end before it's killed. */
const STOP_MS = 15_000;

/** A server program that this process started. */
export interface Child {
	pid: number;
	/** Returns everything that the program has printed so far. */
	output(): string;
	/** Sends SIGTERM, and waits until the program has ended. */
	stop(): Promise<void>;
	/** Kills the program, like a crash. */
	kill(): Promise<void>;
	/** Resolves when the program has ended, whatever the reason. */
	ended: Promise<void>;
}

interface ChildOptions {
	file: string;
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** The system user that runs the program; by default, the user of this process. */
	user?: User;
}

/** The IDs of a system user. */
export interface User {
	uid: number;
	gid: number;
}

/** Starts a program, which ends when this process ends at the latest. */
export function startChild({ file, args, cwd, env, user }: ChildOptions): Child {
	const [command, ...rest] = [...dieWithParentPrefix(), file, ...args];
	const child = spawn(command, rest, {
		cwd,
		stdio: ['ignore', 'pipe', 'pipe'],
		// The program gets its own process group. So Ctrl-C reaches only this process, which then ends the program properly.
		detached: process.platform !== 'win32',
		env,
		...user,
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
	const onExit = () => killGroup(child);
	process.once('exit', onExit);
	void ended.then(() => process.off('exit', onExit));
	return {
		pid: child.pid ?? 0,
		output: () => printed,
		ended,
		async stop() {
			child.kill('SIGTERM');
			const killTimer = setTimeout(() => killGroup(child), STOP_MS);
			await ended;
			clearTimeout(killTimer);
		},
		async kill() {
			killGroup(child);
			await ended;
		},
	};
}

interface ServingCheck {
	/** The program's name, for the error. */
	name: string;
	isServing: () => Promise<boolean>;
	timeoutMs: number;
	/** Aborting the signal ends the wait. */
	signal?: AbortSignal;
}

/** Resolves when a program is serving. @throws Error with the program's last output if it ends, or if it takes too long, in which case it's killed */
export async function waitUntilServing(
	child: Child,
	{ name, isServing, timeoutMs, signal }: ServingCheck,
) {
	const startedAt = Date.now();
	while (!(await isServing())) {
		const hasEnded = await Promise.race([child.ended.then(() => true), pause(250, false)]);
		if (signal?.aborted) await child.kill();
		signal?.throwIfAborted();
		if (hasEnded || Date.now() - startedAt > timeoutMs) {
			await child.kill();
			const why = hasEnded ? 'ended instead of starting' : 'did not start in time';
			throw new Error(`${name} ${why}; it printed:\n${child.output().slice(-3000)}`);
		}
	}
}

/** Whether a program exits with success. */
export async function succeeds(file: string, args: string[]): Promise<boolean> {
	return await run(file, args).then(
		() => true,
		() => false,
	);
}

/**
 * The next port to try. Ports are below those that systems use for outgoing connections and for "any port" (Linux from 32768), so that nothing else
 * takes a port between `findFreePort` and the start of the program. The first port depends on the process ID, so that processes rarely collide.
 */
let nextPort = 10_000 + (process.pid % 400) * 50;

/** Returns the given port, or a free one for 0. @throws the system's error if the given port is in use */
export async function findFreePort(port: number): Promise<number> {
	if (port !== 0) {
		await listenOnce(port);
		return port;
	}
	for (;;) {
		const candidate = nextPort++;
		const isFree = await listenOnce(candidate).then(
			() => true,
			() => false,
		);
		if (isFree) return candidate;
	}
}

/** Listens on a port for a moment. @throws the system's error if the port is in use */
async function listenOnce(port: number): Promise<void> {
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening');
	server.close();
	await once(server, 'close');
}

let cachedPrefix: string[] | undefined;

/** Returns arguments to put before a command, with which Linux kills the program if this process is killed. Without setpriv, there are none. */
function dieWithParentPrefix(): string[] {
	const args = ['setpriv', '--pdeathsig', 'KILL'];
	cachedPrefix ??= spawnSync(args[0], [...args.slice(1), 'true']).status === 0 ? args : [];
	return cachedPrefix;
}

/** Kills a process and the processes that it started, such as n8n's task runner. */
function killGroup(child: ChildProcess): void {
	if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
	try {
		if (process.platform === 'win32') child.kill('SIGKILL');
		else process.kill(-child.pid, 'SIGKILL');
	} catch {
		// It has ended in the meantime.
	}
}
