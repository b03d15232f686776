import { z } from 'zod';

const text = z.string().min(1);
const whole = z.number().int().min(0);
const mostWorkers = 10;

/** What may be changed later (docs/service.md S321). */
export const changeable = z.object({
	workers_min: whole,
	workers_max: whole.max(mostWorkers),
	idle_timeout: whole,
	execution_timeout: whole,
	scaler_type: text,
	scaler_value: whole,
});
export const creation = changeable.extend({ endpoint_name: text, model_name: text, gpu_id: text });
/** A dedicated endpoint, with exactly the fields of the list. */
export interface EndpointRecord extends z.infer<typeof creation> {
	endpoint_id: string;
	status: string;
	created_at: string;
}
/** The endpoints of one environment by id, in creation order. */
export type EndpointStore = Map<string, EndpointRecord>;
