import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

/** One form of a parameter: with other conditions it may stand again, with another default or other choices. */
export interface Form {
	type: string;
	defaultValue: unknown;
	/** Sorted. */
	choices: string[];
	required: boolean;
	/** n8n's displayOptions. */
	shown: Shown;
	/** Of a member: those of the parameter it is in. */
	parentShown?: Shown;
}

type Shown = INodeProperties['displayOptions'];

/** All parameters of a description, by dotted name: `options.timeoutSeconds`, `inputs.values.name`. Notices are none. */
export function parametersOf(properties: INodeProperties[]): Map<string, Form[]> {
	const found = new Map<string, Form[]>();
	for (const [name, form] of properties.flatMap((property) => membersOf(property, ''))) {
		found.set(name, [...(found.get(name) ?? []), form]);
	}
	return found;
}

function membersOf(
	property: INodeProperties,
	prefix = '',
	parentShown?: Shown,
): Array<[string, Form]> {
	if (property.type === 'notice') return [];
	const name = `${prefix}${property.name}`;
	const { type, default: defaultValue, required = false, displayOptions: shown } = property;
	const own: [string, Form] = [
		name,
		{ type, defaultValue, choices: choicesOf(property), required, shown, parentShown },
	];
	const inner = (properties: INodeProperties[], path: string) =>
		properties.flatMap((one) => membersOf(one, path, shown));
	if (type === 'collection')
		return [own, ...inner(property.options as INodeProperties[], `${name}.`)];
	if (type !== 'fixedCollection') return [own];
	return [
		own,
		...(property.options as INodePropertyCollection[]).flatMap((group) =>
			inner(group.values, `${name}.${group.name}.`),
		),
	];
}

/** Values of a choice, modes of a picker; sorted. */
export function choicesOf({ type, options, modes }: INodeProperties): string[] {
	if (type === 'resourceLocator') return (modes ?? []).map(({ name }) => name).sort();
	if (type !== 'options' && type !== 'multiOptions') return [];
	return (options as INodePropertyOptions[]).map(({ value }) => String(value)).sort();
}
