import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../service/schemas';

export interface NamedOutputs {
	/** By keyname; outputs with the same name become a list. */
	byName: IDataObject;
	/** In the service's order, with the declared type, if there is one. */
	values: Array<{ value: unknown; type?: string }>;
	/** False if the output has more than names, values and types. */
	isWhole: boolean;
}

/**
 * The named outputs of a workflow: a list of `{keyname, value}`, where a value may be `{data, type}` (docs/service.md S155), or the plain object of
 * older templates. Undefined if the output is neither.
 */
export function readNamedOutputs(output: unknown): NamedOutputs | undefined {
	if (Array.isArray(output)) {
		const named = output.filter(
			(entry): entry is Record<string, unknown> =>
				isObject(entry) && typeof entry.keyname === 'string',
		);
		if (named.length === 0 && output.length > 0) return undefined;
		const isWhole =
			named.length === output.length &&
			named.every((entry) => hasOnly(entry, ['keyname', 'value']));
		return collectPairs(
			named.map((entry) => [entry.keyname as string, entry.value]),
			isWhole,
		);
	}
	return isObject(output) ? collectPairs(Object.entries(output), true) : undefined;
}

function hasOnly(value: Record<string, unknown>, names: string[]): boolean {
	return Object.keys(value).every((name) => names.includes(name));
}

function collectPairs(pairs: Array<[string, unknown]>, isWhole: boolean): NamedOutputs {
	const found = new Map<string, unknown[]>();
	const values: NamedOutputs['values'] = [];
	for (const [name, raw] of pairs) {
		const typed = isObject(raw) && 'data' in raw && hasOnly(raw, ['data', 'type']);
		const value = typed ? raw.data : raw;
		values.push({ value, type: typed && typeof raw.type === 'string' ? raw.type : undefined });
		const list = found.get(name);
		if (list) list.push(value);
		else found.set(name, [value]);
	}
	return {
		byName: Object.fromEntries(
			[...found].map(([name, list]) => [name, list.length === 1 ? list[0] : list]),
		) as IDataObject,
		values,
		isWhole,
	};
}
