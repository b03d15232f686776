/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';

import { ROOT } from '../../dev/base/project';
import { OWNER } from '../../dev/n8n/n8nApi';
import {
	becomes,
	complaintsOf,
	execute,
	field,
	inPage,
	launchBrowser,
	nodeNamed,
	openPanel,
	pictureWidth,
} from './editor';

let browser: Browser;
let editor: ChildProcess;
let greeting = '';
beforeAll(async () => {
	browser = await launchBrowser();
	editor = spawn(
		process.execPath,
		['--import', 'tsx', join('dev', 'n8n', 'editor.ts'), '--port', '0', '--job-seconds', '2'],
		{ cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
	);
	for await (const chunk of editor.stdout ?? []) {
		greeting += String(chunk);
		if (greeting.includes('Ctrl-C ends')) break;
	}
	if (!greeting.includes('Ctrl-C ends')) throw new Error(`no greeting, but:\n${greeting}`);
}, 300_000);
afterAll(async () => {
	await browser?.close();
	editor.kill('SIGTERM');
	if (editor.exitCode === null) await once(editor, 'exit');
}, 60_000);

/** What n8n's own code complains of, whatever the nodes: the first call before signing in, and a workflow opened right after it. */
const ITS_OWN = /401 \(Unauthorized\).*\/rest\/login|injectNDVStore\(\) was accessed/;

test.each([
	['text to image', 'picture'],
	['image to video', 'video'],
])('npm run editor: open "%s", sign in, execute, and see the %s', async (example, made) => {
	const [, origin] = /Editor +(\S+)/.exec(greeting) ?? [];
	const [, address] = new RegExp(`Segmind: ${example} +(\\S+)`).exec(greeting) ?? [];
	await inPage(browser, {}, async (page) => {
		const complaints = complaintsOf(page, origin);
		await page.goto(address);
		await page.locator('input[type=email]').fill(OWNER.email);
		await page.locator('input[type=password]').fill(OWNER.password);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await nodeNamed(page, 'Segmind Inference').waitFor();
		await execute(page);
		const output = page.getByTestId('output-panel');
		await openPanel(page, 'Segmind Inference');
		// By the time that the real video model takes, the first status check would come after 19 s.
		const interval = field(page, 'pollIntervalSeconds').locator('input').first();
		await becomes(async () => await interval.inputValue(), '1');
		await output.getByTestId('ndv-view-binary-data').click();
		if (made === 'picture') expect(await pictureWidth(output)).toBeGreaterThan(100);
		else await output.locator('video').waitFor();
		expect(complaints.filter((complaint) => !ITS_OWN.test(complaint))).toEqual([]);
	});
});
