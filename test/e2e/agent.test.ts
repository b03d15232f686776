/** Our action nodes as tools of n8n's AI Agent, which a scripted chat model drives. */
import type { NodeConnectionType } from 'n8n-workflow';

import { submitFineTune } from '../../dev/emulator/sampleCalls';
import type { ModelCall, OfferedTool } from '../../dev/n8n/chatApis';
import type { Execution } from '../../dev/n8n/n8nApi';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { rejectionPattern, patternOf } from '../helpers/errorTexts';
import { errorOf, node } from '../helpers/n8nWorkflows';
import {
	firstItem,
	resultTool,
	FOX,
	generationTools,
	managementTools,
	MISSPELT_FOX,
	pictureTool,
	PICTURE,
	toolTextsIn,
	useAgents,
} from './agentTalk';
import { agentWorkflow, fromAi } from './agentWorkflow';

const { host, start, ask, talkOf } = useAgents();

/** The latest of n8n 2.41.1, the last of each older line, and the oldest there is. */
const VERSIONS = [3.1, 2.3, 1.9, 1.6, 1];
const LATEST = 3.1;

describe.each(VERSIONS)('agent %s', (version) => {
	test('makes a picture and gets its URL', async () => {
		const { told, answers, offered } = await ask({ version, tools: [pictureTool()] }, [
			FOX,
			({ messages }) => `See ${firstItem(messages.at(-1)?.text).url}`,
		]);
		expect(offered).toEqual([
			{
				name: 'Make_Picture',
				description: 'Generate an image in Segmind',
				schema: expect.objectContaining({
					properties: {
						Model: { type: 'string', description: 'Slug of the model, such as nano-banana' },
						Prompt: { type: 'string', description: 'What the picture shows' },
					},
					required: ['Model', 'Prompt'],
				}),
			},
		]);
		const [job] = host.emulator.jobs;
		expect([job.model, job.input]).toEqual(['nano-banana', { prompt: 'a fox' }]);
		expect(firstItem(told[0])).toEqual({
			url: PICTURE,
			request_id: job.requestId,
			status: 'COMPLETED',
			cost: job.cost,
		});
		expect(answers).toEqual([`See ${job.files[0]}`]);
		expect(job.downloads).toBe(0);
	});

	test('gets the error, and continues with a corrected call', async () => {
		const { told, answers } = await ask({ version, tools: [pictureTool()] }, [
			MISSPELT_FOX,
			FOX,
			'Done',
		]);
		expect(told).toHaveLength(2);
		expect(told[0]).toMatch(rejectionPattern('404 submit', CHARGE.none));
		expect(told[0]).toContain(STATUSES['404 submit'].todo);
		expect(firstItem(told[1]).url).toEqual(PICTURE);
		expect(answers).toEqual(['Done']);
		expect(host.emulator.jobs).toHaveLength(1);
	});

	test('sends equal requests twice, in one turn and later, and gets each result', async () => {
		const { told } = await ask({ version, tools: [pictureTool()] }, [[FOX, FOX], FOX, 'Three']);
		const ids = told.map((text) => firstItem(text).request_id);
		expect(new Set(ids).size).toBe(3);
		expect(ids.sort()).toEqual(host.emulator.jobs.map(({ requestId }) => requestId).sort());
	});
});

test('an agent that is itself a tool of agent 3.1 gets the error and corrects itself', async () => {
	const { api, credentials, emulator, chatModel } = host;
	const helper = node(
		'@n8n/n8n-nodes-langchain.agentTool',
		{ toolDescription: 'Has pictures made', text: fromAi('Task'), options: {} },
		{ name: 'Helper', typeVersion: 3 },
	);
	const workflow = agentWorkflow({ version: LATEST, tools: [helper, pictureTool()] });
	const into = (type: NodeConnectionType) => ({ node: 'Helper', type, index: 0 });
	workflow.connections['Make Picture'] = { ai_tool: [[into('ai_tool')]] };
	workflow.connections['OpenAI Chat Model'].ai_languageModel[0]?.push(into('ai_languageModel'));
	chatModel.play([
		{ call: 'Helper', with: { Task: 'a fox' } },
		MISSPELT_FOX,
		FOX,
		({ messages }) => messages.at(-1)?.text ?? '',
		'Done',
	]);
	const execution = await api.waitForEnd(
		await api.run(await api.createWorkflow(workflow, credentials)),
	);
	expect(errorOf(execution)).toBe('');
	const { answers, told } = talkOf(execution);
	expect(answers).toEqual(['Done']);
	expect(toolTextsIn(chatModel.calls[2])).toEqual([
		expect.stringMatching(rejectionPattern('404 submit')),
	]);
	expect(emulator.jobs).toHaveLength(1);
	expect(told).toEqual([expect.stringContaining(emulator.jobs[0].files[0])]);
});

describe('two prompts that lead to the same call submit one request each', () => {
	test.each([
		['agent 3.1', 3.1, {}],
		['agent 3.1, both at once', 3.1, { batching: { batchSize: 2 } }],
		['agent 2.3, both at once', 2.3, { batching: { batchSize: 2 } }],
		['agent 1.9', 1.9, {}],
	])('%s', async (_name, version, agentOptions) => {
		const turn = ({ messages }: ModelCall) =>
			messages.some(({ role }) => role === 'tool') ? 'Done' : FOX;
		const { answers } = await ask(
			{ version, tools: [pictureTool()], prompts: ['One', 'Two'], options: agentOptions },
			[turn, turn, turn, turn],
		);
		expect(answers).toEqual(['Done', 'Done']);
		expect(host.emulator.jobs).toHaveLength(2);
	});
});

describe.each([LATEST, 1])('every action node, agent %s', (version) => {
	test('generates: workflow, model by its body, without waiting and get result', async () => {
		const film = () => ({ Request_ID: host.emulator.jobs[1].requestId });
		const { told, offered } = await ask({ version, tools: generationTools() }, [
			{ call: 'Product_Photo', with: { Prompt: 'a shoe', Reference: '' } },
			{ call: 'Film', with: { Inputs: { prompt: 'waves', duration: 5 } } },
			() => [
				{ call: 'Check', with: film() },
				{ call: 'Fetch', with: film() },
			],
			{ call: 'Ask', with: { Question: 'Why is the sky blue?' } },
			'Done',
		]);
		const { jobs } = host.emulator;
		const [photo, submitted, checked, fetched, asked] = told.map((text) => firstItem(text));
		expect(photo).toEqual({
			request_id: jobs[0].requestId,
			status: 'COMPLETED',
			url: PICTURE,
			outputs: { final_image: PICTURE, caption: expect.any(String) },
			cost: jobs[0].cost,
		});
		expect(submitted).toMatchObject({ request_id: jobs[1].requestId, status: 'QUEUED' });
		expect(checked.status).toMatch(/QUEUED|PROCESSING|COMPLETED/);
		expect(fetched).toMatchObject({ url: expect.stringMatching(/\.mp4$/) });
		expect(asked).toEqual({
			request_id: jobs[2].requestId,
			status: 'COMPLETED',
			text: expect.any(String),
			cost: jobs[2].cost,
		});
		// An empty text leaves the input out: a model cannot leave out a parameter.
		expect(jobs.map(({ input }) => input)).toEqual([
			{ prompt: 'a shoe' },
			{ prompt: 'waves', duration: 5 },
			{ messages: [{ role: 'user', content: 'Why is the sky blue?' }] },
		]);
		const { schema } = offered.find(({ name }) => name === 'Film') as OfferedTool;
		// n8n says nothing of the type of JSON: the description has to.
		expect(schema.properties.Inputs).toEqual({
			description: 'Object with prompt and duration (seconds)',
		});
	});

	test('manages: balance, endpoints, fine-tunes, keys', async () => {
		const { emulator } = host;
		emulator.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
		for (let at = 0; at < 10; at++) await submitFineTune(emulator, `sneakers-${at}`);
		const [job] = emulator.fineTunes;
		const { told, offered } = await ask({ version, tools: managementTools() }, [
			[{ call: 'Balance' }, { call: 'Keys' }, { call: 'Trained' }, { call: 'Profile' }],
			{
				call: 'New_Endpoint',
				with: { Endpoint_Name: 'photos', Model_Name: 'flux-dev', Workers_Max: 3 },
			},
			[
				{ call: 'Endpoints' },
				{ call: 'Share', with: { 'Fine-Tune': job.finetuneId, Segmind_Public: true } },
			],
			'Done',
		]);
		const [endpoint] = emulator.endpoints.production;
		expect(endpoint).toMatchObject({ model_name: 'flux-dev', workers_max: 3 });
		expect(emulator.fineTunes[0].public).toBe(true);
		expect(told.map((text) => firstItem(text))).toEqual([
			{ credits: 100, 'free-credits': 0, total: 100 },
			expect.objectContaining({ api_key: expect.stringContaining('…') }),
			{
				finetune_id: job.finetuneId,
				name: 'sneakers-0',
				status: 'AVAILABLE',
				base_model: 'FLUX_PRO',
				slug: job.slug,
			},
			expect.objectContaining({ email: expect.stringContaining('@') }),
			expect.objectContaining({ endpoint_id: endpoint.endpoint_id, created: true }),
			expect.objectContaining({ endpoint_id: endpoint.endpoint_id, endpoint_name: 'photos' }),
			{ finetune_id: job.finetuneId, segmind_public: true, updated: true },
		]);
		expect(offered.find(({ name }) => name === 'Share')?.schema.properties).toEqual({
			'Fine-Tune': { type: 'string' },
			Segmind_Public: { type: 'boolean', description: 'Whether everybody may use it' },
		});
	});
});

test.each([LATEST, 1.9])(
	'a request that takes too long is not sent twice, agent %s',
	async (version) => {
		host.emulator.set({ jobMs: 2_500 });
		const { told } = await ask(
			{ version, tools: [pictureTool({ timeoutSeconds: 1 }), resultTool()] },
			[
				FOX,
				() => ({ call: 'Fetch', with: { Request_ID: host.emulator.jobs[0].requestId } }),
				'Done',
			],
		);
		expect(firstItem(told[0]).error).toMatch(
			patternOf(
				CAUSES.stillRunning.what,
				CAUSES.stillRunning.todo,
				'Calling this tool again is not a retry',
			),
		);
		expect(firstItem(told[1]).url).toEqual(PICTURE);
		expect(host.emulator.jobs).toHaveLength(1);
	},
);

describe('a retry', () => {
	const outOfOrder = { fails: 'the model is out of order' };

	/** An execution that failed, once more by the button of the list. */
	async function retried(id: string): Promise<Execution> {
		const failed = await host.api.waitForEnd(id);
		expect(failed.status).toBe('error');
		return await host.api.waitForEnd(await host.api.retry(id));
	}

	test('of an execution whose model failed after the request, agent 3.1: submits nothing', async () => {
		const id = await start({ version: LATEST, tools: [pictureTool()] }, [FOX, outOfOrder, 'Done']);
		const { answers, told } = talkOf(await retried(id));
		expect(answers).toEqual(['Done']);
		expect(firstItem(told[0]).url).toEqual(PICTURE);
		expect(host.emulator.jobs).toHaveLength(1);
	});

	test('by agent 3.1, whose model failed after the request: submits nothing', async () => {
		const more = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { answers } = await ask({ version: LATEST, tools: [pictureTool()], more }, [
			FOX,
			outOfOrder,
			'Done',
		]);
		expect(answers).toEqual(['Done']);
		expect(host.emulator.jobs).toHaveLength(1);
	});

	test('of an execution, agent 1.9: the agent starts over, and its calls are submitted again', async () => {
		const id = await start({ version: 1.9, tools: [pictureTool()] }, [
			FOX,
			outOfOrder,
			FOX,
			'Done',
		]);
		expect(talkOf(await retried(id)).answers).toEqual(['Done']);
		expect(host.emulator.jobs).toHaveLength(2);
	});

	test('of the tool by Retry On Fail, agent 3.1: waits for the same request', async () => {
		host.emulator.set({ jobMs: 1_500 });
		const more = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { told } = await ask(
			{ version: LATEST, tools: [pictureTool({ timeoutSeconds: 1 }, more)] },
			[FOX, 'Done'],
		);
		expect(firstItem(told[0]).url).toEqual(PICTURE);
		expect(host.emulator.jobs).toHaveLength(1);
	});

	test('of an execution that the tool stopped, agent 3.1: waits for the same request', async () => {
		host.emulator.set({ jobMs: 2_500 });
		const node = pictureTool({ timeoutSeconds: 1 }, { onError: 'stopWorkflow' });
		const id = await start({ version: LATEST, tools: [node] }, [FOX, 'Done']);
		let execution = await host.api.waitForEnd(id);
		expect(errorOf(execution)).toContain('still PROCESSING');
		while (execution.status === 'error') execution = await retried(execution.id);
		expect(talkOf(execution).answers).toEqual(['Done']);
		expect(host.emulator.jobs).toHaveLength(1);
	});
});
