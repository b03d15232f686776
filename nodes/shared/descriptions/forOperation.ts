import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

/** Shows fields for one operation only. */
export function showForOperation(operation: string, fields: INodeProperties[]): INodeProperties[] {
	return updateDisplayOptions({ show: { operation: [operation] } }, fields);
}

/** For all nodes that have resources. */
type Resource = 'apiKey' | 'dataset' | 'job' | 'request' | 'session' | 'signIn' | 'weight';

/** Shows fields for one operation of one resource only. */
export function showForResourceOperation(
	resource: Resource,
	operation: string,
	fields: INodeProperties[],
): INodeProperties[] {
	return updateDisplayOptions({ show: { resource: [resource], operation: [operation] } }, fields);
}

/** The Operation dropdown, for one resource if the node has several; `usual` is its default. */
export function operationField(
	resource: Resource | undefined,
	usual: string,
	options: INodePropertyOptions[],
): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		...(resource && { displayOptions: { show: { resource: [resource] } } }),
		options,
		default: usual,
	};
}
