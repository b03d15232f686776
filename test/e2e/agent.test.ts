/** Our action nodes as tools of n8n's AI Agent, which a scripted chat model drives. */
import type { INode } from 'n8n-workflow';

import type { Execution } from '../../host/n8nApi';
import type { Heard, OfferedTool } from '../../host/chatApis';
import type { Scripted } from '../../host/scriptedModel';
import { AGENT, agentWorkflow, fromAi, tool, type AgentSetup } from './agentWorkflow';
import { errorOf, itemsOf, slug, useHost } from './realN8n';

const host = useHost();

/** The latest of n8n 2.40.7, the last of each older line, and the oldest there is. */
const VERSIONS = [3.1, 2.3, 1.9, 1.6, 1];
const LATEST = 3.1;

beforeEach(() => host.it.emulator.reset());
afterEach(() => {
	expect(host.it.model.problems).toEqual([]);
	expect(host.it.model.left()).toBe(0);
});

interface Talk {
	execution: Execution;
	/** What the agent put out, an item each. */
	answers: unknown[];
	/** What its tools told the model, in order, as the model's last call had it. */
	told: string[];
	offered: OfferedTool[];
}

async function start(setup: AgentSetup, script: Scripted[]): Promise<string> {
	const { api, credentials, model } = host.it;
	model.follow(script);
	return await api.run(await api.createWorkflow(agentWorkflow(setup), credentials));
}

/** What was said in an execution that has ended. */
function talkOf(execution: Execution): Talk {
	const { heard } = host.it.model;
	return {
		execution,
		answers: itemsOf(execution, AGENT).map(({ json }) => json.output),
		told: toldBy(heard.at(-1)),
		offered: heard[0]?.tools ?? [],
	};
}

/** Lets an agent follow the script; it must succeed. */
async function ask(setup: AgentSetup, script: Scripted[]): Promise<Talk> {
	const execution = await host.it.api.ended(await start(setup, script));
	expect(errorOf(execution)).toBe('');
	expect(execution.status).toBe('success');
	for (const text of toldBy(host.it.model.heard.at(-1))) expectFitForModel(text);
	return talkOf(execution);
}

function toldBy(heard: Heard | undefined): string[] {
	return (heard?.messages ?? []).filter(({ role }) => role === 'tool').map(({ text }) => text);
}

/** Short, no file inside, no secret. */
function expectFitForModel(text: string): void {
	const { key, session } = host.it.emulator;
	expect(text.length).toBeLessThan(2_000);
	expect(text).not.toMatch(/base64|[A-Za-z0-9+/]{200}/);
	for (const secret of [key, session.refreshToken]) expect(text).not.toContain(secret);
}

/** The members of the first item that a tool told. */
function first(text: string): Record<string, unknown> {
	return (JSON.parse(text) as Array<Record<string, unknown>>)[0];
}

/** Polled fast. */
const options = { pollIntervalSeconds: 0.05 };

/** Model and prompt are the model's to choose. */
function painter(name = 'Make Picture', more: Partial<INode> = {}, moreOptions = {}): INode {
	return tool(
		'segmindInference',
		name,
		{
			operation: 'run',
			model: slug(fromAi('Model', 'Slug of the model, such as nano-banana')),
			prompt: fromAi('Prompt', 'What the picture shows'),
			options: { ...options, ...moreOptions },
		},
		more,
	);
}
const FOX = { call: 'Make_Picture', with: { Model: 'nano-banana', Prompt: 'a fox' } };
const PICTURE = expect.stringMatching(/^http\S+\.png$/);

describe.each(VERSIONS)('agent %s', (version) => {
	test('makes a picture and gets its URL', async () => {
		const { told, answers, offered } = await ask({ version, tools: [painter()] }, [
			FOX,
			({ messages }) => `See ${(first(messages.at(-1)?.text ?? '').urls as string[])[0]}`,
		]);
		expect(offered).toEqual([
			{
				name: 'Make_Picture',
				description: 'Generate images, video, audio or text with any Segmind model',
				schema: expect.objectContaining({
					properties: {
						Model: { type: 'string', description: 'Slug of the model, such as nano-banana' },
						Prompt: { type: 'string', description: 'What the picture shows' },
					},
					required: ['Model', 'Prompt'],
				}),
			},
		]);
		const [job] = host.it.emulator.jobs;
		expect([job.model, job.input]).toEqual(['nano-banana', { prompt: 'a fox' }]);
		expect(first(told[0])).toEqual({
			request_id: job.requestId,
			status: 'COMPLETED',
			urls: [PICTURE],
			cost: job.cost,
		});
		expect(answers).toEqual([`See ${job.files[0]}`]);
		expect(job.downloads).toBe(0);
	});

	test('is told what went wrong, and goes on with a corrected call', async () => {
		const wrongSlug = { ...FOX, with: { ...FOX.with, Model: 'nano-bananas' } };
		const { told, answers } = await ask({ version, tools: [painter()] }, [wrongSlug, FOX, 'Done']);
		expect(told).toHaveLength(2);
		expect(told[0]).toMatch(/Model 'nano-bananas': no such name \(HTTP 404\).*Nothing was charged/);
		expect(told[0]).toMatch(/Choose one from the list, or copy the slug/);
		expect(first(told[1]).urls).toEqual([PICTURE]);
		expect(answers).toEqual(['Done']);
		expect(host.it.emulator.jobs).toHaveLength(1);
	});

	test('asks twice for the same, in one turn and later, and gets each', async () => {
		const { told } = await ask({ version, tools: [painter()] }, [[FOX, FOX], FOX, 'Three']);
		const ids = told.map((text) => first(text).request_id);
		expect(new Set(ids).size).toBe(3);
		expect(ids.sort()).toEqual(host.it.emulator.jobs.map(({ requestId }) => requestId).sort());
	});

	test('bytes of a v1 answer are uploaded, and it gets their URL', async () => {
		const node = painter();
		node.parameters = { ...node.parameters, apiVersion: 'v1' };
		const { told } = await ask({ version, tools: [node] }, [FOX, 'Done']);
		expect(first(told[0])).toMatchObject({ status: 'COMPLETED', urls: [PICTURE] });
		expect(host.it.emulator.callsOf('upload')).toHaveLength(1);
	});
});

describe('two prompts that come to the same call buy a picture each', () => {
	test.each([
		['agent 3.1', 3.1, {}],
		['agent 3.1, both at once', 3.1, { batching: { batchSize: 2 } }],
		['agent 2.3, both at once', 2.3, { batching: { batchSize: 2 } }],
		['agent 1.9', 1.9, {}],
	])('%s', async (_name, version, agentOptions) => {
		const turn = ({ messages }: Heard) =>
			messages.some(({ role }) => role === 'tool') ? 'Done' : FOX;
		const { answers } = await ask(
			{ version, tools: [painter()], prompts: ['One', 'Two'], options: agentOptions },
			[turn, turn, turn, turn],
		);
		expect(answers).toEqual(['Done', 'Done']);
		expect(host.it.emulator.jobs).toHaveLength(2);
	});
});
