/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { ROOT } from '../../dev/base/project';
import { exampleFiles, readExample } from '../../dev/base/workflows';
import { submitFineTune } from '../../dev/emulator/sampleCalls';
import type { Ref } from '../../dev/n8n/n8nApi';
import { fillAccount } from '../../dev/n8n/sampleAccount';
import { chain, itemsOf, node, POLL_TIMES, until, type Changes } from '../helpers/n8nWorkflows';
import { beginning, MP4, PNG, sendForm, useRecipes } from './recipeHost';

const {
	host,
	importRecipe,
	run,
	waitForSuccess,
	readBeginning,
	activate,
	fillInForm,
	waitForFirstExecution,
} = useRecipes();

test('every example is run by a test of this folder', () => {
	const folder = join(ROOT, 'test', 'e2e');
	const tests = readdirSync(folder)
		.map((name) => readFileSync(join(folder, name), 'utf8'))
		.join();
	expect(exampleFiles().filter((file) => !tests.includes(`'${file}`))).toEqual([]);
});

/** Examples run by the Execute button: the node to check, how its file begins or which field its item has, and its number of items if not one. */
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

test.each(Object.entries(BY_HAND))(
	'%s outputs its result when executed by hand',
	async (file, [name, wanted, count = 1]) => {
		const items = itemsOf(await run(await importRecipe(file)), name);
		expect(items).toHaveLength(count);
		for (const item of items)
			if (typeof wanted === 'string') expect(item.json).toHaveProperty(wanted);
			else expect(await readBeginning(item)).toMatch(wanted);
	},
);

test("n8n's own migration report for version 3 names no recipe", async () => {
	const { api, credentials } = host;
	const broken = chain('broken', [node('set', { note: '={{ $getPairedItem() }}' })]);
	for (const workflow of [...exampleFiles().map(readExample), broken])
		await api.createWorkflow(workflow, credentials);
	const path = '/breaking-changes/report';
	const { report } = await api.call<{ report: { workflowResults: Array<{ ruleId: string }> } }>(
		'POST',
		`${path}/refresh?version=v3`,
	);
	const named = report.workflowResults.map(async ({ ruleId }) => {
		const rule = await api.call<{ affectedWorkflows: Ref[] }>('GET', `${path}/${ruleId}`);
		return rule.affectedWorkflows.map(({ name }) => [name, ruleId]);
	});
	expect((await Promise.all(named)).flat()).toEqual([['broken', 'get-paired-item-v3']]);
});

/** Shortens the wait of a loop, so that n8n doesn't park the execution. */
const SHORT_WAIT = { Wait: { amount: 0.5, unit: 'seconds' } };

/** Returns the parameters of the node that limits a loop, with a limit of 1 round instead of 50. */
function parametersForOneRound(file: string, nodeName: string): Partial<INode['parameters']> {
	const node = readExample(file).nodes.find((one) => one.name === nodeName) as INode;
	const text = JSON.stringify(node.parameters);
	expect(text).toMatch(/\b50\b/);
	return JSON.parse(text.replace(/\b50\b/, '1')) as INode['parameters'];
}

test.each([
	['long-job.json', 'Check Again?', 1],
	['long-jobs-batch.json', 'All Ended?', 3],
])(
	'%s ends after its last round and outputs the unfinished requests',
	async (file, nodeName, count) => {
		const { emulator } = host;
		emulator.set({ jobMs: 3_600_000 });
		const changes = { ...SHORT_WAIT, [nodeName]: parametersForOneRound(file, nodeName) };
		const execution = await run(await importRecipe(file, changes));
		expect(execution.data.resultData.runData['Get Result']).toHaveLength(2);
		const ids = itemsOf(execution, 'Gave Up').map(({ json }) => json.request_id);
		expect(ids).toHaveLength(count);
		expect(ids.sort()).toEqual(emulator.jobs.map(({ requestId }) => requestId).sort());
	},
);

test('long-job.json loops until the video is ready', async () => {
	host.emulator.set({ jobMs: 3000 });
	const execution = await run(await importRecipe('long-job.json', SHORT_WAIT));
	const [item] = itemsOf(execution, 'Finished');
	expect(await readBeginning(item)).toMatch(MP4);
	expect(item.json.request_id).toBe(host.emulator.jobs[0].requestId);
	expect(execution.data.resultData.runData['Get Result'].length).toBeGreaterThan(1);
	expect(host.emulator.jobs).toHaveLength(1);
});

test('long-job.json: a request that fails in the loop leaves through the error output', async () => {
	host.emulator.set({ jobMs: 3000, failJobs: 'all' });
	const execution = await run(await importRecipe('long-job.json', SHORT_WAIT));
	const { requestId } = host.emulator.jobs[0];
	const error = { request_id: requestId, status: 'FAILED' };
	expect(itemsOf(execution, 'Failed')).toMatchObject([{ json: { error } }]);
	expect(itemsOf(execution, 'Finished')).toEqual([]);
});

test('long-jobs-batch.json continues once all requests have ended, with the results of all rounds in order, even if the last request fails', async () => {
	const { emulator } = host;
	emulator.set({ jobMs: (_model, _input, index) => [2000, 100, 4000][index], failJobs: [2] });
	const execution = await run(await importRecipe('long-jobs-batch.json', SHORT_WAIT));
	const { runData } = execution.data.resultData;
	expect(runData['Go On Together']).toHaveLength(1);
	expect(runData['Get Result'].length).toBeGreaterThan(2);
	const together = itemsOf(execution, 'Go On Together');
	for (const item of together) expect(await readBeginning(item)).toMatch(MP4);
	const submitted = itemsOf(execution, 'Submit').map(({ json }) => json.request_id);
	const failed = emulator.jobs[2].requestId;
	expect(together.map(({ json }) => json.request_id)).toEqual(
		submitted.filter((one) => one !== failed),
	);
	expect(itemsOf(execution, 'Failed')).toMatchObject([{ json: { error: { request_id: failed } } }]);
	expect(itemsOf(execution, 'Gave Up')).toEqual([]);
	expect(emulator.jobs).toHaveLength(3);
});

test('rotate-api-key.json replaces the key after its form is filled in', async () => {
	const workflow = await importRecipe('rotate-api-key.json');
	const id = await host.api.run(workflow);
	const waiting = await host.api.waitForEnd(id, ['waiting']);
	expect(waiting.status).toBe('waiting');
	const { resumeToken } = waiting.data as unknown as { resumeToken?: string };
	const signature = resumeToken ? `?signature=${resumeToken}` : '';
	await sendForm(`${host.api.url}/form-waiting/${id}${signature}`, { 'field-0': 'done' });
	await waitForSuccess(id);
	expect(host.emulator.apiKeys.map(({ name }) => name)).toEqual(['Default', 'n8n']);
});

test('fine-tune-finished.json makes a picture when its production URL is called', async () => {
	const { api, emulator } = host;
	const workflow = await importRecipe('fine-tune-finished.json');
	emulator.registerWebhook(`${await activate(workflow, 'webhook')}/webhook`);
	const job = await submitFineTune(emulator, 'shoes');
	const { id, mode } = await waitForFirstExecution(workflow);
	expect(mode).toBe('webhook');
	expect(emulator.deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
	const [picture] = itemsOf(await waitForSuccess(id), 'First Picture');
	expect(await readBeginning(picture)).toMatch(PNG);
	// No other execution comes before that of the next job.
	const later = await submitFineTune(emulator, 'later');
	const jobs = async () => {
		const executions = await api.listExecutions(workflow.id);
		const ended = executions.map(async (one) => await api.waitForEnd(one.id));
		return (await Promise.all(ended)).map(
			(one) => itemsOf(one, 'Segmind Fine-Tune Trigger')[0].json.finetune_id,
		);
	};
	await until(async () => (await jobs()).includes(later));
	expect(await jobs()).toEqual([later, job]);
});

test('notify-when-finished.json sends a message when its trigger starts it', async () => {
	const workflow = await importRecipe('notify-when-finished.json', {
		'Segmind Trigger': { pollTimes: POLL_TIMES },
		Send: { url: 'https://slack.com/api/chat.postMessage' },
	});
	await activate(workflow, 'webhook');
	await run(await importRecipe('text-to-image.json'));
	const { id, mode } = await waitForFirstExecution(workflow);
	expect(mode).toBe('trigger');
	expect(itemsOf(await waitForSuccess(id), 'Segmind Trigger')).toHaveLength(1);
	const [{ text }] = host.services.messages as Array<{ text: string }>;
	expect(text).toMatch(/nano-banana has finished/);
});

test('texts-for-product-pictures.json fills in the row of each picture', async () => {
	const { api, emulator } = host;
	const { picture } = await fillAccount(emulator);
	const columns = ['picture', 'title', 'alt_text', 'tags'];
	const table = await api.createDataTable('Products', columns, [{ picture }, { picture }]);
	await run(await importRecipe('texts-for-product-pictures.json'));
	const rows = await api.rowsOf(table);
	expect(rows).toHaveLength(2);
	for (const { title, alt_text, tags } of rows)
		for (const text of [title, alt_text, tags]) expect(text).toMatch(/image of \d+ bytes/);
});

test('product-photo-to-slack.json posts a film to Slack (a stand-in on loopback)', async () => {
	const { emulator, services } = host;
	await run(await importRecipe('product-photo-to-slack.json'));
	const [cutOut, film] = emulator.jobs;
	expect(film.input).toMatchObject({ image_url: cutOut.files[0] });
	expect(services.files[0].toString('latin1')).toMatch(/ftyp/);
	expect(services.messages.at(-1)).toMatchObject({ channel_id: 'C0123456789' });
});

describe('sheet-to-drive.json, with a stand-in for Google on loopback', () => {
	const HEADER = ['prompt', 'status', 'request_id', 'url', 'note'];

	test('60 rows: each gets its picture in the drive; a second run costs nothing', async () => {
		const { emulator, services } = host;
		services.files.length = 0;
		services.sheet = [
			HEADER,
			...Array.from({ length: 60 }, (_u, at) => [`picture ${at}`, '', '', '', '']),
		];
		const workflow = await importRecipe('sheet-to-drive.json');
		await run(workflow);
		expect(emulator.jobs).toHaveLength(60);
		const idByPrompt = new Map(
			emulator.jobs.map(({ input, requestId }) => [input.prompt, requestId]),
		);
		for (const [prompt, status, id, url] of services.sheet.slice(1))
			expect([status, id, url]).toEqual([
				'done',
				idByPrompt.get(prompt),
				expect.stringContaining('drive.google.com'),
			]);
		expect(services.files.map((file) => beginning(file))).toEqual(
			Array.from({ length: 60 }, () => expect.stringMatching(PNG)),
		);
		await run(workflow);
		expect(emulator.jobs).toHaveLength(60);
	});

	test('a row with an ID gets its result, a row without one is sent, and a row left at "sending" is skipped', async () => {
		const { emulator, services } = host;
		services.sheet = [HEADER, ['a', '', '', '', '']];
		const workflow = await importRecipe('sheet-to-drive.json');
		await run(workflow);
		const [, [, , id]] = services.sheet;
		const rows = [
			['a', 'sent', id],
			['b', '', ''],
			['c', 'sending', ''],
		];
		services.sheet = [HEADER, ...rows.map((row) => [...row, '', ''])];
		await run(workflow);
		expect(emulator.callsOf('submit').map(({ body }) => body)).toMatchObject([
			{ prompt: 'a' },
			{ prompt: 'b' },
		]);
		const statuses = services.sheet.slice(1).map(([, status]) => status);
		expect(statuses).toEqual(['done', 'done', 'sending']);
	});
});

describe('form-to-picture.json', () => {
	const fields = { 'field-0': 'a red fox', 'field-1': '16:9' };

	test('shows the picture', async () => {
		const { form, page } = await fillInForm('form-to-picture.json', fields);
		expect(form).toMatch(/value='1:1' selected/);
		const [{ input, files }] = host.emulator.jobs;
		expect(input).toEqual({ prompt: 'a red fox', aspect_ratio: '16:9' });
		expect(page).toContain(`<img src="${files[0]}"`);
	});

	test('says why there is no picture', async () => {
		host.emulator.set({ failJobs: 'all', failText: 'Too many hands.' });
		const { page } = await fillInForm('form-to-picture.json', fields);
		expect(page).toContain('Too many hands.');
	});
});

describe('compare-models.json', () => {
	const fields = { 'field-0': 'a <b>red</b> fox' };

	test('shows picture, price and time of each model', async () => {
		const { emulator } = host;
		emulator.set({ queueMs: 0, jobMs: (model) => (model === 'nano-banana' ? 2000 : 1000) });
		const { page } = await fillInForm('compare-models.json', fields);
		expect(emulator.jobs).toHaveLength(4);
		expect(emulator.jobs.map(({ model }) => model)).toContain('nano-banana');
		for (const { model, input, files, cost } of emulator.jobs) {
			expect(input).toEqual({ prompt: 'a <b>red</b> fox' });
			expect(cost).toBeGreaterThanOrEqual(0.03);
			expect(cost).toBeLessThanOrEqual(0.05);
			const seconds = model === 'nano-banana' ? 2 : 1;
			expect(page).toMatch(
				new RegExp(`<img src="${files[0]}"[^]*?<p>${cost.toFixed(4)} USD, ${seconds} s</p>`),
			);
		}
		expect(page).not.toContain('<b>red');
	});

	test('shows the error of a model that failed beside the pictures of the others', async () => {
		const { emulator } = host;
		emulator.set({
			failWhen: (_input, model) => model === 'nano-banana',
			failText: 'Too many hands.',
		});
		const { page } = await fillInForm('compare-models.json', fields);
		expect(page.match(/<img /g)).toHaveLength(3);
		expect(page).toContain('Too many hands.');
	});
});

describe('webhook-to-picture.json', () => {
	async function callWebhook(changes: Changes = {}): Promise<Response> {
		const workflow = await importRecipe('webhook-to-picture.json', changes);
		const url = await activate(workflow, 'webhook');
		const response = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ prompt: 'a red fox' }),
		});
		await host.api.deactivate(workflow.id);
		return response;
	}

	test('responds with the picture', async () => {
		const response = await callWebhook();
		expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
		expect(beginning(Buffer.from(await response.arrayBuffer()))).toMatch(PNG);
		expect(host.emulator.jobs[0].input).toEqual({ prompt: 'a red fox' });
	});

	test('responds with the request after a timeout, and with the error if the request fails', async () => {
		const { emulator } = host;
		emulator.set({ jobMs: 60_000 });
		const options = { timeoutSeconds: 1, onTimeout: 'returnRequest' };
		const timedOut = await callWebhook({ 'Generate an image': { options } });
		expect([timedOut.status, await timedOut.json()]).toMatchObject([
			202,
			{ request_id: emulator.jobs[0].requestId },
		]);
		emulator.set({ failJobs: 'all', jobMs: 100 });
		const failed = await callWebhook();
		expect([failed.status, await failed.json()]).toEqual([502, { error: expect.any(String) }]);
	});
});
