import { randomInt } from 'node:crypto';
import type { Router } from 'express';
import { placed } from '../answers';
import { refuse } from '../refusal';
import { jsonObject, requireJson, routerOf, withKey, type Handler } from '../routing';
import type { Service } from '../service';
import type { EndpointRecord, EndpointStore } from '../types';

const creation = {
	endpoint_name: 'string',
	model_name: 'string',
	workers_min: 'integer',
	workers_max: 'integer',
	idle_timeout: 'integer',
	execution_timeout: 'integer',
	scaler_type: 'string',
	scaler_value: 'integer',
	gpu_id: 'string',
};
/** With the type of each argument, as above (docs/service.md S321). */
const update = {
	workers_min: 'integer',
	workers_max: 'integer',
	idle_timeout: 'integer',
	execution_timeout: 'integer',
	scaler_type: 'string',
	scaler_value: 'integer',
	force_update: 'boolean',
};
const mostWorkers = 10;

/**
 * Dedicated endpoints of one environment. /endpoint/add, /update and /delete are one resource: the
 * method decides, whatever the path says (docs/service.md S324).
 */
export function endpointRoutes(service: Service, store: EndpointStore): Router {
	const named = (body: Record<string, unknown>): EndpointRecord => {
		const { endpoint_id: id } = body;
		if (typeof id !== 'string' || id === '') refuse(400, 'Missing required arguments: endpoint_id');
		return store.get(id) ?? refuse(404, `Endpoint ${id} not found`);
	};
	const changing: Record<string, Handler> = {
		POST(request, response) {
			const body = jsonObject(request);
			const missing = Object.keys(creation).filter((name) => body[name] === undefined);
			if (missing.length > 0) refuse(400, `Missing required arguments: ${missing.join(', ')}`);
			check(creation, body);
			const endpoint_id = newId();
			store.set(endpoint_id, {
				endpoint_id,
				...given(creation, body),
				status: 'READY',
				created_at: new Date(service.now()).toISOString(),
			} as EndpointRecord);
			response.json({ endpoint_id, message: 'Endpoint created successfully' });
		},
		PUT(request, response) {
			const body = jsonObject(request);
			const record = named(body);
			const { force_update, ...changes } = given(update, body);
			// Limits hold for the record as it will be; force_update is an instruction, not a field.
			check(update, { ...record, ...changes, force_update });
			Object.assign(record, changes);
			response.json({
				endpoint_id: record.endpoint_id,
				message: 'Endpoint updated successfully',
			});
		},
		DELETE(request, response) {
			const { endpoint_id } = named(jsonObject(request));
			store.delete(endpoint_id);
			response.json({ endpoint_id, message: 'Endpoint deleted successfully' });
		},
	};
	return routerOf(
		withKey(service, {
			'/endpoint/add': changing,
			'/endpoint/update': changing,
			'/endpoint/delete': changing,
			'/endpoint/list': {
				GET(request, response) {
					// The root names the content type for all its calls, this one without a body too.
					requireJson(request);
					response.json(placed([...store.values()], service.orders.endpointList, 'endpoints'));
				},
			},
		}),
	);
}

function given(types: Record<string, string>, body: Record<string, unknown>) {
	const names = Object.keys(types).filter((name) => body[name] !== undefined);
	return Object.fromEntries(names.map((name) => [name, body[name]]));
}

/** Refuses arguments that are there and wrong. */
function check(types: Record<string, string>, body: Record<string, unknown>): void {
	for (const [name, type] of Object.entries(types)) {
		const value = body[name];
		if (value === undefined) continue;
		const fits =
			type === 'integer'
				? Number.isInteger(value) && Number(value) >= 0
				: typeof value === type && value !== '';
		if (!fits) refuse(400, `Invalid argument ${name}: expected ${type}`);
	}
	const { workers_min: least, workers_max: most } = body;
	if (Number(most) > mostWorkers)
		refuse(400, `Invalid argument workers_max: at most ${mostWorkers}`);
	if (Number(least) > Number(most)) refuse(400, 'Invalid argument workers_min: above workers_max');
}

/** Opaque ids such as tpr9hugy367nbz. */
function newId(): string {
	const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
	return Array.from({ length: 14 }, () => letters[randomInt(letters.length)]).join('');
}
