import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../service/schemas';

export interface NamedOutputs {
	/** Values by keyname; outputs with the same name become a list. */
	byName: IDataObject;
	/** Values in the service's order, each with its name and its declared type, if there is one. */
	values: Array<{ name: string; value: unknown; type?: string }>;
	/** Whether `values` contains the whole output. False if the output has more members than names, values and types. */
	isWhole: boolean;
}

/**
 * Reads the named outputs of a workflow: a list of `{keyname, value}`, where a value may be `{data, type}` (docs/service.md S155), or the plain object of
 * older templates. Undefined if the output is neither.
 */
export function readNamedOutputs(output: unknown): NamedOutputs | undefined {
	if (isObject(output)) return namedOutputsOf(Object.entries(output), true);
	if (!Array.isArray(output)) return undefined;
	const entries = output.filter(isObject).filter(({ keyname }) => typeof keyname === 'string');
	if (entries.length === 0 && output.length > 0) return undefined;
	return namedOutputsOf(
		// Without a value, the name would be lost in JSON.
		entries.map(({ keyname, value = null }) => [String(keyname), value]),
		entries.length === output.length &&
			entries.every((entry) => hasOnly(entry, 'keyname', 'value')),
	);
}

function hasOnly(value: object, ...names: string[]): boolean {
	return Object.keys(value).every((name) => names.includes(name));
}

function namedOutputsOf(pairs: Array<[string, unknown]>, isWhole: boolean): NamedOutputs {
	const lists = new Map<string, unknown[]>(pairs.map(([name]) => [name, []]));
	const values = pairs.map(([name, raw]) => {
		const isTyped = isObject(raw) && 'data' in raw && hasOnly(raw, 'data', 'type');
		const value = isTyped ? raw.data : raw;
		lists.get(name)?.push(value);
		return { name, value, type: isTyped && typeof raw.type === 'string' ? raw.type : undefined };
	});
	const members = [...lists].map(([name, list]) => [name, list.length === 1 ? list[0] : list]);
	return { byName: Object.fromEntries(members) as IDataObject, values, isWhole };
}
