import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { SegmindFailure } from '../shared/base/failure';
import { snakeCase } from '../shared/base/text';
import {
	choiceField,
	collectionField,
	notice,
	numberField,
	pickerField,
	requiredText,
	switchField,
	textField,
	WHOLE,
} from '../shared/descriptions/fields';
import { limitFields } from '../shared/descriptions/limit';
import type { Operations } from '../shared/items/operations';
import { optionsField } from '../shared/descriptions/options';
import { emptyInput, wrongInput } from '../shared/errors/failures';
import { quoted, say } from '../shared/errors/say';
import { doOnce, type Action } from '../shared/manage/doOnce';
import {
	changeManaged,
	createManaged,
	listManaged,
	type ManagedCall,
} from '../shared/manage/managedCalls';
import { isServiceResponse, managedItem } from '../shared/output/managedItems';
import type { ItemParameters } from '../shared/parameters/itemParameters';
import type { Item } from '../shared/run/item';
import { joinUrl } from '../shared/service/addresses';
import { ENDPOINT_HEADERS } from './searchEndpoints';

export const environmentField = choiceField(
	'environment',
	'Environment',
	'Each environment has its own endpoints. The API addresses of both environments are in the credential.',
	[
		['production', 'Production'],
		['staging', 'Staging'],
	],
	'production',
);

const endpointIdField: INodeProperties = {
	...pickerField(
		'endpointId',
		'Endpoint',
		'The endpoint, in the environment chosen above',
		{ method: 'searchEndpoints', placeholder: 'Choose an endpoint' },
		{
			displayName: 'By ID',
			name: 'id',
			placeholder: 'e.g. tpr9hugy367nbz',
			hint: 'The endpoint_id from the output of Create Endpoint or Get Many',
		},
	),
	required: true,
};

/** The scaling fields, in the order of the request (docs/service.md S321, S322). */
const scalingFields: INodeProperties[] = [
	numberField(
		'workersMin',
		'Workers Min',
		0,
		'Number of workers that are always on and charged for, even without requests. If it is 0, the first request waits until a worker has started.',
		WHOLE,
	),
	numberField(
		'workersMax',
		'Workers Max',
		1,
		'Maximum number of workers at the same time. Segmind documents a limit of 10.',
		WHOLE,
	),
	textField(
		'scalerType',
		'Scaler Type',
		'The metric that determines how many workers run. Segmind documents REQUEST_COUNT.',
		{ default: 'REQUEST_COUNT' },
	),
	numberField(
		'scalerValue',
		'Scaler Value',
		1,
		'Threshold of the scaler, such as requests per worker',
		WHOLE,
	),
	numberField(
		'idleTimeout',
		'Idle Timeout',
		60,
		"How long a worker beyond Workers Min stays on, and is charged for, after its last request. Segmind doesn't document the unit, which is probably seconds. The number is sent as entered.",
		WHOLE,
	),
	numberField(
		'executionTimeout',
		'Execution Timeout',
		600,
		"How long a single request may run. Segmind doesn't document the unit, which is probably seconds. The number is sent as entered.",
		WHOLE,
	),
];

const UPDATABLE_FIELDS = [
	...scalingFields,
	switchField(
		'forceUpdate',
		'Force Update',
		"Whether to send force_update as true. Segmind doesn't document what it does: it probably applies the change even if the endpoint is processing requests.",
	),
];

/** Returns fields in the order in which a collection lists them. */
function byTitle(fields: INodeProperties[]): INodeProperties[] {
	return [...fields].sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
}

export const operations: Operations = {
	/** GET {endpointAdminUrl}/endpoint/list. One call per run and environment. */
	getAll: {
		name: 'Get Many',
		description: 'List the endpoints of the account',
		action: 'Get many dedicated endpoints',
		fields: limitFields,
		output: {
			endpoint_id: 'string',
			endpoint_name: 'string',
			model_name: 'string',
			gpu_id: 'string',
			status: 'string',
			workers_min: 'number',
			workers_max: 'number',
		},
		execute: async (item) => {
			const call = { url: endpointUrl(item, 'list'), headers: ENDPOINT_HEADERS };
			return await listManaged(item, call, 'the call for the list of endpoints');
		},
	},
	/** POST {endpointAdminUrl}/endpoint/add. Journaled, so that a retry doesn't create a second endpoint, which would be charged. */
	create: {
		name: 'Create Endpoint',
		description: 'Deploy a model on dedicated GPUs, charged by the hour',
		action: 'Create a dedicated endpoint',
		fields: [
			notice(
				'chargeNotice',
				'Segmind charges by the hour for each running worker, even if it gets no requests',
			),
			requiredText(
				'endpointName',
				'Endpoint Name',
				"Name of the new endpoint. To run the endpoint, use this name as the model's slug.",
				'e.g. product-photos',
			),
			requiredText(
				'modelName',
				'Model Name',
				"The slug of the model to deploy. Segmind doesn't publish which models can be deployed.",
				'e.g. flux-dev',
			),
			textField(
				'gpuId',
				'GPU',
				'GPU of each worker, charged by the hour while a worker is running. Segmind documents AMPERE_80.',
				{ default: 'AMPERE_80', required: true },
			),
			...scalingFields,
			optionsField('create'),
		],
		output: { endpoint_name: 'string', created: 'boolean', endpoint_id: 'string' },
		execute: createEndpoint,
	},
	/** PUT {endpointAdminUrl}/endpoint/update with the fields that the user set. */
	update: {
		name: 'Update Endpoint',
		description: 'Change the number of workers of an endpoint and how it scales',
		action: 'Update the scaling of a dedicated endpoint',
		fields: [
			endpointIdField,
			{
				...collectionField('updateFields', 'Update Fields', 'Add Field', byTitle(UPDATABLE_FIELDS)),
				description:
					"Only the fields you add are sent. Segmind doesn't document what happens to the other fields, so add all seven to be safe.",
			},
		],
		output: { endpoint_id: 'string', updated: 'boolean' },
		execute: updateEndpoint,
	},
	/** DELETE {endpointAdminUrl}/endpoint/delete with the ID in the body: a POST with the same body would create an endpoint. */
	delete: {
		name: 'Delete Endpoint',
		description: 'Delete an endpoint permanently',
		action: 'Delete a dedicated endpoint',
		fields: [endpointIdField],
		output: { endpoint_id: 'string', deleted: 'boolean' },
		execute: deleteEndpoint,
	},
};

/** Returns the URL of an endpoint call (docs/service.md S3, S4). @throws SegmindFailure for another environment: a GPU in the wrong one also costs money */
function endpointUrl(item: Item, action: string): string {
	const { run, parameters } = item;
	const environment = parameters.choice('environment', ['production', 'staging']);
	const { endpointAdminUrl, endpointAdminStagingUrl } = run.client.urls;
	const base = environment === 'staging' ? endpointAdminStagingUrl : endpointAdminUrl;
	return joinUrl(base, `/endpoint/${action}`);
}

async function createEndpoint(item: Item): Promise<INodeExecutionData> {
	const { parameters } = item;
	const body = {
		endpoint_name: parameters.text('endpointName'),
		model_name: parameters.text('modelName'),
		...readScaling(item, ''),
		gpu_id: parameters.text('gpuId'),
	};
	const { endpoint_name } = body;
	const creation = {
		kind: 'endpoint',
		idName: 'endpoint_id',
		subject: `creating endpoint ${quoted(endpoint_name)}`,
		whereToLook:
			'Check with Get Many whether the endpoint exists, because a running worker is charged by the hour.',
	};
	const call = { url: endpointUrl(item, 'add'), body: JSON.stringify(body) };
	return await createManaged(item, creation, call, (response) =>
		isServiceResponse(response) ? managedItem({ endpoint_name }, 'created', response) : undefined,
	);
}

/** Returns a call that changes an endpoint. */
function endpointCall(
	item: Item,
	method: 'PUT' | 'DELETE',
	action: 'update' | 'delete',
	body: IDataObject,
): ManagedCall {
	const url = endpointUrl(item, action);
	return { method, url, headers: ENDPOINT_HEADERS, body: JSON.stringify(body) };
}

async function updateEndpoint(item: Item): Promise<INodeExecutionData> {
	const { run, parameters } = item;
	const changes = readScaling(item, 'updateFields.');
	if (Object.keys(changes).length === 0)
		throw emptyInput(parameters.label('updateFields'), say`Add the fields to change.`);
	const endpoint_id = parameters.text('endpointId');
	const action: Action = {
		subject: `updating endpoint ${quoted(endpoint_id)}`,
		doneTwice: 'harmless',
	};
	const call = endpointCall(item, 'PUT', 'update', { endpoint_id, ...changes });
	const response = await changeManaged(run, call, action);
	return managedItem({ endpoint_id }, 'updated', response);
}

async function deleteEndpoint(item: Item): Promise<INodeExecutionData> {
	const { run, parameters } = item;
	const endpoint_id = parameters.text('endpointId');
	const action: Action = {
		subject: `deleting endpoint ${quoted(endpoint_id)}`,
		doneTwice: 'harmless',
	};
	const call = endpointCall(item, 'DELETE', 'delete', { endpoint_id });
	return await doOnce(item, action, async (watch, wasTried) => {
		const response = await changeManaged(run, call, action, watch).catch((error: unknown) => {
			// An earlier attempt, whose response was lost, has deleted the endpoint.
			if (wasTried && isGone(error)) return undefined;
			throw error;
		});
		return managedItem({ endpoint_id }, 'deleted', response);
	});
}

/** Whether Segmind itself says that there is no such endpoint. */
function isGone(error: unknown): boolean {
	if (!(error instanceof SegmindFailure)) return false;
	const { httpCode, responder } = error.facts;
	return httpCode === 404 && responder === 'segmind';
}

/**
 * Reads the scaling fields that the node has, under the service's names and in the service's order. `place`: the path before a field's name.
 * @throws SegmindFailure that names the first field with a wrong value, before any call
 */
function readScaling({ parameters }: Item, place: '' | 'updateFields.'): IDataObject {
	const fields = UPDATABLE_FIELDS.filter(({ name }) => parameters.has(place + name));
	const body: IDataObject = Object.fromEntries(
		fields.map(({ name, type }) => [snakeCase(name), readByType(parameters, place + name, type)]),
	);
	const { workers_min: min, workers_max: max } = body;
	if (typeof min === 'number' && typeof max === 'number' && min > max) {
		const wanted = `at most ${parameters.label(`${place}workersMax`)} (${max})`;
		throw wrongInput(parameters.label(`${place}workersMin`), min, wanted);
	}
	return body;
}

function readByType(parameters: ItemParameters, path: string, type: INodeProperties['type']) {
	if (type === 'number') return parameters.integer(path);
	return type === 'boolean' ? parameters.boolean(path) : parameters.requiredText(path);
}
