import type { INode, INodeParameters, NodeConnectionType } from 'n8n-workflow';

import type { WorkflowFile } from '../../dev/base/workflows';
import { SCRIPTED_MODEL } from '../../dev/n8n/scriptedModel';
import { chain, node, slug } from '../helpers/n8nWorkflows';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** The name of the agent's node. */
export const AGENT = 'AI Agent';

/** Returns the value of a parameter that the chat model fills in, as the editor's button writes it. */
export function fromAi(
	key: string,
	description = '',
	type: 'string' | 'number' | 'boolean' | 'json' = 'string',
): string {
	return `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, '${type}') }}`;
}

/** Returns one of our action nodes as an agent's tool. */
export function tool(
	type: string,
	name: string,
	parameters: INodeParameters,
	more: Partial<INode> = {},
): INode {
	return node(`${type}Tool`, parameters, { name, ...more });
}

export interface AgentSetup {
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
export function agentWorkflow({
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
