import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationTitle } from '../shared/descriptions/subtitle';
import { operationOf, resourceProperties } from '../shared/items/operations';
import { runAccountItems } from './accountCalls';
import { apiKey } from './apiKeys';
import { session } from './sessions';

const resources = { session, apiKey };
const properties = resourceProperties(resources, {
	session: 'Session',
	apiKey: 'API Key',
});

export class SegmindAccount implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Account',
		name: 'segmindAccount',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: `={{ ${operationTitle(properties)} }}`,
		description: 'Read the profile and manage API keys',
		defaults: { name: 'Segmind Account' },
		// An agent could delete or restrict the account's API keys.
		usableAsTool: undefined,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindSessionApi', required: true }],
		properties,
	};

	/** For the build, which writes the output of each operation beside the node (docs/n8n.md N273). */
	readonly operations = resources;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const names = ['resource', 'operation'];
		return await runAccountItems(this, properties, operationOf(this, resources, names));
	}
}
