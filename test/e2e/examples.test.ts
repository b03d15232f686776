/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import type { INode, INodeExecutionData } from 'n8n-workflow';

import { exampleFiles, readExample } from '../../dev/base/workflows';
import type { Execution, SavedWorkflow } from '../../dev/n8n/n8nApi';
import { fillAccount, type Furnishing } from '../../dev/n8n/sampleAccount';
import { firstExecution, importedExample, succeeded as ended } from './importedExample';
import { itemsOf } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();
const EXAMPLES = Object.fromEntries(exampleFiles().map((file) => [file, readExample(file)]));

let furnishing: Furnishing;
/** What workflows sent to the chat of notify-when-finished. */
const messages: string[] = [];
let chat: Server;

beforeAll(async () => {
	chat = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk) => (body += chunk));
		request.on('end', () => {
			messages.push(body);
			response.end('{}');
		});
	}).listen(0, '127.0.0.1');
});
afterAll(() => chat?.close());
beforeEach(async () => {
	host.it.emulator.reset();
	furnishing = await fillAccount(host.it.emulator);
});

const imported = async (file: string, change: Record<string, Partial<INode['parameters']>> = {}) =>
	await importedExample(host.it, file, furnishing, change);
const succeeded = async (id: string) => await ended(host.it, id);

/** The first bytes of an item's file, as n8n's binary route gives them. */
async function beginningOf(item: INodeExecutionData | undefined): Promise<string> {
	const { id } = item?.binary?.data ?? {};
	const bytes = await host.it.api.download(`/rest/binary-data?id=${id}&action=view`);
	return bytes.toString('latin1', 0, 12);
}

const PNG = /^.PNG/;
const MP4 = /^.{4}ftyp/s;

test('every example is known to this test', () => {
	expect(Object.keys(EXAMPLES).sort()).toEqual(
		[...Object.keys(BY_HAND), ...OTHERWISE, ...STUDIO, 'batch-of-prompts.json'].sort(),
	);
});

/** Run by the Execute button: the node to look at, and its file's beginning or a member of its item. */
const BY_HAND: Record<string, [node: string, wanted: RegExp | string]> = {
	'ask-a-language-model.json': ['Generate text', 'text'],
	'balance-guard.json': ['Generate an image', PNG],
	'image-to-video.json': ['Generate a video', MP4],
	'published-workflow.json': ['Segmind Workflow', 'outputs'],
	'scale-endpoint-on-schedule.json': ['Scale Up', 'updated'],
	'text-to-image.json': ['Generate an image', PNG],
	'use-fine-tuned-model.json': ['Run any model', PNG],
};
/** Have a test of their own, here or in recipes.test.ts, tableRecipe.test.ts and survival.test.ts. */
const OTHERWISE = [
	'fine-tune-finished.json',
	'form-to-picture.json',
	'long-job.json',
	'long-jobs-batch.json',
	'notify-when-finished.json',
	'product-photo-to-slack.json',
	'rotate-api-key.json',
	'sheet-to-drive.json',
	'submit-and-fetch-later.json',
	'table-of-prompts.json',
	'webhook-to-picture.json',
];

/** In studioRecipes.test.ts. */
const STUDIO = [
	'approve-then-generate.json',
	'chat-with-pictures.json',
	'film-from-clips.json',
	'long-text-to-speech.json',
	'nightly-spend-report.json',
	'same-character.json',
];

test.each(Object.entries(BY_HAND))('%s', async (file, [name, wanted]) => {
	const workflow = await imported(file);
	const execution = await succeeded(await host.it.api.run(workflow));
	const items = itemsOf(execution, name);
	expect(items).toHaveLength(1);
	if (typeof wanted === 'string') expect(items[0].json).toHaveProperty(wanted);
	else expect(await beginningOf(items[0])).toMatch(wanted);
});

test('batch-of-prompts.json', async () => {
	const execution = await succeeded(await host.it.api.run(await imported('batch-of-prompts.json')));
	const items = itemsOf(execution, 'Generate an image');
	expect(items).toHaveLength(6);
	for (const item of items) expect(await beginningOf(item)).toMatch(PNG);
	expect(host.it.emulator.jobs).toHaveLength(6);
});

/** The loops, with waits that n8n does not park. */
const SHORT_WAIT = { Wait: { amount: 2, unit: 'seconds' } };
/** Parameters of the node that bounds a loop, with 1 in the place of 50 rounds. */
function oneRoundMore(file: string, name: string): Partial<INode['parameters']> {
	const bounding = EXAMPLES[file].nodes.find((one) => one.name === name) as INode;
	const text = JSON.stringify(bounding.parameters);
	expect(text).toMatch(/\b50\b/);
	return JSON.parse(text.replace(/\b50\b/, '1')) as INode['parameters'];
}

test.each([
	['long-job.json', 'Check Again?', 1],
	['long-jobs-batch.json', 'All Ended?', 3],
])('%s ends after its last round, with what is unfinished', async (file, bounding, count) => {
	const { emulator, api } = host.it;
	emulator.set({ jobMs: 3_600_000 });
	const changes = { ...SHORT_WAIT, [bounding]: oneRoundMore(file, bounding) };
	const execution = await succeeded(await api.run(await imported(file, changes)));
	expect(execution.data.resultData.runData['Get Result']).toHaveLength(2);
	const ids = itemsOf(execution, 'Gave Up').map(({ json }) => json.request_id);
	expect(ids).toHaveLength(count);
	expect(ids.sort()).toEqual(emulator.jobs.map(({ requestId }) => requestId).sort());
});

describe('long-job.json', () => {
	const failedOf = (execution: Execution) => itemsOf(execution, 'Failed').map(({ json }) => json);

	test('goes round until the video is there', async () => {
		host.it.emulator.set({ jobMs: 3000 });
		const workflow = await imported('long-job.json', SHORT_WAIT);
		const execution = await succeeded(await host.it.api.run(workflow));
		const [item] = itemsOf(execution, 'Finished');
		expect(await beginningOf(item)).toMatch(MP4);
		expect(item.json.request_id).toBe(host.it.emulator.jobs[0].requestId);
		expect(execution.data.resultData.runData['Get Result']).toHaveLength(2);
		expect(host.it.emulator.jobs).toHaveLength(1);
	});

	test('a request that fails while it goes round leaves through the error output', async () => {
		host.it.emulator.set({ jobMs: 3000, failJobs: 'all' });
		const workflow = await imported('long-job.json', SHORT_WAIT);
		const execution = await succeeded(await host.it.api.run(workflow));
		const { requestId } = host.it.emulator.jobs[0];
		expect(failedOf(execution)).toMatchObject([
			{ error: { request_id: requestId, status: 'FAILED' } },
		]);
		expect(itemsOf(execution, 'Finished')).toEqual([]);
	});
});

describe('long-jobs-batch.json', () => {
	test('goes on together when all have ended, in order, with what finished in any round', async () => {
		const { emulator } = host.it;
		emulator.set({ jobMs: (_model, _input, index) => [4000, 100, 100][index], failJobs: [1] });
		const execution = await succeeded(
			await host.it.api.run(await imported('long-jobs-batch.json', SHORT_WAIT)),
		);
		const { runData } = execution.data.resultData;
		expect(runData['Go On Together']).toHaveLength(1);
		const together = itemsOf(execution, 'Go On Together');
		expect(together).toHaveLength(2);
		for (const item of together) expect(await beginningOf(item)).toMatch(MP4);
		const submitted = itemsOf(execution, 'Submit').map(({ json }) => json.request_id);
		const failed = emulator.jobs[1].requestId;
		expect(together.map(({ json }) => json.request_id)).toEqual(
			submitted.filter((one) => one !== failed),
		);
		expect(runData['Get Result'].length).toBeGreaterThan(1);
		expect(emulator.jobs).toHaveLength(3);
		expect(runData.Failed).toHaveLength(1);
	});

	test('goes on when the last one fails', async () => {
		const { emulator } = host.it;
		emulator.set({ jobMs: (_model, _input, index) => [100, 100, 4000][index], failJobs: [2] });
		const execution = await succeeded(
			await host.it.api.run(await imported('long-jobs-batch.json', SHORT_WAIT)),
		);
		expect(itemsOf(execution, 'Go On Together')).toHaveLength(2);
		expect(itemsOf(execution, 'Failed')).toMatchObject([
			{ json: { error: { request_id: emulator.jobs[2].requestId } } },
		]);
		expect(itemsOf(execution, 'Gave Up')).toEqual([]);
	});
});

test('rotate-api-key.json, its form filled in', async () => {
	const workflow = await imported('rotate-api-key.json');
	const id = await host.it.api.run(workflow);
	const waiting = await host.it.api.ended(id, ['waiting']);
	expect(waiting.status).toBe('waiting');
	const { resumeToken } = waiting.data as unknown as { resumeToken?: string };
	const form = new FormData();
	form.set('field-0', 'done');
	const signature = resumeToken ? `?signature=${resumeToken}` : '';
	const answer = await fetch(`${host.it.n8n.url}/form-waiting/${id}${signature}`, {
		method: 'POST',
		body: form,
	});
	expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
	await succeeded(id);
	expect(host.it.emulator.apiKeys.map(({ name }) => name)).toEqual(['Default', 'n8n']);
});

test('fine-tune-finished.json, called at its production URL', async () => {
	const workflow = await imported('fine-tune-finished.json');
	await host.it.api.activate(workflow);
	const { webhookId } = workflow.nodes.find(({ type }) => type.endsWith('Trigger')) as INode;
	host.it.emulator.registerWebhook(`${host.it.n8n.url}/webhook/${webhookId}/webhook`);
	await fillAccount(host.it.emulator);
	const execution = await first(workflow);
	expect(execution.mode).toBe('webhook');
	expect(host.it.emulator.deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
	expect(await beginningOf(itemsOf(execution, 'First Picture')[0])).toMatch(PNG);
	await pause(500);
	expect(await host.it.api.executions(workflow.id)).toHaveLength(1);
	await host.it.api.deactivate(workflow.id);
});

test('notify-when-finished.json, activated and fired by its poller', async () => {
	const { port } = chat.address() as AddressInfo;
	const workflow = await imported('notify-when-finished.json', {
		// n8n polls once a minute at most.
		'Segmind Trigger': { pollTimes: { item: [{ mode: 'everyMinute' }] } },
		Send: { url: `http://127.0.0.1:${port}/hooks` },
	});
	await host.it.api.activate(workflow);
	await succeeded(await host.it.api.run(await imported('text-to-image.json')));
	const execution = await first(workflow);
	await host.it.api.deactivate(workflow.id);
	expect(execution.mode).toBe('trigger');
	expect(itemsOf(execution, 'Segmind Trigger')).toHaveLength(1);
	expect(messages.join()).toMatch(/nano-banana has finished/);
});

async function first(workflow: SavedWorkflow): Promise<Execution> {
	return await succeeded((await firstExecution(host.it, workflow)).id);
}
