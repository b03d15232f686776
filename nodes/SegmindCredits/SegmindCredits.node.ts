import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { periodFields } from '../shared/inputs/period';
import { operationTitle } from '../shared/descriptions/subtitle';
import { operationOf, operationProperties, type Operations } from '../shared/items/operations';
import { runItems } from '../shared/items/runItems';
import { readBalance } from '../shared/run/balance';
import { getUsage, groupByField } from './usage';

const operations: Operations = {
	/** GET {baseUrl}/v1/get-user-credits (free). */
	get: {
		name: 'Get Balance',
		description: 'Get the balance in USD',
		action: 'Get the balance',
		output: { credits: 'number', 'free-credits': 'number', total: 'number' },
		execute: async ({ run }) => ({ json: { ...(await readBalance(run)) } }),
	},
	getUsage: {
		name: 'Get Usage',
		description:
			"Get the cost and number of requests. This reads the request history, which isn't officially documented.",
		action: 'Get the usage',
		fields: [...periodFields, groupByField],
		output: { date: 'string', model: 'string', requests: 'number', cost: 'number' },
		execute: getUsage,
	},
};
const properties = operationProperties(operations);

export class SegmindCredits implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Credits',
		name: 'segmindCredits',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: `={{ ${operationTitle(properties)} }}`,
		description: 'Read the balance and the cost of each model',
		defaults: { name: 'Segmind Credits' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	/** For the build, which writes the output of each operation beside the node (docs/n8n.md N273). */
	readonly operations = operations;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, properties, operationOf(this, operations));
	}
}
