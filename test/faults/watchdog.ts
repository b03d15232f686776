/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { Worker } from 'node:worker_threads';

/** The longest that one run may take, in real time: many times what the slowest one takes on a busy computer. */
const MAX_RUN_MS = 180_000;

/** Runs in a thread of its own. It writes to the file descriptor, because the main thread can't pass output on while it's busy. */
const CODE = `
	let timer;
	require('node:worker_threads').parentPort.on('message', (text) => {
		clearTimeout(timer);
		if (text === undefined) return;
		timer = setTimeout(() => {
			require('node:fs').writeSync(2, text + '\\n');
			process.kill(process.pid, 'SIGKILL');
		}, ${MAX_RUN_MS});
	});`;

/**
 * Kills this process if a run takes too long: nothing else ends a loop that waits neither for a timer nor for a call. Virtual time that goes on forever
 * fails by itself (`useVirtualTime`). `describe` returns what is printed before.
 */
export class Watchdog {
	private readonly thread = new Worker(CODE, { eval: true });

	async watch<T>(run: () => Promise<T> | T, describe: () => string): Promise<T> {
		this.thread.postMessage(describe());
		try {
			return await run();
		} finally {
			this.thread.postMessage(undefined);
		}
	}

	async end(): Promise<void> {
		await this.thread.terminate();
	}
}
