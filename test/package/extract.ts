import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodeParameterValue,
} from 'n8n-workflow';

/** One form of a parameter, as a saved workflow can use it. Display texts, which may change at any time, aren't in it. */
export interface Parameter {
	/** With dots between a parameter and its members: `options.timeoutSeconds`, `inputs.values.name`. */
	name: string;
	type: string;
	default: unknown;
	required: boolean;
	/** The values of a dropdown, or the modes of a picker. */
	choices: string[];
	/** The operations that show it, such as `image edit`. */
	operations: string[];
	/** What else must be so, in words. */
	conditions: string[];
}

type Shown = NonNullable<INodeProperties['displayOptions']>;

/** Returns the operations of a node; those of a resource as `image edit`. */
export function operationsOf(properties: INodeProperties[]): string[] {
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap((property) => {
			const [resource] = property.displayOptions?.show?.resource ?? [];
			const choices = choicesOf(property);
			return resource === undefined
				? choices
				: choices.map((choice) => `${String(resource)} ${choice}`);
		});
}

/** Returns all parameters at any depth but collections, whose members have their names, those of one name together. Equal forms of a parameter are one, with the operations of all. */
export function parametersOf(properties: INodeProperties[]): Parameter[] {
	const all = operationsOf(properties);
	const found = new Map<string, Parameter>();
	for (const { operations, ...form } of membersOf(properties, all)) {
		const key = JSON.stringify(form);
		const earlier = found.get(key)?.operations ?? [];
		const shownFor = all.filter((name) => [...earlier, ...operations].includes(name));
		found.set(key, { ...form, operations: shownFor });
	}
	const names = [...new Set([...found.values()].map(({ name }) => name))];
	return names.flatMap((wanted) => [...found.values()].filter(({ name }) => name === wanted));
}

/** Where the parameters of a level are. */
interface Level {
	prefix: string;
	conditions: string[];
}

function membersOf(
	properties: INodeProperties[],
	operations: string[],
	level: Level = { prefix: '', conditions: [] },
): Parameter[] {
	return properties.flatMap((property) => {
		const { type, displayOptions = {} } = property;
		if (type === 'notice') return [];
		const parameter: Parameter = {
			name: `${level.prefix}${property.name}`,
			type,
			default: property.default,
			required: property.required === true,
			choices: choicesOf(property),
			operations: operations.filter((operation) => shows(displayOptions, operation)),
			conditions: [...level.conditions, ...otherConditions(displayOptions)],
		};
		const inner = innerMembers(property, parameter);
		return type === 'collection' ? inner : [parameter, ...inner];
	});
}

function innerMembers({ type, options = [] }: INodeProperties, parent: Parameter): Parameter[] {
	const { name, operations, conditions } = parent;
	if (type === 'collection')
		return membersOf(options as INodeProperties[], operations, { prefix: `${name}.`, conditions });
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap((group) =>
		membersOf(group.values, operations, { prefix: `${name}.${group.name}.`, conditions }),
	);
}

/** Whether a parameter's conditions on the resource and the operation hold. */
function shows({ show = {}, hide = {} }: Shown, path: string): boolean {
	const [operation, resource] = path.split(' ').reverse();
	return Object.entries({ resource, operation }).every(([name, value]) => {
		const [shown, hidden] = [show, hide].map((list) => list[name] ?? list[`/${name}`]);
		const isShown = shown === undefined || shown.includes(value as NodeParameterValue);
		return isShown && hidden?.includes(value as NodeParameterValue) !== true;
	});
}

/** Returns the conditions that don't depend on the resource or the operation, such as "`returnAll` is `false`". */
function otherConditions({ show = {}, hide = {} }: Shown): string[] {
	const describe = (verb: string, conditions: NonNullable<Shown['show']>) =>
		Object.entries(conditions)
			.filter(([name]) => !/^\/?(resource|operation)$/.test(name))
			.map(([name, values = []]) => {
				const texts = values.map((value) =>
					typeof value === 'object' ? JSON.stringify(value) : String(value),
				);
				return `\`${name.replace('/', '')}\` ${verb} ${texts.map((text) => `\`${text}\``).join(' or ')}`;
			});
	return [...describe('is', show), ...describe("isn't", hide)];
}

function choicesOf({ type, options, modes }: INodeProperties): string[] {
	if (type === 'resourceLocator') return (modes ?? []).map(({ name }) => name);
	if (type !== 'options' && type !== 'multiOptions') return [];
	return (options as INodePropertyOptions[]).map(({ value }) => String(value));
}
