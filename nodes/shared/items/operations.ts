/** A node's operations as a table: each row has its entry in the dropdown, its fields, and its work. */
import type { IDisplayOptions, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { capitalize } from '../base/text';
import type { OutputFields } from '../descriptions/outputs';
import { wrongInput } from '../errors/failures';
import type { Item } from '../run/item';
import type { ItemWork } from './runItems';

/** A row without its work. */
interface OperationRow {
	/** In the Operation dropdown. */
	name: string;
	/** In the list of actions. */
	action: string;
	description?: string;
	fields?: INodeProperties[];
	/** The fields that the editor offers before the node has run. The build makes `__schema__` of it (docs/n8n.md N273). */
	output: OutputFields;
}

export type Operation<AnyItem = Item> = OperationRow & { execute: ItemWork<AnyItem> };

/** Operations by value, the default first. */
export type Operations<AnyItem = Item> = Record<string, Operation<AnyItem>>;
type OperationRows = Record<string, OperationRow>;

/** Returns the Operation dropdown of a node, or of one of its resources, and the fields of its operations. */
export function operationProperties(
	operations: OperationRows,
	resource?: string,
): INodeProperties[] {
	const rows = Object.entries(operations);
	const [[first]] = rows;
	const ofResource = resource === undefined ? {} : { resource: [resource] };
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			...(resource !== undefined && { displayOptions: { show: ofResource } }),
			options: rows
				.map(([value, { name, description, action }]) => ({ name, value, description, action }))
				.sort(byName),
			default: first,
		},
		...fieldsOf(operations, ofResource),
	];
}

/** Returns the fields of operations, each shown only for its operation, and only if `show` holds too. */
function fieldsOf(operations: OperationRows, show: IDisplayOptions['show']): INodeProperties[] {
	return Object.entries(operations).flatMap(([value, { fields = [] }]) =>
		updateDisplayOptions({ show: { ...show, operation: [value] } }, fields),
	);
}

/** Returns the Resource dropdown, and the properties of each resource. `names`: the resources' display names, the default first. */
export function resourceProperties(
	resources: Record<string, OperationRows>,
	names: Record<string, string>,
): INodeProperties[] {
	const rows = Object.entries(names);
	const [[first]] = rows;
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: rows.map(([value, name]) => ({ name, value })).sort(byName),
			default: first,
		},
		...rows.flatMap(([resource]) => operationProperties(resources[resource], resource)),
	];
}

function byName(one: { name: string }, other: { name: string }): number {
	return one.name < other.name ? -1 : 1;
}

/**
 * Returns the chosen operation of a node. If there is no such operation, for example because of an expression, the returned one fails for each item.
 * `names`: the parameters that choose the operation, the outer one first.
 */
export function operationOf<Work>(
	context: IExecuteFunctions,
	operations: object,
	names: string[] = ['operation'],
): Work {
	let found: unknown = operations;
	for (const name of names) {
		const value: unknown = context.getNodeParameter(name, 0);
		const isKnown = typeof value === 'string' && Object.hasOwn(found as object, value);
		if (!isKnown) return unknownOperation(name, value, Object.keys(found as object)) as Work;
		found = (found as Record<string, unknown>)[value];
	}
	return (found as { execute: Work }).execute;
}

function unknownOperation(name: string, value: unknown, choices: string[]) {
	const wanted = `one of ${choices.join(', ')}`;
	return async () => await Promise.reject(wrongInput(capitalize(name), value, wanted));
}
