/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { request } from 'undici';

import type { Call, CallKind, Emulator, JobView, Orders } from './index';

type Connection = Pick<Emulator, 'urls' | 'credentials' | 'session' | 'key'>;

/** An emulator in a process of its own, controlled over HTTP. */
export type RemoteEmulator = Awaited<ReturnType<typeof startRemoteEmulator>>;

const PROCESS_FILE = join(__dirname, 'remoteProcess.ts');

/** Starts an emulator in a process of its own. `always`: orders that every `begin` sets. */
export async function startRemoteEmulator(always: Partial<Orders> = {}) {
	const child = fork(PROCESS_FILE, { execArgv: ['--import', 'tsx'] });
	const [connection] = (await once(child, 'message')) as [Connection];
	const control = async (path: string, body?: object): Promise<unknown> => {
		const { statusCode, body: response } = await request(
			`${connection.urls.api}/__control/${path}`,
			{
				method: body ? 'POST' : 'GET',
				// The emulator's reset would cut a connection that is kept open.
				reset: true,
				...(body && {
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify(body),
				}),
			},
		);
		if (statusCode !== 200)
			throw new Error(`The emulator rejected the orders: ${await response.text()}`);
		return await response.json();
	};
	return {
		...connection,
		/** Resets the emulator, then sets these orders in addition to `always`. */
		async begin(orders: Partial<Orders>) {
			await control('reset', {});
			await control('set', { ...always, ...orders });
		},
		set: async (orders: Partial<Orders>) => await control('set', orders),
		/** Reads the calls and jobs since the last `begin`. `count` counts the calls of some kinds. */
		async readState() {
			const { calls, jobs } = (await control('state')) as { calls: Call[]; jobs: JobView[] };
			const count = (...kinds: CallKind[]) =>
				calls.filter(({ kind }) => kinds.includes(kind)).length;
			return { calls, jobs, count };
		},
		async stop() {
			const ended = once(child, 'exit');
			child.kill();
			await ended;
		},
	};
}
