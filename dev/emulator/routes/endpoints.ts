import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
	endpointChanges,
	newEndpoint,
	type EndpointRecord,
	type EndpointStore,
} from '../endpoints';
import { reject } from '../rejection';
import {
	readJsonObject,
	requireJson,
	guardWithKey,
	ofKind,
	type Handler,
	type Routes,
} from '../routing';
import type { Service } from '../service';

// An option of the update, not a field of the endpoint.
const updateOptions = z.object({ force_update: z.boolean().optional() });

/** Serves the endpoints of one environment. For /endpoint/add, /update and /delete, the method decides what happens, not the path. */
export function endpointRoutes(service: Service, store: EndpointStore): Routes {
	const requireEndpoint = (body: Record<string, unknown>): EndpointRecord => {
		const { endpoint_id: id } = body;
		if (typeof id !== 'string' || id === '') reject(400, 'Missing required arguments: endpoint_id');
		return store.get(id) ?? reject(404, `Endpoint ${id} not found`);
	};
	const changeHandlers: Record<string, Handler> = {
		POST(request, response) {
			const endpoint = checkArguments(newEndpoint, readJsonObject(request));
			requireMinNotAboveMax(endpoint);
			// Segmind's IDs look like tpr9hugy367nbz.
			const endpoint_id = randomBytes(7).toString('hex');
			const created_at = new Date(service.now()).toISOString();
			store.set(endpoint_id, { endpoint_id, ...endpoint, status: 'READY', created_at });
			response.json({ endpoint_id, message: 'Endpoint created successfully' });
		},
		PUT(request, response) {
			const body = readJsonObject(request);
			const record = requireEndpoint(body);
			checkArguments(updateOptions, body);
			const changes = checkArguments(endpointChanges.partial(), body);
			// The limits apply to the record after the update.
			requireMinNotAboveMax({ ...record, ...changes });
			const { endpoint_id } = Object.assign(record, changes);
			response.json({ endpoint_id, message: 'Endpoint updated successfully' });
		},
		DELETE(request, response) {
			const { endpoint_id } = requireEndpoint(readJsonObject(request));
			store.delete(endpoint_id);
			response.json({ endpoint_id, message: 'Endpoint deleted successfully' });
		},
	};
	return guardWithKey(
		service,
		ofKind('endpoint', {
			'/endpoint/add': changeHandlers,
			'/endpoint/update': changeHandlers,
			'/endpoint/delete': changeHandlers,
			'/endpoint/list': {
				GET(request, response) {
					// The API requires the JSON content type for all its calls, even for this one without a body.
					requireJson(request);
					const endpoints = [...store.values()];
					response.json(service.orders.endpointList === 'array' ? endpoints : { endpoints });
				},
			},
		}),
	);
}

/** Returns the arguments that the schema knows. @throws Rejection with 400 if one is missing or wrong */
function checkArguments<T>(schema: z.ZodType<T>, body: Record<string, unknown>): T {
	const { data, error } = schema.safeParse(body);
	if (!error) return data as T;
	const names = (issues: z.ZodIssue[]) => issues.map(({ path }) => path[0]).join(', ');
	const missing = error.issues.filter(({ path }) => body[path[0]] === undefined);
	if (missing.length > 0) reject(400, `Missing required arguments: ${names(missing)}`);
	return reject(400, `Invalid arguments: ${names(error.issues)}`);
}

function requireMinNotAboveMax({
	workers_min: min,
	workers_max: max,
}: z.infer<typeof endpointChanges>): void {
	if (min > max) reject(400, 'Invalid argument workers_min: above workers_max');
}
