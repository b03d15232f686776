import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../service/schemas';

export interface NamedOutputs {
	/** Values by keyname; outputs with the same name become a list. */
	byName: IDataObject;
	/** Values in the service's order, each with its declared type, if there is one. */
	values: Array<{ value: unknown; type?: string }>;
	/** Whether `values` contains the whole output. False if the output has more members than names, values and types. */
	isWhole: boolean;
}

/**
 * Reads the named outputs of a workflow: a list of `{keyname, value}`, where a value may be `{data, type}` (docs/service.md S155), or the plain object of
 * older templates. Undefined if the output is neither.
 */
export function readNamedOutputs(output: unknown): NamedOutputs | undefined {
	if (Array.isArray(output)) {
		const entries = output.filter(
			(entry): entry is Record<string, unknown> =>
				isObject(entry) && typeof entry.keyname === 'string',
		);
		if (entries.length === 0 && output.length > 0) return undefined;
		const isWhole =
			entries.length === output.length &&
			entries.every((entry) => hasOnly(entry, ['keyname', 'value']));
		return collectPairs(
			// Without a value, the name would be lost in JSON.
			entries.map((entry) => [entry.keyname as string, entry.value ?? null]),
			isWhole,
		);
	}
	return isObject(output) ? collectPairs(Object.entries(output), true) : undefined;
}

function hasOnly(value: Record<string, unknown>, names: string[]): boolean {
	return Object.keys(value).every((name) => names.includes(name));
}

function collectPairs(pairs: Array<[string, unknown]>, isWhole: boolean): NamedOutputs {
	const valuesByName = new Map<string, unknown[]>();
	const values: NamedOutputs['values'] = [];
	for (const [name, raw] of pairs) {
		const isTyped = isObject(raw) && 'data' in raw && hasOnly(raw, ['data', 'type']);
		const value = isTyped ? raw.data : raw;
		values.push({ value, type: isTyped && typeof raw.type === 'string' ? raw.type : undefined });
		const list = valuesByName.get(name);
		if (list) list.push(value);
		else valuesByName.set(name, [value]);
	}
	return {
		byName: Object.fromEntries(
			[...valuesByName].map(([name, list]) => [name, list.length === 1 ? list[0] : list]),
		) as IDataObject,
		values,
		isWhole,
	};
}
