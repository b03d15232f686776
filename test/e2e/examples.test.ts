/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { INode } from 'n8n-workflow';

import { ROOT } from '../../dev/base/project';
import { exampleFiles, readExample } from '../../dev/base/workflows';
import { fillAccount } from '../../dev/n8n/sampleAccount';
import { itemsOf, OFTEN } from '../helpers/n8nWorkflows';
import { MP4, PNG, sendForm, useRecipes } from './recipeHost';

const { host, imported, run, succeeded, beginningOf, activated, firstExecution } = useRecipes();

test('every example is run by a test of this folder', () => {
	const folder = join(ROOT, 'test', 'e2e');
	const tests = readdirSync(folder)
		.map((name) => readFileSync(join(folder, name), 'utf8'))
		.join();
	expect(exampleFiles().filter((file) => !tests.includes(`'${file}`))).toEqual([]);
});

/** Run by the Execute button: the node to look at, its file's beginning or a member of its item, and how many items it gives if not one. */
const BY_HAND: Record<string, [node: string, wanted: RegExp | string, count?: number]> = {
	'ask-a-language-model.json': ['Generate text', 'text'],
	'balance-guard.json': ['Generate an image', PNG],
	'batch-of-prompts.json': ['Generate an image', PNG, 6],
	'image-to-video.json': ['Generate a video', MP4],
	'published-workflow.json': ['Segmind Workflow', 'outputs'],
	'scale-endpoint-on-schedule.json': ['Scale Up', 'updated'],
	'text-to-image.json': ['Generate an image', PNG],
	'use-fine-tuned-model.json': ['Run any model', PNG],
};

test.each(Object.entries(BY_HAND))('%s', async (file, [name, wanted, count = 1]) => {
	const items = itemsOf(await run(await imported(file)), name);
	expect(items).toHaveLength(count);
	for (const item of items)
		if (typeof wanted === 'string') expect(item.json).toHaveProperty(wanted);
		else expect(await beginningOf(item)).toMatch(wanted);
});

/** The loops, with waits that n8n does not park. */
const SHORT_WAIT = { Wait: { amount: 0.5, unit: 'seconds' } };
/** Parameters of the node that bounds a loop, with 1 in the place of 50 rounds. */
function oneRoundMore(file: string, name: string): Partial<INode['parameters']> {
	const bounding = readExample(file).nodes.find((one) => one.name === name) as INode;
	const text = JSON.stringify(bounding.parameters);
	expect(text).toMatch(/\b50\b/);
	return JSON.parse(text.replace(/\b50\b/, '1')) as INode['parameters'];
}

test.each([
	['long-job.json', 'Check Again?', 1],
	['long-jobs-batch.json', 'All Ended?', 3],
])('%s ends after its last round, with what is unfinished', async (file, bounding, count) => {
	const { emulator } = host.it;
	emulator.set({ jobMs: 3_600_000 });
	const changes = { ...SHORT_WAIT, [bounding]: oneRoundMore(file, bounding) };
	const execution = await run(await imported(file, changes));
	expect(execution.data.resultData.runData['Get Result']).toHaveLength(2);
	const ids = itemsOf(execution, 'Gave Up').map(({ json }) => json.request_id);
	expect(ids).toHaveLength(count);
	expect(ids.sort()).toEqual(emulator.jobs.map(({ requestId }) => requestId).sort());
});

test('long-job.json goes round until the video is there', async () => {
	host.it.emulator.set({ jobMs: 3000 });
	const execution = await run(await imported('long-job.json', SHORT_WAIT));
	const [item] = itemsOf(execution, 'Finished');
	expect(await beginningOf(item)).toMatch(MP4);
	expect(item.json.request_id).toBe(host.it.emulator.jobs[0].requestId);
	expect(execution.data.resultData.runData['Get Result'].length).toBeGreaterThan(1);
	expect(host.it.emulator.jobs).toHaveLength(1);
});

test('long-job.json: a request that fails while it goes round leaves through the error output', async () => {
	host.it.emulator.set({ jobMs: 3000, failJobs: 'all' });
	const execution = await run(await imported('long-job.json', SHORT_WAIT));
	const { requestId } = host.it.emulator.jobs[0];
	const error = { request_id: requestId, status: 'FAILED' };
	expect(itemsOf(execution, 'Failed')).toMatchObject([{ json: { error } }]);
	expect(itemsOf(execution, 'Finished')).toEqual([]);
});

test('long-jobs-batch.json goes on together when all have ended, in order, with what finished in any round, also when the last one fails', async () => {
	const { emulator } = host.it;
	emulator.set({ jobMs: (_model, _input, index) => [2000, 100, 4000][index], failJobs: [2] });
	const execution = await run(await imported('long-jobs-batch.json', SHORT_WAIT));
	const { runData } = execution.data.resultData;
	expect(runData['Go On Together']).toHaveLength(1);
	expect(runData['Get Result'].length).toBeGreaterThan(2);
	const together = itemsOf(execution, 'Go On Together');
	for (const item of together) expect(await beginningOf(item)).toMatch(MP4);
	const submitted = itemsOf(execution, 'Submit').map(({ json }) => json.request_id);
	const failed = emulator.jobs[2].requestId;
	expect(together.map(({ json }) => json.request_id)).toEqual(
		submitted.filter((one) => one !== failed),
	);
	expect(itemsOf(execution, 'Failed')).toMatchObject([{ json: { error: { request_id: failed } } }]);
	expect(itemsOf(execution, 'Gave Up')).toEqual([]);
	expect(emulator.jobs).toHaveLength(3);
});

test('rotate-api-key.json, its form filled in', async () => {
	const workflow = await imported('rotate-api-key.json');
	const id = await host.it.api.run(workflow);
	const waiting = await host.it.api.ended(id, ['waiting']);
	expect(waiting.status).toBe('waiting');
	const { resumeToken } = waiting.data as unknown as { resumeToken?: string };
	const signature = resumeToken ? `?signature=${resumeToken}` : '';
	await sendForm(`${host.it.api.url}/form-waiting/${id}${signature}`, { 'field-0': 'done' });
	await succeeded(id);
	expect(host.it.emulator.apiKeys.map(({ name }) => name)).toEqual(['Default', 'n8n']);
});

test('fine-tune-finished.json, called at its production URL', async () => {
	const { api, emulator } = host.it;
	const workflow = await imported('fine-tune-finished.json');
	emulator.registerWebhook(`${await activated(workflow, 'webhook')}/webhook`);
	await fillAccount(emulator);
	const { id, mode } = await firstExecution(workflow);
	expect(mode).toBe('webhook');
	expect(emulator.deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
	const [picture] = itemsOf(await succeeded(id), 'First Picture');
	expect(await beginningOf(picture)).toMatch(PNG);
	await pause(500);
	expect(await api.executions(workflow.id)).toHaveLength(1);
});

test('notify-when-finished.json, activated and fired by its poller', async () => {
	const workflow = await imported('notify-when-finished.json', {
		'Segmind Trigger': { pollTimes: OFTEN },
		Send: { url: 'https://slack.com/api/chat.postMessage' },
	});
	await activated(workflow, 'webhook');
	await run(await imported('text-to-image.json'));
	const { id, mode } = await firstExecution(workflow);
	expect(mode).toBe('trigger');
	expect(itemsOf(await succeeded(id), 'Segmind Trigger')).toHaveLength(1);
	const [{ text }] = host.it.services.messages as Array<{ text: string }>;
	expect(text).toMatch(/nano-banana has finished/);
});
