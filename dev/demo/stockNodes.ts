/**
 * Stand-ins for n8n's own nodes (the package n8n-nodes-base), which aren't installed here. The two examples of the demo need four of them. The
 * stand-ins support only the parameters that these examples use; in n8n the examples run with the original nodes.
 */
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
} from 'n8n-workflow';
import { jsonParse, NodeConnectionTypes } from 'n8n-workflow';

type Work = (context: IExecuteFunctions) => INodeExecutionData[];

export const stockNodes: Record<string, INodeType> = {
	'n8n-nodes-base.stickyNote': standIn('stickyNote', [], () => []),

	'n8n-nodes-base.manualTrigger': standIn('manualTrigger', [], (context) => context.getInputData()),

	/** Edit Fields in JSON mode: each item becomes the object in the parameter. */
	'n8n-nodes-base.set': standIn(
		'set',
		[property('mode', 'options', 'manual'), property('jsonOutput', 'json', '{}')],
		(context) => {
			if (context.getNodeParameter('mode', 0) !== 'raw')
				throw new Error('The stand-in for Edit Fields supports only JSON mode');
			return context.getInputData().map((_item, at) => ({
				json: jsonParse(context.getNodeParameter('jsonOutput', at) as string),
				pairedItem: { item: at },
			}));
		},
	),

	/** Split Out: one item for each entry of a list. */
	'n8n-nodes-base.splitOut': standIn(
		'splitOut',
		[
			property('fieldToSplitOut', 'string', ''),
			{
				...property('options', 'collection', {}),
				options: [property('destinationFieldName', 'string', '')],
			},
		],
		(context) => {
			const from = context.getNodeParameter('fieldToSplitOut', 0) as string;
			const to = context.getNodeParameter('options.destinationFieldName', 0, from) as string;
			return context
				.getInputData()
				.flatMap(({ json }, at) =>
					[json[from]].flat().map((entry) => ({ json: { [to]: entry }, pairedItem: { item: at } })),
				) as INodeExecutionData[];
		},
	),
};

function standIn(name: string, properties: INodeProperties[], work: Work): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: ['transform'],
			version: [1, 3.4],
			description: '',
			defaults: { name },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties,
		},
		async execute() {
			return [work(this)];
		},
	};
}

function property(
	name: string,
	type: INodeProperties['type'],
	fallback: INodeProperties['default'],
): INodeProperties {
	return { displayName: name, name, type, default: fallback };
}
