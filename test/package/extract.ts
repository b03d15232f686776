import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

/** The contract as a flat list. A key names something that a saved workflow can use; its value describes that in words. */
export type Contract = Record<string, string>;
type Entry = [name: string, description: string];

/** Returns the part of the contract that is in the descriptions of nodes and credentials. Leaves out display texts, which may change at any time. */
export function describedContract(nodes: INodeType[], credentials: ICredentialType[]): Contract {
	return Object.fromEntries([
		...credentials.flatMap(({ name, properties }) => [
			[`credential ${name}`, 'exists'],
			// n8n adds one with choices of its own.
			...parameterEntries(`credential ${name}`, properties).filter(
				([entry]) => !entry.includes(' choice '),
			),
		]),
		...nodes.flatMap(({ description, methods }) => {
			const { version, inputs, outputs, properties } = description;
			const { usableAsTool = false, polling = false, webhooks = [] } = description;
			const node = `node ${description.name}`;
			const lists = Object.keys(methods?.listSearch ?? {}).map((name) => `list ${name}`);
			const forms = Object.keys(methods?.resourceMapping ?? {}).map((name) => `form ${name}`);
			return [
				[node, JSON.stringify({ version, inputs, outputs, usableAsTool, polling, webhooks })],
				...(description.credentials ?? []).map(
					({ name, required = false, displayOptions: shown }) => [
						`${node} credential ${name}`,
						JSON.stringify({ required, shown }),
					],
				),
				...[...lists, ...forms].map((method) => [`${node} ${method}`, 'exists']),
				...parameterEntries(node, properties),
			];
		}),
	]) as Contract;
}

/**
 * Returns an entry for each parameter, by its dotted name: `options.timeoutSeconds`, `inputs.values.name`. The forms of a parameter that occurs more
 * than once are separated by "or". The choices have entries of their own, because adding choices does no harm.
 */
function parameterEntries(owner: string, properties: INodeProperties[]): Entry[] {
	const formsOf = new Map<string, Set<string>>();
	const choices = new Set<string>();
	for (const { name, property, parentShown } of membersOf(properties)) {
		const form = formOf(property, parentShown);
		formsOf.set(name, (formsOf.get(name) ?? new Set()).add(form));
		for (const choice of choicesOf(property)) choices.add(`${name} choice ${choice}`);
	}
	const entries = [...formsOf].map(
		([name, forms]): Entry => [name, [...forms].sort().join(' or ')],
	);
	const choiceEntries = [...choices].map((name): Entry => [name, 'exists']);
	return [...entries, ...choiceEntries].map(([name, text]) => [`${owner} parameter ${name}`, text]);
}

type Shown = INodeProperties['displayOptions'];

interface Member {
	name: string;
	property: INodeProperties;
	/** The displayOptions of the parameter that contains this one. */
	parentShown?: Shown;
}

/** Returns all parameters at any depth. Notices aren't parameters. */
function membersOf(properties: INodeProperties[], prefix = '', parentShown?: Shown): Member[] {
	return properties.flatMap((property): Member[] => {
		const { type, options = [], displayOptions } = property;
		if (type === 'notice') return [];
		const name = `${prefix}${property.name}`;
		const inner =
			type === 'collection'
				? membersOf(options as INodeProperties[], `${name}.`, displayOptions)
				: type === 'fixedCollection'
					? (options as INodePropertyCollection[]).flatMap((group) =>
							membersOf(group.values, `${name}.${group.name}.`, displayOptions),
						)
					: [];
		return [{ name, property, parentShown }, ...inner];
	});
}

/** Describes a parameter: its type, its default, and what shows it. */
function formOf(
	{ type, default: value, required, displayOptions }: INodeProperties,
	parentShown: Shown,
): string {
	return [
		`${type} = ${JSON.stringify(value)}`,
		...(required ? ['required'] : []),
		...[parentShown, displayOptions].flatMap(conditionsOf),
	].join('; ');
}

/** Describes displayOptions, such as "operation: edit, generate" and "not watch: requests". */
function conditionsOf({ show = {}, hide = {} }: NonNullable<Shown> = {}): string[] {
	const describe = (prefix: string, conditions: typeof show) =>
		Object.entries(conditions).map(
			([name, values = []]) =>
				`${prefix}${name}: ${values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)).join(', ')}`,
		);
	return [...describe('', show), ...describe('not ', hide)];
}

/** Returns the values of a dropdown or the modes of a picker. */
function choicesOf({ type, options, modes }: INodeProperties): string[] {
	if (type === 'resourceLocator') return (modes ?? []).map(({ name }) => name);
	if (type !== 'options' && type !== 'multiOptions') return [];
	return (options as INodePropertyOptions[]).map(({ value }) => String(value));
}
