/** Our action nodes as tools of n8n's AI Agent, which a scripted chat model drives. */
import { submitFineTune } from '../../dev/emulator/sampleCalls';
import type { ModelCall, OfferedTool } from '../../dev/n8n/chatApi';
import type { Execution } from '../../dev/n8n/n8nApi';
import { CHARGE } from '../../nodes/shared/base/failure';
import { NEW_REQUEST } from '../../nodes/shared/items/itemErrors';
import { rejectionPattern, patternOf } from '../helpers/errorTexts';
import { errorOf } from '../helpers/n8nWorkflows';
import {
	firstItem,
	resultTool,
	FOX,
	generationTools,
	managementTools,
	MISSPELT_FOX,
	pictureTool,
	PICTURE,
	useAgents,
} from './agentTalk';

const { host, start, ask, talkOf } = useAgents();

/** Versions of n8n's AI Agent: the latest one in n8n 2.41.1, older ones that work in different ways, and the oldest. */
const VERSIONS = [3.1, 2.3, 1.9, 1.6, 1];
const LATEST = 3.1;

describe.each(VERSIONS)('agent %s', (version) => {
	test('makes a picture and gets its URL', async () => {
		const { toolTexts, answers, offered } = await ask({ version, tools: [pictureTool()] }, [
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
		expect(firstItem(toolTexts[0])).toEqual({
			url: PICTURE,
			urls: [PICTURE],
			request_id: job.requestId,
			status: 'COMPLETED',
			cost: job.cost,
		});
		expect(answers).toEqual([`See ${job.files[0]}`]);
		expect(job.downloads).toBe(0);
	});

	test('gets the error, and continues with a corrected call', async () => {
		const { toolTexts, answers } = await ask({ version, tools: [pictureTool()] }, [
			MISSPELT_FOX,
			FOX,
			'Done',
		]);
		expect(toolTexts).toHaveLength(2);
		expect(toolTexts[0]).toMatch(rejectionPattern('404 paid', CHARGE.none));
		expect(toolTexts[0]).toMatch(/\bnano-banana\b/);
		expect(firstItem(toolTexts[1]).url).toEqual(PICTURE);
		expect(answers).toEqual(['Done']);
		expect(host.emulator.jobs).toHaveLength(1);
	});

	test('identical calls, in one turn or later, send a request each and get its result', async () => {
		const { toolTexts } = await ask({ version, tools: [pictureTool()] }, [
			[FOX, FOX],
			FOX,
			'Three',
		]);
		const ids = toolTexts.map((text) => firstItem(text).request_id);
		expect(new Set(ids).size).toBe(3);
		expect(ids.sort()).toEqual(host.emulator.jobs.map(({ requestId }) => requestId).sort());
	});
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
	test('generates: runs a workflow, submits a video by its request body without waiting, checks its status, gets its result, and makes a text', async () => {
		const film = () => ({ Request_ID: host.emulator.jobs[1].requestId });
		const { toolTexts, offered } = await ask({ version, tools: generationTools() }, [
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
		const [photo, submitted, checked, fetched, text] = toolTexts.map((output) => firstItem(output));
		expect(photo).toEqual({
			request_id: jobs[0].requestId,
			status: 'COMPLETED',
			url: PICTURE,
			urls: [PICTURE],
			outputs: { final_image: PICTURE, caption: expect.any(String) },
			cost: jobs[0].cost,
		});
		expect(submitted).toMatchObject({ request_id: jobs[1].requestId, status: 'QUEUED' });
		expect(checked.status).toMatch(/QUEUED|PROCESSING|COMPLETED/);
		expect(fetched).toMatchObject({ url: expect.stringMatching(/\.mp4$/) });
		expect(text).toEqual({
			request_id: jobs[2].requestId,
			status: 'COMPLETED',
			text: expect.any(String),
			cost: jobs[2].cost,
		});
		// The empty string leaves the input out, because a chat model can't leave out a parameter.
		expect(jobs.map(({ input }) => input)).toEqual([
			{ prompt: 'a shoe' },
			{ prompt: 'waves', duration: 5 },
			{ messages: [{ role: 'user', content: 'Why is the sky blue?' }] },
		]);
		const { schema } = offered.find(({ name }) => name === 'Film') as OfferedTool;
		// For JSON, n8n's schema contains no type: the description has to name it.
		expect(schema.properties.Inputs).toEqual({
			description: 'Object with prompt and duration (seconds)',
		});
	});

	test('manages the account: balance, endpoints, fine-tunes', async () => {
		const { emulator } = host;
		emulator.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
		for (let at = 0; at < 10; at++) await submitFineTune(emulator, `sneakers-${at}`);
		const [job] = emulator.fineTunes;
		const { toolTexts, offered } = await ask({ version, tools: managementTools() }, [
			[{ call: 'Balance' }, { call: 'Trained' }],
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
		expect(toolTexts.map((text) => firstItem(text))).toEqual([
			{ credits: 100, 'free-credits': 0, total: 100 },
			{
				finetune_id: job.finetuneId,
				name: 'sneakers-0',
				status: 'AVAILABLE',
				base_model: 'FLUX_PRO',
				slug: job.slug,
			},
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
		const { toolTexts } = await ask(
			{ version, tools: [pictureTool({ timeoutSeconds: 1 }), resultTool()] },
			[
				FOX,
				() => ({ call: 'Fetch', with: { Request_ID: host.emulator.jobs[0].requestId } }),
				'Done',
			],
		);
		expect(firstItem(toolTexts[0]).error).toMatch(
			patternOf(host.emulator.jobs[0].requestId, CHARGE.ifCompletes, NEW_REQUEST.newCall),
		);
		expect(firstItem(toolTexts[1]).url).toEqual(PICTURE);
		expect(host.emulator.jobs).toHaveLength(1);
	},
);

describe('a retry', () => {
	const modelFailure = { fails: 'the model is out of order' };

	/** Waits until an execution has failed and retries it from the list. Returns the ended retry. */
	async function retryFailed(id: string): Promise<Execution> {
		const failed = await host.api.waitForEnd(id);
		expect(failed.status).toBe('error');
		return await host.api.waitForEnd(await host.api.retry(id));
	}

	test.each([
		['3.1: submits nothing', LATEST, [FOX, modelFailure, 'Done'], 1],
		['1.9: the agent starts over, and so do its calls', 1.9, [FOX, modelFailure, FOX, 'Done'], 2],
	])(
		'of an execution whose chat model failed after the request, agent %s',
		async (_name, version, script, requests) => {
			const id = await start({ version, tools: [pictureTool()] }, script);
			const { answers, toolTexts } = talkOf(await retryFailed(id));
			expect(answers).toEqual(['Done']);
			expect(firstItem(toolTexts[0]).url).toEqual(PICTURE);
			expect(host.emulator.jobs).toHaveLength(requests);
		},
	);

	test('by Retry On Fail of agent 3.1, whose chat model failed after the request: submits nothing', async () => {
		const more = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { answers } = await ask({ version: LATEST, tools: [pictureTool()], more }, [
			FOX,
			modelFailure,
			'Done',
		]);
		expect(answers).toEqual(['Done']);
		expect(host.emulator.jobs).toHaveLength(1);
	});

	test('by Retry On Fail of the tool, agent 3.1: waits for the same request', async () => {
		host.emulator.set({ jobMs: 1_500 });
		const more = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { toolTexts } = await ask(
			{ version: LATEST, tools: [pictureTool({ timeoutSeconds: 1 }, more)] },
			[FOX, 'Done'],
		);
		expect(firstItem(toolTexts[0]).url).toEqual(PICTURE);
		expect(host.emulator.jobs).toHaveLength(1);
	});

	test("of an execution that the tool's timeout stopped, agent 3.1: waits for the same request", async () => {
		host.emulator.set({ jobMs: 2_500 });
		const stoppingTool = pictureTool({ timeoutSeconds: 1 }, { onError: 'stopWorkflow' });
		const id = await start({ version: LATEST, tools: [stoppingTool] }, [FOX, 'Done']);
		let execution = await host.api.waitForEnd(id);
		expect(errorOf(execution)).toContain('PROCESSING');
		while (execution.status === 'error') execution = await retryFailed(execution.id);
		expect(talkOf(execution).answers).toEqual(['Done']);
		expect(host.emulator.jobs).toHaveLength(1);
	});
});
