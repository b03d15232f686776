import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationTitle } from '../shared/descriptions/subtitle';
import { operationOf, operationProperties } from '../shared/items/operations';
import { runItems } from '../shared/items/runItems';
import { environmentField, operations } from './endpointOperations';
import { searchEndpoints } from './searchEndpoints';

const [operationField, ...fields] = operationProperties(operations);
const properties = [operationField, environmentField, ...fields];

export class SegmindEndpoint implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Endpoint',
		name: 'segmindEndpoint',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: `={{ ${operationTitle(properties)} + ($parameter["environment"] === "staging" ? " (Staging)" : "") }}`,
		description: 'Manage dedicated endpoints on Segmind',
		defaults: { name: 'Segmind Endpoint' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	methods = { listSearch: { searchEndpoints } };

	/** For the build, which writes the output of each operation beside the node (docs/n8n.md N273). */
	readonly operations = operations;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, properties, operationOf(this, operations));
	}
}
