import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { badInput } from '../shared/base/failure';
import { filled, trueOrFalse, wholeNumber } from '../shared/inputs/values';

/** How an endpoint scales: fields of both `create` and `update` (docs/service.md S321, S322). */

const workersMin: INodeProperties = {
	displayName: 'Workers Min',
	name: 'workersMin',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description:
		'Workers that are always on, and paid for, also without requests. 0: the first request waits until one has started.',
};

const workersMax: INodeProperties = {
	displayName: 'Workers Max',
	name: 'workersMax',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 1,
	description: 'Most workers at once; Segmind documents a maximum of 10',
};

const scalerType: INodeProperties = {
	displayName: 'Scaler Type',
	name: 'scalerType',
	type: 'resourceLocator',
	default: { mode: 'list', value: 'REQUEST_COUNT' },
	description: 'What decides how many workers run',
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
		{ displayName: 'By Value', name: 'id', type: 'string', placeholder: 'e.g. REQUEST_COUNT' },
	],
};

const scalerValue: INodeProperties = {
	displayName: 'Scaler Value',
	name: 'scalerValue',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 1,
	description: 'Threshold of the scaler, such as requests per worker',
};

const idleTimeout: INodeProperties = {
	displayName: 'Idle Timeout',
	name: 'idleTimeout',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 60,
	description:
		'How long a worker above Workers Min stays on, and is paid for, after its last request; seconds, as far as known',
};

const executionTimeout: INodeProperties = {
	displayName: 'Execution Timeout',
	name: 'executionTimeout',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 600,
	description: 'How long a single request may run; seconds, as far as known',
};

/** The scaling fields in the order a person fills them in. */
export const scalingFields: INodeProperties[] = [
	workersMin,
	workersMax,
	scalerType,
	scalerValue,
	idleTimeout,
	executionTimeout,
];

const forceUpdate: INodeProperties = {
	displayName: 'Force Update',
	name: 'forceUpdate',
	type: 'boolean',
	default: false,
	description: 'Whether to apply the change even if the endpoint is at work',
};

/** Members of `updateFields`, sorted by display name as the editor lists them. */
export const updateFields: INodeProperties[] = [
	executionTimeout,
	forceUpdate,
	idleTimeout,
	scalerType,
	scalerValue,
	workersMax,
	workersMin,
];

/** A field as the wire has it, checked; `label` is its display name. */
const READERS: Record<
	string,
	{ wire: string; read: (value: unknown) => string | number | boolean }
> = {
	workersMin: whole('workers_min', 'Workers Min'),
	workersMax: whole('workers_max', 'Workers Max'),
	scalerType: { wire: 'scaler_type', read: (value) => filled(value, 'Scaler Type') },
	scalerValue: whole('scaler_value', 'Scaler Value'),
	idleTimeout: whole('idle_timeout', 'Idle Timeout'),
	executionTimeout: whole('execution_timeout', 'Execution Timeout'),
	forceUpdate: { wire: 'force_update', read: (value) => trueOrFalse(value, 'Force Update') },
};

function whole(wire: string, label: string) {
	return { wire, read: (value: unknown) => wholeNumber(value, label) };
}

/**
 * The given fields under their wire names, in wire order; fields that are not given are left out.
 * @throws SegmindFailure naming the first that is no good, before any call
 */
export function scalingBody(given: Record<string, unknown>): IDataObject {
	const body: IDataObject = {};
	for (const [name, { wire, read }] of Object.entries(READERS)) {
		if (name in given) body[wire] = read(given[name]);
	}
	const { workers_min: least, workers_max: most } = body;
	if (typeof least === 'number' && typeof most === 'number' && least > most)
		throw badInput(
			`Workers Min is ${least}, which is above Workers Max (${most})`,
			'Lower Workers Min or raise Workers Max.',
		);
	return body;
}
