import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

/** One form of a parameter. Under other conditions, the parameter may occur again with another default or other choices. */
export interface Form {
	type: string;
	defaultValue: unknown;
	/** Sorted. */
	choices: string[];
	required: boolean;
	/** n8n's displayOptions. */
	shown: Shown;
	/** The displayOptions of the parameter that contains this one. */
	parentShown?: Shown;
}

type Shown = INodeProperties['displayOptions'];

/** Returns all parameters of a description by dotted name: `options.timeoutSeconds`, `inputs.values.name`. Notices aren't parameters. */
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
	const self: [string, Form] = [
		name,
		{ type, defaultValue, choices: choicesOf(property), required, shown, parentShown },
	];
	const inner = (properties: INodeProperties[], path: string) =>
		properties.flatMap((one) => membersOf(one, path, shown));
	if (type === 'collection')
		return [self, ...inner(property.options as INodeProperties[], `${name}.`)];
	if (type !== 'fixedCollection') return [self];
	return [
		self,
		...(property.options as INodePropertyCollection[]).flatMap((group) =>
			inner(group.values, `${name}.${group.name}.`),
		),
	];
}

/** Returns the values of a dropdown or the modes of a picker, sorted. */
function choicesOf({ type, options, modes }: INodeProperties): string[] {
	if (type === 'resourceLocator') return (modes ?? []).map(({ name }) => name).sort();
	if (type !== 'options' && type !== 'multiOptions') return [];
	return (options as INodePropertyOptions[]).map(({ value }) => String(value)).sort();
}
