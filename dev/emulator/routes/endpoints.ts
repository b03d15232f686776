import { Router } from 'express';
import { placed } from '../answers';
import {
	argumentFault,
	creationArguments,
	newEndpointId,
	updateArguments,
	type EndpointStore,
} from '../endpoints';
import { refuse } from '../refusal';
import { jsonObject, methods, requireJson, withKey, type Handler } from '../routing';
import type { Service } from '../service';
import type { EndpointRecord } from '../types';

/**
 * Dedicated endpoints of one environment. /endpoint/add, /update and /delete are one resource: the
 * method decides, whatever the path says (docs/service.md S324).
 */
export function endpointRoutes(service: Service, store: EndpointStore): Router {
	const router = Router({ caseSensitive: true });

	const create: Handler = (request, response) => {
		const body = jsonObject(request);
		const missing = Object.keys(creationArguments).filter((name) => body[name] === undefined);
		if (missing.length > 0) refuse(400, `Missing required arguments: ${missing.join(', ')}`);
		const fault = argumentFault(creationArguments, body);
		if (fault !== undefined) refuse(400, fault);
		const known = Object.fromEntries(
			Object.keys(creationArguments).map((name) => [name, body[name]]),
		);
		const record = {
			endpoint_id: newEndpointId(),
			...known,
			status: 'READY',
			created_at: new Date(service.now()).toISOString(),
		} as EndpointRecord;
		store.set(record.endpoint_id, record);
		response.json({ endpoint_id: record.endpoint_id, message: 'Endpoint created successfully' });
	};

	const named = (body: Record<string, unknown>): EndpointRecord => {
		const { endpoint_id: id } = body;
		if (typeof id !== 'string' || id === '') refuse(400, 'Missing required arguments: endpoint_id');
		const record = store.get(id);
		if (!record) refuse(404, `Endpoint ${id} not found`);
		return record;
	};

	const update: Handler = (request, response) => {
		const body = jsonObject(request);
		const record = named(body);
		const given = Object.keys(updateArguments).filter((name) => body[name] !== undefined);
		const changes = Object.fromEntries(given.map((name) => [name, body[name]]));
		// Limits hold for the record as it will be; force_update is an instruction, not a field.
		const fault = argumentFault(updateArguments, { ...record, ...changes });
		if (fault !== undefined) refuse(400, fault);
		delete changes.force_update;
		Object.assign(record, changes);
		response.json({ endpoint_id: record.endpoint_id, message: 'Endpoint updated successfully' });
	};

	const remove: Handler = (request, response) => {
		const record = named(jsonObject(request));
		if (!service.orders.deletionsWork) {
			response.json({ success: false, message: 'The endpoint could not be deleted' });
			return;
		}
		store.delete(record.endpoint_id);
		response.json({ endpoint_id: record.endpoint_id, message: 'Endpoint deleted successfully' });
	};

	router.all(
		['/endpoint/add', '/endpoint/update', '/endpoint/delete'],
		methods({
			POST: withKey(service, create),
			PUT: withKey(service, update),
			DELETE: withKey(service, remove),
		}),
	);
	router.all(
		'/endpoint/list',
		methods({
			GET: withKey(service, (request, response) => {
				// The root names the content type for all its calls, this one without a body too.
				requireJson(request);
				const endpoints = [...store.values()];
				response.json(placed(endpoints, service.orders.endpointList, 'endpoints'));
			}),
		}),
	);
	return router;
}
