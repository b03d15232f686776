/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { request } from 'undici';

import type { Call, CallKind, Emulator, JobView, Orders } from './index';

type Told = Pick<Emulator, 'urls' | 'credentials' | 'session' | 'key'>;

/** The emulator in a process of its own, ordered over its control path. */
export type RemoteEmulator = Awaited<ReturnType<typeof startRemoteEmulator>>;

const PROCESS = join(__dirname, 'remoteProcess.ts');

/** Starts an emulator in a process of its own. `always`: orders that every `begin` repeats. */
export async function startRemoteEmulator(always: Partial<Orders> = {}) {
	const child = fork(PROCESS, { execArgv: ['--import', 'tsx'] });
	const [told] = (await once(child, 'message')) as [Told];
	const control = async (path: string, body?: object): Promise<unknown> => {
		const { statusCode, body: answer } = await request(`${told.urls.api}/__control/${path}`, {
			method: body ? 'POST' : 'GET',
			// Its reset cuts connections that are kept.
			reset: true,
			...(body && {
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			}),
		});
		if (statusCode !== 200) throw new Error(`The emulator refused: ${await answer.text()}`);
		return await answer.json();
	};
	return {
		...told,
		/** Forgets everything, then takes these orders on top of those it was started with. */
		async begin(orders: Partial<Orders>) {
			await control('reset', {});
			await control('set', { ...always, ...orders });
		},
		set: async (orders: Partial<Orders>) => await control('set', orders),
		/** What it saw since the last `begin`. */
		async seen() {
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
