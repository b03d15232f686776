/** The scaling fields of `create` and `update` (docs/service.md S321, S322). */
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { badInput } from '../shared/errors/failures';
import { INPUTS } from '../shared/errors/inputTable';
import { readText, readBoolean, readInteger } from '../shared/inputs/values';

const scalerType: INodeProperties = {
	displayName: 'Scaler Type',
	name: 'scalerType',
	type: 'resourceLocator',
	default: { mode: 'list', value: 'REQUEST_COUNT' },
	description: 'The metric that determines how many workers run',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: {
				searchListMethod: 'searchScalerTypes',
				searchable: true,
				skipCredentialsCheckInRLC: true,
			},
		},
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. REQUEST_COUNT' },
	],
};

function integerField(
	name: string,
	displayName: string,
	defaultValue: number,
	description: string,
) {
	const typeOptions = { minValue: 0, numberPrecision: 0 };
	return {
		displayName,
		name,
		type: 'number' as const,
		typeOptions,
		default: defaultValue,
		description,
	};
}

/** The scaling fields in the order of the request. */
export const scalingFields: INodeProperties[] = [
	integerField(
		'workersMin',
		'Workers Min',
		0,
		'Number of workers that are always on and charged for, even without requests. If it is 0, the first request waits until a worker has started.',
	),
	integerField(
		'workersMax',
		'Workers Max',
		1,
		'Maximum number of workers at the same time. Segmind documents a limit of 10.',
	),
	scalerType,
	integerField(
		'scalerValue',
		'Scaler Value',
		1,
		'Threshold of the scaler, such as requests per worker',
	),
	integerField(
		'idleTimeout',
		'Idle Timeout',
		60,
		"How long a worker beyond Workers Min stays on, and is charged for, after its last request. Probably in seconds; Segmind doesn't document the unit.",
	),
	integerField(
		'executionTimeout',
		'Execution Timeout',
		600,
		"How long a single request may run. Probably in seconds; Segmind doesn't document the unit.",
	),
];

const forceUpdate: INodeProperties = {
	displayName: 'Force Update',
	name: 'forceUpdate',
	type: 'boolean',
	default: false,
	description: 'Whether to apply the change even if the endpoint is processing requests',
};

const UPDATABLE_FIELDS = [...scalingFields, forceUpdate];

/** The fields of `update`, sorted by display name, as n8n shows them. */
export const updateFields: INodeProperties[] = [...UPDATABLE_FIELDS].sort((one, other) =>
	one.displayName < other.displayName ? -1 : 1,
);

/**
 * Returns the given fields under the service's names, in the service's order, without missing fields.
 * @throws SegmindFailure that names the first field with a wrong value, before any call
 */
export function scalingBody(given: Record<string, unknown>): IDataObject {
	const body: IDataObject = {};
	for (const field of UPDATABLE_FIELDS.filter(({ name }) => name in given))
		body[wireName(field.name)] = valueOf(field, given[field.name]);
	const { workers_min: min, workers_max: max } = body;
	if (typeof min === 'number' && typeof max === 'number' && min > max)
		throw badInput(INPUTS.workersSwapped, { least: min, most: max });
	return body;
}

function valueOf({ type, displayName }: INodeProperties, value: unknown) {
	if (type === 'number') return readInteger(value, displayName);
	return type === 'boolean' ? readBoolean(value, displayName) : readText(value, displayName);
}

/** `workersMin` becomes `workers_min`. */
function wireName(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
