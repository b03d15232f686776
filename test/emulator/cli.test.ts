/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- runs the command as a user does */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
import { until } from '../helpers/until';

function start(...args: string[]): { child: ChildProcessWithoutNullStreams; output(): string } {
	const child = spawn(
		process.execPath,
		['--import', 'tsx', join(ROOT, 'dev/emulator/cli.ts'), ...args],
		{ cwd: ROOT },
	);
	let output = '';
	child.stdout.on('data', (text: Buffer) => (output += text.toString()));
	child.stderr.on('data', (text: Buffer) => (output += text.toString()));
	return { child, output: () => output };
}

test('prints the credential, serves calls, accepts orders over HTTP, and exits on Ctrl-C', async () => {
	const { child, output } = start('--port', '0', '--job-seconds', '0');
	await until(() => output().includes('Ctrl-C'));
	const key = /API Key +(\S+)/.exec(output())![1];
	const baseUrl = /Base URL +(\S+)/.exec(output())![1];
	const response = await fetch(`${baseUrl}/v1/get-user-credits`, { headers: { 'x-api-key': key } });
	expect(response.status).toBe(200);
	const headers = { 'content-type': 'application/json' };
	const control = async (name: string, body?: object) => {
		const method = body ? 'POST' : 'GET';
		const init = { method, body: JSON.stringify(body), headers };
		return await fetch(`${baseUrl}/__control/${name}`, init);
	};
	expect((await control('set', { jobsMs: 1 })).status).toBe(400);
	expect((await control('set', { jobMs: 7 })).status).toBe(200);
	expect(await (await control('state')).json()).toMatchObject({ orders: { jobMs: 7 }, leaks: [] });
	child.kill('SIGINT');
	expect(await once(child, 'exit')).toEqual([0, null]);
});
