import type { INodeProperties } from 'n8n-workflow';

import { stableJson } from '../base/hash';
import { without } from '../base/without';
import {
	DELIVERY_OPTIONS,
	MAKING_OPTIONS,
	REQUEST_OPTIONS,
	RUN_OPTIONS,
	type Option,
} from '../descriptions/options';
import { isObject } from '../service/schemas';

/** What isn't part of the request. Changing it before a retry must not send another one. */
const BESIDE: readonly Option[] = [MAKING_OPTIONS, DELIVERY_OPTIONS, RUN_OPTIONS].flatMap(
	(table): Option[] => Object.values(table),
);
const PARAMETERS_BESIDE = new Set(BESIDE.filter(({ of }) => !of).map(({ field }) => field.name));
const OPTIONS_BESIDE = new Set(BESIDE.filter(({ of }) => of).map(({ field }) => field.name));
const SENT: ReadonlyArray<Pick<Option, 'field' | 'sendsDefault'>> = Object.values(REQUEST_OPTIONS);
const DEFAULTS_SENT = SENT.filter(({ sendsDefault }) => sendsDefault).map(
	({ field }) => field.name,
);

/**
 * Returns the part of a node's raw parameters that determines the request, including resource and operation: the same fields may mean something else under
 * another one. Leaves out what may change while the request stays the same: the options of other tables, the display name that a picker caches, a form's
 * stored schema, empty values, and default values that aren't sent (a package update adds new ones).
 */
export function requestParametersOf(
	parameters: Record<string, unknown>,
	properties: readonly INodeProperties[],
): Record<string, unknown> {
	const { options: added, ...others } = parameters;
	const options = isObject(added) ? added : {};
	return significantMembers(
		{
			...without(others, PARAMETERS_BESIDE),
			options: without(options, OPTIONS_BESIDE),
			defaultsSent: DEFAULTS_SENT.filter((name) => name in options),
		},
		properties,
	);
}

/** Returns the raw parameters that determine how the output of a request is made. */
export function makingParametersOf(parameters: Record<string, unknown>): unknown[] {
	const options = isObject(parameters.options) ? parameters.options : {};
	const rows: Option[] = Object.values(MAKING_OPTIONS);
	return rows.map(({ of, field }) => (of ? options : parameters)[field.name]);
}

/** Returns the members without empty values and defaults, each unwrapped. */
function significantMembers(
	values: Record<string, unknown>,
	properties: readonly INodeProperties[],
): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(values).flatMap(([name, value]) => {
			const declared = properties.filter((property) => property.name === name);
			const kept = unwrappedValue(value, declared);
			return isUnset(kept) || isDefault(kept, declared) ? [] : [[name, kept]];
		}),
	);
}

/** Returns a value without its wrapper: a picker's choice, a form's values. */
function unwrappedValue(value: unknown, properties: readonly INodeProperties[]): unknown {
	if (Array.isArray(value)) return value.map((entry) => unwrappedValue(entry, properties));
	if (!isObject(value)) return value;
	if (value.__rl === true) return value.value;
	if ('mappingMode' in value)
		return isObject(value.value) ? significantMembers(value.value, []) : undefined;
	return significantMembers(value, properties.flatMap(innerProperties));
}

/** Returns the properties inside a collection, and the groups of a fixed collection as if they were collections. */
function innerProperties({ options = [] }: INodeProperties): INodeProperties[] {
	return options.flatMap((option) => {
		if ('values' in option)
			return [
				{ ...option, type: 'collection', default: {}, options: option.values } as INodeProperties,
			];
		return 'type' in option ? [option] : [];
	});
}

function isUnset(value: unknown): boolean {
	if (value === undefined || value === null || value === '') return true;
	return typeof value === 'object' && Object.keys(value).length === 0;
}

/** If several properties share a name but not their default, no value counts as default: two different requests must not look equal. */
function isDefault(value: unknown, properties: readonly INodeProperties[]): boolean {
	const defaults = new Set(
		properties.map((property) => stableJson(unwrappedValue(property.default, []))),
	);
	return defaults.size === 1 && defaults.has(stableJson(value));
}
