import { randomInt } from 'node:crypto';
import type { EndpointRecord } from './types';

/** What a creation takes, with the type of each argument (docs/service.md S321). */
export const creationArguments = {
	endpoint_name: 'string',
	model_name: 'string',
	workers_min: 'integer',
	workers_max: 'integer',
	idle_timeout: 'integer',
	execution_timeout: 'integer',
	scaler_type: 'string',
	scaler_value: 'integer',
	gpu_id: 'string',
} as const;

export const updateArguments = {
	workers_min: 'integer',
	workers_max: 'integer',
	idle_timeout: 'integer',
	execution_timeout: 'integer',
	scaler_type: 'string',
	scaler_value: 'integer',
	force_update: 'boolean',
} as const;

const mostWorkers = 10;

/** What is wrong with the arguments that are there, in words, or undefined. */
export function argumentFault(
	types: Record<string, 'string' | 'integer' | 'boolean'>,
	body: Record<string, unknown>,
): string | undefined {
	for (const [name, type] of Object.entries(types)) {
		const value = body[name];
		if (value === undefined) continue;
		const fits =
			type === 'integer'
				? Number.isInteger(value) && Number(value) >= 0
				: type === 'string'
					? typeof value === 'string' && value !== ''
					: typeof value === 'boolean';
		if (!fits) return `Invalid argument ${name}: expected ${type}`;
	}
	const { workers_min: least, workers_max: most } = body;
	if (Number(most) > mostWorkers) return `Invalid argument workers_max: at most ${mostWorkers}`;
	if (Number(least) > Number(most)) return 'Invalid argument workers_min: above workers_max';
	return undefined;
}

/** Opaque ids such as tpr9hugy367nbz. */
export function newEndpointId(): string {
	const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
	return Array.from({ length: 14 }, () => letters[randomInt(letters.length)]).join('');
}

/** The endpoints of one environment, in creation order. */
export type EndpointStore = Map<string, EndpointRecord>;
