/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { run } from '../base/run';

/** How long a process may take to end before it is killed, ms. */
const STOP_MS = 15_000;

/** A program of ours that serves something. */
export interface Child {
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

interface ChildOptions {
	file: string;
	words: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** The system user that runs it; by default ours. */
	user?: User;
}

/** Numbers of a user of the system. */
export interface User {
	uid: number;
	gid: number;
}

/** Starts a program, which ends with us at the latest. */
export function startChild({ file, words, cwd, env, user }: ChildOptions): Child {
	const [command, ...rest] = [...endingWithUs(), file, ...words];
	const child = spawn(command, rest, {
		cwd,
		stdio: ['ignore', 'pipe', 'pipe'],
		// A group of its own: Ctrl-C reaches us alone, and we end it in order.
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
	// It ends with this process.
	const onExit = () => killGroup(child);
	process.once('exit', onExit);
	void ended.then(() => process.off('exit', onExit));
	return {
		pid: child.pid ?? 0,
		output: () => printed,
		ended,
		async stop() {
			child.kill('SIGTERM');
			const late = setTimeout(() => killGroup(child), STOP_MS);
			await ended;
			clearTimeout(late);
		},
		async kill() {
			killGroup(child);
			await ended;
		},
	};
}

interface Serving {
	/** For the error: "n8n". */
	name: string;
	isServing: () => Promise<boolean>;
	limitMs: number;
	/** Ends the start. */
	signal?: AbortSignal;
}

/**
 * Resolves when it serves. @throws Error with the last lines it printed, when it ends before or takes too long; it is ended then
 */
export async function untilServing(child: Child, { name, isServing, limitMs, signal }: Serving) {
	const startedAt = Date.now();
	while (!(await isServing())) {
		const over = await Promise.race([child.ended.then(() => true), pause(250, false)]);
		if (signal?.aborted) await child.kill();
		signal?.throwIfAborted();
		if (over || Date.now() - startedAt > limitMs) {
			await child.kill();
			const why = over ? 'ended instead of starting' : 'did not start in time';
			throw new Error(`${name} ${why}; it printed:\n${child.output().slice(-3000)}`);
		}
	}
}

/** Whether a program that checks another one succeeds. */
export async function succeeds(file: string, words: string[]): Promise<boolean> {
	return await run(file, words).then(
		() => true,
		() => false,
	);
}

/**
 * The first port of this process, which gives out one after the other. They are below the ports that systems use for outgoing connections and for
 * "any port" (Linux from 32768), so that nothing else takes one before the program that it is for has started.
 */
let nextPort = 10_000 + (process.pid % 400) * 50;

/** Returns the given port, or a free one for 0. @throws the system's error if the given port is in use */
export async function freePort(port: number): Promise<number> {
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

/** Listens on a port for a moment. @throws the system's error if it is in use */
async function listenOnce(port: number): Promise<void> {
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening');
	server.close();
	await once(server, 'close');
}

let prefix: string[] | undefined;

/** What to put before a command so that the system ends it when we are killed and can do nothing any more; Linux only. */
function endingWithUs(): string[] {
	const words = ['setpriv', '--pdeathsig', 'KILL'];
	prefix ??= spawnSync(words[0], [...words.slice(1), 'true']).status === 0 ? words : [];
	return prefix;
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
