/** Runs agents that a scripted chat model drives in a real n8n, and reads what they and their tools have output. */
import type { INode, INodeParameters, NodeConnectionType } from 'n8n-workflow';

import type { WorkflowFile } from '../../dev/base/workflows';
import type { OfferedTool } from '../../dev/n8n/chatApi';
import type { Execution } from '../../dev/n8n/n8nApi';
import { NO_EDITOR } from '../../dev/n8n/n8nProcess';
import { SCRIPTED_MODEL, type ScriptStep } from '../../dev/n8n/scriptedModel';
import { chain, expectSuccess, itemsOf, node, slug } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** The name of the agent's node. */
const AGENT = 'AI Agent';

/** Returns the value of a parameter that the chat model fills in, as the editor's button writes it. */
function fromAi(
	key: string,
	description = '',
	type: 'string' | 'number' | 'boolean' | 'json' = 'string',
): string {
	return `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, '${type}') }}`;
}

/** Returns one of our action nodes as an agent's tool. */
function tool(
	type: string,
	name: string,
	parameters: INodeParameters,
	more: Partial<INode> = {},
): INode {
	return node(`${type}Tool`, parameters, { name, ...more });
}

interface AgentSetup {
	/** The version of the agent's node. */
	version: number;
	tools: INode[];
	/** The agent runs once for each prompt. */
	prompts?: string[];
	/** Options of the agent's node. */
	options?: INodeParameters;
	/** Other settings of the agent's node. */
	more?: Partial<INode>;
}

/** Returns a workflow of a trigger, the prompts, and an agent with the scripted chat model and its tools. */
function agentWorkflow({
	version,
	tools,
	prompts = ['Do it'],
	options = {},
	more = {},
}: AgentSetup): WorkflowFile {
	const main = [
		node('manualTrigger'),
		node(
			'set',
			{ mode: 'raw', jsonOutput: JSON.stringify({ prompts }), options: {} },
			{ typeVersion: 3.4 },
		),
		node('splitOut', { fieldToSplitOut: 'prompts', options: {} }),
		node(
			`${LANGCHAIN}.agent`,
			{
				// Versions before 1.6 have no Tools Agent.
				...(version < 1.6 && { agent: 'openAiFunctionsAgent' }),
				promptType: 'define',
				text: '={{ $json.prompts }}',
				options,
			},
			{ name: AGENT, typeVersion: version, ...more },
		),
	];
	const model = node(
		`${LANGCHAIN}.lmChatOpenAi`,
		{ model: slug(SCRIPTED_MODEL), options: {} },
		{
			name: 'OpenAI Chat Model',
			typeVersion: 1.2,
			credentials: { openAiApi: { id: null, name: '' } },
		},
	);
	const into = (type: NodeConnectionType) => ({ [type]: [[{ node: AGENT, type, index: 0 }]] });
	const workflow = chain(`Agent ${version}`, main);
	return {
		...workflow,
		nodes: [...workflow.nodes, model, ...tools],
		connections: {
			...workflow.connections,
			[model.name]: into('ai_languageModel'),
			...Object.fromEntries(tools.map(({ name }) => [name, into('ai_tool')])),
		},
	};
}

interface Talk {
	/** The agent's outputs, one per item. */
	answers: unknown[];
	/** The tools' outputs in the chat model's last call, in order. */
	toolTexts: string[];
	offered: OfferedTool[];
}

/** Starts one n8n for a test file. A test fails if the chat model hasn't used up its script. */
export function useAgents() {
	const host = useSingleN8n({}, NO_EDITOR);
	beforeEach(() => host.emulator.reset());
	afterEach(() => expect(host.chatModel.turnsLeft()).toBe(0));

	async function start(setup: AgentSetup, script: ScriptStep[]): Promise<string> {
		const { api, credentials, chatModel } = host;
		chatModel.play(script);
		return await api.run(await api.createWorkflow(agentWorkflow(setup), credentials));
	}

	/** Returns what was said in an execution that has ended. */
	function talkOf(execution: Execution): Talk {
		const { calls } = host.chatModel;
		return {
			answers: itemsOf(execution, AGENT).map(({ json }) => json.output),
			toolTexts: (calls.at(-1)?.messages ?? [])
				.filter(({ role }) => role === 'tool')
				.map(({ text }) => text),
			offered: calls[0]?.tools ?? [],
		};
	}

	/** Runs an agent with the script, expects that it succeeds, and returns what was said. */
	async function ask(setup: AgentSetup, script: ScriptStep[]): Promise<Talk> {
		const talk = talkOf(await expectSuccess(host.api, await start(setup, script)));
		for (const text of talk.toolTexts) expectFitForModel(text);
		return talk;
	}

	/** Expects a short text without files or secrets. */
	function expectFitForModel(text: string): void {
		const { key, session } = host.emulator;
		expect(text.length).toBeLessThan(2_000);
		expect(text).not.toMatch(/base64|[A-Za-z0-9+/]{200}/);
		for (const secret of [key, session.refreshToken]) expect(text).not.toContain(secret);
	}
	return { host, start, ask, talkOf };
}

/** Returns the fields of the first item of a tool's output. */
export function firstItem(text = ''): Record<string, unknown> {
	return (JSON.parse(text) as Array<Record<string, unknown>>)[0];
}

/** Options for frequent status checks. */
const FAST_POLLING = { pollIntervalSeconds: 0.05 };

/** Makes a picture. The chat model chooses model and prompt. */
export function pictureTool(options = {}, more: Partial<INode> = {}): INode {
	const parameters = {
		model: slug(fromAi('Model', 'Slug of the model, such as nano-banana')),
		prompt: fromAi('Prompt', 'What the picture shows'),
		options: { ...FAST_POLLING, ...options },
	};
	return tool('segmind', 'Make Picture', parameters, more);
}

/** Gets the result of a request. The chat model gives its ID. */
export function resultTool(): INode {
	const request = fromAi('Request_ID');
	const parameters = {
		resource: 'request',
		operation: 'getResult',
		request,
		options: FAST_POLLING,
	};
	return tool('segmind', 'Fetch', parameters);
}

/** Calls of the tool Make Picture. */
export const FOX = { call: 'Make_Picture', with: { Model: 'nano-banana', Prompt: 'a fox' } };
export const MISSPELT_FOX = { ...FOX, with: { ...FOX.with, Model: 'nano-bananas' } };

export const PICTURE: unknown = expect.stringMatching(/^http\S+\.png$/);

/** Returns tools that run a workflow, submit a video by its request body, check its status, get its result, and make a text. */
export function generationTools() {
	return [
		tool('segmindWorkflow', 'Product Photo', {
			operation: 'run',
			slug: 'product-photo',
			inputs: {
				values: [
					{ name: 'prompt', stringValue: fromAi('Prompt', 'What the photo shows') },
					{ name: 'reference', stringValue: fromAi('Reference', 'URL of a photo, or empty') },
				],
			},
			options: FAST_POLLING,
		}),
		tool('segmind', 'Film', {
			resource: 'video',
			model: slug('seedance-2.0-fast'),
			waitForCompletion: false,
			options: {
				requestBody: fromAi('Inputs', 'Object with prompt and duration (seconds)', 'json'),
			},
		}),
		tool('segmind', 'Check', {
			resource: 'request',
			operation: 'getStatus',
			request: fromAi('Request_ID'),
		}),
		resultTool(),
		tool('segmind', 'Ask', {
			resource: 'text',
			model: slug('gpt-5.4-mini'),
			options: {
				...FAST_POLLING,
				requestBody: `={{ { "messages": [{ "role": "user", "content": $fromAI('Question') }] } }}`,
			},
		}),
	];
}

/** Returns tools that manage the account: balance, endpoints and fine-tunes. */
export function managementTools() {
	return [
		tool('segmindCredits', 'Balance', {}),
		tool('segmindEndpoint', 'New Endpoint', {
			descriptionType: 'manual',
			toolDescription: 'Deploys a model on GPUs, which are paid by the hour',
			operation: 'create',
			endpointName: fromAi('Endpoint_Name'),
			modelName: fromAi('Model_Name'),
			workersMax: fromAi('Workers_Max', 'At most 10', 'number'),
		}),
		tool('segmindEndpoint', 'Endpoints', { operation: 'getAll' }),
		tool('segmindFineTune', 'Share', {
			resource: 'job',
			operation: 'updateAccess',
			finetuneId: slug(fromAi('Fine-Tune')),
			segmindPublic: fromAi('Segmind_Public', 'Whether everybody may use it', 'boolean'),
		}),
		tool('segmindFineTune', 'Trained', { resource: 'job', operation: 'getAll' }),
	];
}
