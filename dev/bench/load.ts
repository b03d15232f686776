import { Agent, request, type Dispatcher } from 'undici';

import type { RemoteEmulator } from '../emulator/remote';
import { MODEL } from './workflows';

/** Load that is not the measured node's: undici makes it, from the process that directs the benchmarks. */

const CONNECTIONS = 20;

/** Submits this many jobs. Gives their ids, in no order. */
export async function submitted(
	emulator: RemoteEmulator,
	count: number,
	model = MODEL,
): Promise<string[]> {
	const ids: string[] = [];
	await drive(emulator, count, 'kept', async (send) => {
		const answer = await send(`/v2/${model}`, { prompt: 'load' });
		ids.push((answer as { request_id: string }).request_id);
	});
	return ids;
}

/** How a client treats its connections: n8n's HTTP helpers open one a call. */
export type Connections = 'kept' | 'opened';

/** How many status calls the emulator answers in a second when nobody else asks. */
export async function callsPerSecond(
	emulator: RemoteEmulator,
	id: string,
	calls: number,
	connections: Connections,
): Promise<number> {
	const startedAt = performance.now();
	await drive(emulator, calls, connections, async (send) => {
		await send(`/v2/requests/${id}/status`);
	});
	return (calls / (performance.now() - startedAt)) * 1_000;
}

type Send = (path: string, body?: object) => Promise<unknown>;

async function drive(
	{ urls, key }: RemoteEmulator,
	count: number,
	connections: Connections,
	call: (send: Send) => Promise<void>,
): Promise<void> {
	const agent: Dispatcher = new Agent({ connections: CONNECTIONS });
	const send: Send = async (path, body) => {
		const answer = await request(urls.api + path, {
			dispatcher: agent,
			method: body ? 'POST' : 'GET',
			reset: connections === 'opened',
			headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
			...(body && { body: JSON.stringify(body) }),
		});
		if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`);
		return await answer.body.json();
	};
	let next = 0;
	const worker = async () => {
		while (next++ < count) await call(send);
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, worker));
	await agent.close();
}
