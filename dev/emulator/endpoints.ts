import { z } from 'zod';

const text = z.string().min(1);
const count = z.number().int().min(0);
const MAX_WORKERS = 10;

/** The fields that an update may change (docs/service.md S321). */
export const endpointChanges = z.object({
	workers_min: count,
	workers_max: count.max(MAX_WORKERS),
	idle_timeout: count,
	execution_timeout: count,
	scaler_type: text,
	scaler_value: count,
});
/** The fields that a new endpoint needs. */
export const newEndpoint = endpointChanges.extend({
	endpoint_name: text,
	model_name: text,
	gpu_id: text,
});

/** A dedicated endpoint, with exactly the fields that the list returns. */
export interface EndpointRecord extends z.infer<typeof newEndpoint> {
	endpoint_id: string;
	status: string;
	created_at: string;
}

/** The endpoints of one environment by ID, in creation order. */
export type EndpointStore = Map<string, EndpointRecord>;
