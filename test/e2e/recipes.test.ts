import type { IDataObject, INode } from 'n8n-workflow';

import { readExample } from '../../dev/base/workflows';
import type { Execution, SavedWorkflow } from '../../dev/n8n/n8nApi';
import { fillAccount } from '../../dev/n8n/sampleAccount';
import { errorOf, until } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();
beforeEach(() => host.it.emulator.reset());
afterEach(() => expect(host.it.services.problems).toEqual([]));

/** Imports a recipe; `change` alters nodes by name, or by the end of their type. */
async function imported(
	file: string,
	change: Record<string, IDataObject> = {},
): Promise<SavedWorkflow> {
	const example = readExample(file);
	const nodes = example.nodes.map((one) => {
		const more = change[one.name] ?? change[one.type.split('.')[1]];
		return { ...one, parameters: { ...one.parameters, ...more } as INode['parameters'] };
	});
	return await host.it.api.createWorkflow({ ...example, nodes }, host.it.credentials);
}

async function succeeded(id: string): Promise<Execution> {
	const execution = await host.it.api.ended(id);
	expect([execution.status, errorOf(execution)]).toEqual(['success', '']);
	return execution;
}

/** The address that n8n gave a trigger, in production. */
async function activated(workflow: SavedWorkflow, kind: 'form' | 'webhook'): Promise<string> {
	await host.it.api.activate(workflow);
	const { webhookId } = workflow.nodes.find(({ type }) => /webhook$|Trigger$/.test(type)) as INode;
	return `${host.it.n8n.url}/${kind}/${webhookId}`;
}

const PNG = /^.PNG/;
const beginning = (bytes: Buffer): string => bytes.toString('latin1', 0, 12);

test('product-photo-to-slack.json, Slack a stand-in on loopback', async () => {
	const { api, emulator, services } = host.it;
	const { picture } = await fillAccount(emulator);
	services.files.length = 0;
	await succeeded(
		await api.run(
			await imported('product-photo-to-slack.json', { 'Fetch Picture': { url: picture } }),
		),
	);
	const [cutOut, film] = emulator.jobs;
	expect(film.input).toMatchObject({ image_url: cutOut.files[0] });
	expect(services.files[0].toString('latin1')).toMatch(/ftyp/);
	expect(services.messages.at(-1)).toMatchObject({ channel_id: 'C0123456789' });
});

describe('sheet-to-drive.json, Google a stand-in on loopback', () => {
	const HEADER = ['prompt', 'status', 'request_id', 'url', 'note'];

	test('60 rows: each with its picture in the drive; a second run pays for none', async () => {
		const { api, emulator, services } = host.it;
		services.files.length = 0;
		services.sheet = [
			HEADER,
			...Array.from({ length: 60 }, (_u, at) => [`picture ${at}`, '', '', '', '']),
		];
		const workflow = await imported('sheet-to-drive.json');
		await succeeded(await api.run(workflow));
		expect(emulator.jobs).toHaveLength(60);
		const made = new Map(emulator.jobs.map(({ input, requestId }) => [input.prompt, requestId]));
		for (const [prompt, status, id, url] of services.sheet.slice(1))
			expect([status, id, url]).toEqual([
				'done',
				made.get(prompt),
				expect.stringContaining('drive.google.com'),
			]);
		expect(services.files.map((file) => beginning(file))).toEqual(
			Array.from({ length: 60 }, () => expect.stringMatching(PNG)),
		);
		await succeeded(await api.run(workflow));
		expect(emulator.jobs).toHaveLength(60);
	});

	test('a row with an ID is fetched, only one without is sent, one left at "sending" is neither', async () => {
		const { api, emulator, services } = host.it;
		services.sheet = [HEADER, ['a', '', '', '', '']];
		const workflow = await imported('sheet-to-drive.json');
		await succeeded(await api.run(workflow));
		const [, [, , id]] = services.sheet;
		services.sheet = [
			HEADER,
			['a', 'sent', id, '', ''],
			['b', '', '', '', ''],
			['c', 'sending', '', '', ''],
		];
		await succeeded(await api.run(workflow));
		expect(emulator.callsOf('submit').map(({ body }) => body)).toMatchObject([
			{ prompt: 'a' },
			{ prompt: 'b' },
		]);
		expect(services.sheet.slice(1).map(([, status]) => status)).toEqual([
			'done',
			'done',
			'sending',
		]);
	});
});

describe('form-to-picture.json', () => {
	/** Fills in the form and reads the page that it ends with. */
	async function filledIn(): Promise<string> {
		const { api } = host.it;
		const workflow = await imported('form-to-picture.json');
		const address = await activated(workflow, 'form');
		expect((await fetch(address)).status).toBe(200);
		const form = new FormData();
		form.set('field-0', 'a red fox');
		form.set('field-1', '16:9');
		const answer = await fetch(address, { method: 'POST', body: form });
		const { formWaitingUrl } = (await answer.json()) as { formWaitingUrl: string };
		const [{ id }] = await api.executions(workflow.id);
		await until(async () => (await api.execution(id)).status === 'waiting');
		const page = await (await fetch(formWaitingUrl)).text();
		// As the page itself does once it is shown.
		await fetch(formWaitingUrl, { method: 'POST' });
		await succeeded(id);
		await api.deactivate(workflow.id);
		return page;
	}

	test('shows the picture', async () => {
		const page = await filledIn();
		const [{ input, files }] = host.it.emulator.jobs;
		expect(input).toEqual({ prompt: 'a red fox', aspect_ratio: '16:9' });
		expect(page).toContain(`<img src="${files[0]}"`);
	});

	test('says why there is none', async () => {
		host.it.emulator.set({ failJobs: 'all', failText: 'Too many hands.' });
		expect(await filledIn()).toContain('Too many hands.');
	});
});

describe('webhook-to-picture.json', () => {
	async function called(change: Record<string, IDataObject> = {}): Promise<Response> {
		const workflow = await imported('webhook-to-picture.json', change);
		const address = await activated(workflow, 'webhook');
		const answer = await fetch(address, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ prompt: 'a red fox' }),
		});
		await host.it.api.deactivate(workflow.id);
		return answer;
	}

	test('answers with the picture', async () => {
		const answer = await called();
		expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
		expect(beginning(Buffer.from(await answer.arrayBuffer()))).toMatch(PNG);
		expect(host.it.emulator.jobs[0].input).toEqual({ prompt: 'a red fox' });
	});

	test('answers with the request when time is up, and with the reason of a failure', async () => {
		const { emulator } = host.it;
		emulator.set({ jobMs: 60_000 });
		const options = { timeoutSeconds: 1, onTimeout: 'returnRequest' };
		const late = await called({ 'Generate an image': { options } });
		expect([late.status, await late.json()]).toMatchObject([
			202,
			{ request_id: emulator.jobs[0].requestId },
		]);
		emulator.set({ failJobs: 'all', jobMs: 100 });
		const failed = await called();
		expect([failed.status, await failed.json()]).toEqual([502, { error: expect.any(String) }]);
	});
});
