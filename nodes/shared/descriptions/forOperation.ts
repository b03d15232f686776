import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

/** Shows fields for one operation only. */
export function forOperation(operation: string, fields: INodeProperties[]): INodeProperties[] {
	return updateDisplayOptions({ show: { operation: [operation] } }, fields);
}

/** Of all nodes that have resources. */
type Resource = 'apiKey' | 'dataset' | 'job' | 'session' | 'signIn' | 'weight';

/** Shows fields for one operation of one resource only. */
export function forResourceOperation(
	resource: Resource,
	operation: string,
	fields: INodeProperties[],
): INodeProperties[] {
	return updateDisplayOptions({ show: { resource: [resource], operation: [operation] } }, fields);
}
