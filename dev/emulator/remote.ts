/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { request } from 'undici';

import type { Call, CallKind, Emulator, JobView, Orders } from './index';

/** What the emulator saw since the last `begin`. */
interface Seen {
	calls: Call[];
	jobs: JobView[];
	count(...kinds: CallKind[]): number;
}

/** The emulator in a process of its own, ordered over its control path. */
export interface RemoteEmulator extends Pick<Emulator, 'urls' | 'credentials' | 'session' | 'key'> {
	/** Forgets everything, then takes these orders on top of those it was started with. */
	begin(orders: Partial<Orders>): Promise<void>;
	set(orders: Partial<Orders>): Promise<void>;
	seen(): Promise<Seen>;
	stop(): Promise<void>;
}

const PROCESS = join(__dirname, 'remoteProcess.ts');

/** Starts an emulator whose memory and processor time are not ours. `always`: orders that every `begin` gives again. */
export async function startRemoteEmulator(always: Partial<Orders> = {}): Promise<RemoteEmulator> {
	const child = fork(PROCESS, { execArgv: ['--import', 'tsx'] });
	const [told] = (await once(child, 'message')) as [
		Pick<Emulator, 'urls' | 'credentials' | 'session' | 'key'>,
	];
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
		async begin(orders) {
			await control('reset', {});
			await control('set', { ...always, ...orders });
		},
		async set(orders) {
			await control('set', orders);
		},
		async seen() {
			const { calls, jobs } = (await control('state')) as Pick<Seen, 'calls' | 'jobs'>;
			return {
				calls,
				jobs,
				count: (...kinds) => calls.filter(({ kind }) => kinds.includes(kind)).length,
			};
		},
		async stop() {
			// What was uploaded lies on disk.
			await control('reset', {});
			const ended = once(child, 'exit');
			child.kill();
			await ended;
		},
	};
}
