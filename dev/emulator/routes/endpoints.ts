import { randomBytes } from 'node:crypto';
import type { Router } from 'express';
import { z } from 'zod';
import { changeable, creation, type EndpointRecord, type EndpointStore } from '../endpoints';
import { refuse } from '../refusal';
import { jsonObject, requireJson, routerOf, withKey, type Handler } from '../routing';
import type { Service } from '../service';

// An instruction, not a member of the endpoint.
const instruction = z.object({ force_update: z.boolean().optional() });

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
			const given = checked(creation, jsonObject(request));
			requireOrder(given);
			// Opaque, such as tpr9hugy367nbz.
			const endpoint_id = randomBytes(7).toString('hex');
			const created_at = new Date(service.now()).toISOString();
			store.set(endpoint_id, { endpoint_id, ...given, status: 'READY', created_at });
			response.json({ endpoint_id, message: 'Endpoint created successfully' });
		},
		PUT(request, response) {
			const body = jsonObject(request);
			const record = named(body);
			checked(instruction, body);
			const changes = checked(changeable.partial(), body);
			// Limits hold for the record as it will be.
			requireOrder({ ...record, ...changes });
			const { endpoint_id } = Object.assign(record, changes);
			response.json({ endpoint_id, message: 'Endpoint updated successfully' });
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
					const endpoints = [...store.values()];
					response.json(service.orders.endpointList === 'array' ? endpoints : { endpoints });
				},
			},
		}),
	);
}

/** The known arguments; rejects missing and wrong ones. */
function checked<T>(schema: z.ZodType<T>, body: Record<string, unknown>): T {
	const { data, error } = schema.safeParse(body);
	if (!error) return data as T;
	const names = (issues: z.ZodIssue[]) => issues.map(({ path }) => path[0]).join(', ');
	const missing = error.issues.filter(({ path }) => body[path[0]] === undefined);
	if (missing.length > 0) refuse(400, `Missing required arguments: ${names(missing)}`);
	return refuse(400, `Invalid arguments: ${names(error.issues)}`);
}

function requireOrder({ workers_min: least, workers_max: most }: z.infer<typeof changeable>): void {
	if (least > most) refuse(400, 'Invalid argument workers_min: above workers_max');
}
