/** Recipes that limit what they spend, in a real n8n: a short film, quotas of clients, an MCP server, and an agent that asks first. */
import type { ModelCall } from '../../dev/n8n/chatApi';
import type { Ref } from '../../dev/n8n/n8nApi';
import { createClientTables, MCP_TOKEN } from '../../dev/n8n/sampleAccount';
import type { ScriptStep } from '../../dev/n8n/scriptedModel';
import { itemsOf } from '../helpers/n8nWorkflows';
import { mcpClient } from './mcpClient';
import { followLink, MP4, sendForm, useRecipes } from './recipeHost';

const {
	host,
	importRecipe,
	run,
	readBeginning,
	activate,
	lastPage,
	waitForSuccess,
	waitForFirstExecution,
} = useRecipes();

/** Returns the slug and the input of every accepted request, in order. */
const requests = () => host.emulator.jobs.map(({ model, input }) => [model, input]);
const spent = () => host.emulator.jobs.reduce((sum, { cost }) => sum + cost, 0);

test('short-from-one-sentence.json makes a film with a voice and captions from one sentence', async () => {
	const execution = await run(await importRecipe('short-from-one-sentence.json'));
	const [{ json: script }] = itemsOf(execution, 'Write the Script');
	const { narration, scene } = script.data as Record<string, string>;
	const [, { files: voice }, { files: clip }, { files: spoken }] = host.emulator.jobs;
	const form = { duration: 5, resolution: '480p', aspect_ratio: '9:16', generate_audio: false };
	expect(requests()).toEqual([
		['gpt-5.4-mini', expect.anything()],
		['gemini-3.1-flash-tts', { text: narration }],
		['seedance-2.0-mini', { ...form, prompt: scene }],
		['video-audio-merge', { input_video: clip[0], input_audio: voice[0], override_audio: true }],
		['video-captioner', { input_video: spoken[0] }],
	]);
	const [short] = itemsOf(execution, 'Burn the Captions');
	expect(await readBeginning(short)).toMatch(MP4);
	expect(spent()).toBeLessThanOrEqual(0.5);
});

describe('client-quota.json', () => {
	/** USD. An order reserves 0.05 USD for each picture, which costs 0.0364 USD. */
	const QUOTAS = { Alone: 0.1, Two: 0.25, Tight: 0.1, Dear: 0.2, Forged: 0.1 };
	let orders: Ref;
	let url: string;
	beforeAll(async () => {
		orders = await createClientTables(host.api, QUOTAS);
	});
	beforeEach(async () => {
		url = await activate(await importRecipe('client-quota.json'), 'form');
	});

	const order = async (client: string, pictures: number) =>
		await lastPage(url, {
			'field-0': client,
			'field-1': `a red fox for ${client}`,
			'field-2': String(pictures),
		});
	const rowsOf = async (client: string) =>
		(await host.api.rowsOf(orders)).filter((row) => row.client === client);
	const amountOf = async (client: string) =>
		(await rowsOf(client)).reduce((sum, { amount }) => sum + Number(amount), 0);

	test('the real cost replaces what was reserved; an order beyond the quota sends nothing', async () => {
		const page = await order('Alone', 2);
		const { jobs } = host.emulator;
		expect(jobs).toHaveLength(2);
		for (const { files } of jobs) expect(page).toContain(`<img src="${files[0]}"`);
		expect(await rowsOf('Alone')).toMatchObject([{ status: 'done' }]);
		expect(await amountOf('Alone')).toBeCloseTo(spent(), 6);
		expect(await order('Alone', 1)).not.toContain('<img');
		expect(await rowsOf('Alone')).toMatchObject([{}, { status: 'turned down', amount: 0 }]);
		expect(host.emulator.callsOf('submit')).toHaveLength(2);
	});

	test('two orders of one client at once: both are made if both fit', async () => {
		await Promise.all([order('Two', 2), order('Two', 2)]);
		expect(host.emulator.jobs).toHaveLength(4);
		expect(await amountOf('Two')).toBeCloseTo(spent(), 6);
	});

	test('two orders of one client at once never exceed the quota together', async () => {
		await Promise.all([order('Tight', 2), order('Tight', 2)]);
		const accepted = (await rowsOf('Tight')).filter(({ status }) => status === 'done');
		expect(accepted.length).toBeLessThanOrEqual(1);
		expect(host.emulator.callsOf('submit')).toHaveLength(2 * accepted.length);
		expect(await amountOf('Tight')).toBeCloseTo(spent(), 6);
		expect(spent()).toBeLessThanOrEqual(QUOTAS.Tight);
	});

	test('a price that rises within an order ends the order at what was reserved', async () => {
		host.emulator.set({ cost: 0.09 });
		const page = await order('Dear', 4);
		expect(page.match(/<img/g)).toHaveLength(2);
		expect(host.emulator.jobs).toHaveLength(2);
		expect(await amountOf('Dear')).toBeCloseTo(0.18, 6);
	});

	test.each([-5, 0])('a forged number of pictures, %i, raises no quota', async (pictures) => {
		await order('Forged', pictures);
		const amounts = (await rowsOf('Forged')).map(({ amount }) => Number(amount));
		expect(Math.min(...amounts)).toBeGreaterThanOrEqual(0);
		expect(host.emulator.jobs.length).toBeLessThanOrEqual(1);
	});

	test('a client without a quota gets nothing', async () => {
		expect(await order('Nobody', 1)).not.toContain('<img');
		expect(host.emulator.callsOf('submit')).toEqual([]);
	});
});

test('mcp-server.json: an MCP client makes and edits a picture, submits a video and collects it, until the balance is low', async () => {
	const { emulator, api } = host;
	await activate(await importRecipe('mcp-server.json'), 'webhook');
	const url = `${api.url}/mcp/segmind`;
	await expect(mcpClient(url, 'another token')).rejects.toThrow('403');
	const client = await mcpClient(url, MCP_TOKEN);
	const tools = await client.listTools();
	expect(Object.fromEntries(tools)).toEqual({
		Make_Picture: ['Prompt', 'aspect_ratio'],
		Edit_Picture: ['Prompt', 'input_image'],
		Submit_Video: ['Prompt'],
		Collect_Video: ['Request_ID'],
		Read_Balance: [],
	});

	const picture = await client.call('Make_Picture', { Prompt: 'a fox', aspect_ratio: '1:1' });
	const edited = await client.call('Edit_Picture', {
		Prompt: 'add a hat',
		input_image: picture.url,
	});
	emulator.set({ jobMs: 60_000 });
	const video = await client.call('Submit_Video', { Prompt: 'a boat' });
	const running = await client.call('Collect_Video', { Request_ID: video.request_id });
	expect(running.status).toMatch(/QUEUED|PROCESSING/);
	emulator.set({ jobMs: 0, queueMs: 0 });
	const done = await client.call('Submit_Video', { Prompt: 'a ship' });
	const collected = await client.call('Collect_Video', { Request_ID: done.request_id });
	expect([edited.url, collected.url]).toEqual([
		emulator.jobs[1].files[0],
		emulator.jobs[3].files[0],
	]);
	const form = { duration: 5, resolution: '480p' };
	expect(requests()).toEqual([
		['nano-banana', { prompt: 'a fox', aspect_ratio: '1:1' }],
		['flux-kontext-pro', { prompt: 'add a hat', input_image: picture.url }],
		['seedance-2.0-mini', { prompt: 'a boat', ...form }],
		['seedance-2.0-mini', { prompt: 'a ship', ...form }],
	]);
	const { total } = await client.call('Read_Balance', {});
	expect(total).toBeGreaterThan(0);

	// The balance is below what the recipe keeps.
	emulator.set({ balance: { credits: 0.5, freeCredits: 0 } });
	expect(await client.call('Make_Picture', { Prompt: 'a fox', aspect_ratio: '1:1' })).toEqual({
		error: expect.any(String),
	});
	expect(emulator.jobs).toHaveLength(4);
});

describe('guarded-agent.json', () => {
	/** Asks the agent, and follows the link in the approver's email. Returns the email with the answer. */
	async function ask(isApproved: boolean, script: ScriptStep[]): Promise<string> {
		const { chatModel, mailbox, n8n, emulator } = host;
		mailbox.mails.length = 0;
		chatModel.play(script);
		const workflow = await importRecipe('guarded-agent.json');
		await sendForm(await activate(workflow, 'form'), {
			'field-0': 'A video of a paper boat',
			'field-1': 'ann@example.com',
		});
		const { id, status } = await waitForFirstExecution(workflow);
		expect(status).toBe('waiting');
		const [{ to, text }] = mailbox.mails;
		expect(to).toBe('approver@example.com');
		expect(text).toMatch(/0\.40 USD: a paper boat/);
		expect(emulator.callsOf('submit')).toEqual([]);
		await followLink(text, isApproved, n8n.url);
		await waitForSuccess(id);
		expect(mailbox.mails.map((mail) => mail.to)).toEqual([
			'approver@example.com',
			'ann@example.com',
		]);
		return mailbox.mails[1].text;
	}
	// n8n's review step wraps a tool's own arguments.
	const film = { call: 'Make_Video', with: { toolParameters: { Prompt: 'a paper boat' } } };

	test('makes the video after the approval', async () => {
		const lastText = ({ messages }: ModelCall) => messages.at(-1)?.text ?? '';
		const answer = await ask(true, [
			film,
			(call) => `Here it is: ${/http[^"\\]+/.exec(lastText(call))?.[0]}`,
		]);
		expect(requests()).toEqual([
			['seedance-2.0-mini', { prompt: 'a paper boat', duration: 5, resolution: '480p' }],
		]);
		expect(answer).toContain(host.emulator.jobs[0].files[0]);
		expect(spent()).toBeLessThanOrEqual(0.4);
	});

	test('sends nothing if the approver says no, and the agent learns so', async () => {
		const answer = await ask(false, [film, 'It was turned down.']);
		expect(host.emulator.callsOf('submit')).toEqual([]);
		expect(answer).toContain('It was turned down.');
	});
});
