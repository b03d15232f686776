import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

/** Shows fields for one operation only. */
export function showForOperation(operation: string, fields: INodeProperties[]): INodeProperties[] {
	return updateDisplayOptions({ show: { operation: [operation] } }, fields);
}

/** The resources of all nodes that have resources. */
type Resource = 'apiKey' | 'dataset' | 'job' | 'request' | 'session' | 'signIn' | 'weight';

/** Shows fields for one operation of one resource only. */
export function showForResourceOperation(
	resource: Resource,
	operation: string,
	fields: INodeProperties[],
): INodeProperties[] {
	return updateDisplayOptions({ show: { resource: [resource], operation: [operation] } }, fields);
}

/** Returns the Operation dropdown of a node, or of one of its resources. */
export function operationField(
	resource: Resource | undefined,
	defaultOperation: string,
	options: INodePropertyOptions[],
): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		...(resource && { displayOptions: { show: { resource: [resource] } } }),
		options,
		default: defaultOperation,
	};
}
