/** Writes the lists of CONTRACT.md: a line for each parameter and each output, so that a diff shows what a saved workflow might notice. */
import type { ICredentialType, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { operationsOf, parametersOf, type Parameter } from './extract';
import type { Outputs } from './outputs';

/** Returns the lists of all nodes and credentials. What a node has in common with the first one, Segmind, is only named. */
export function contractLists(
	nodes: INodeType[],
	credentials: ICredentialType[],
	outputs: Outputs,
): string {
	const common = parametersOf(nodes[0].description.properties).map(lineOf);
	const sections = [
		...nodes.map(({ description }, index) =>
			nodeSection(description, outputs, index === 0 ? [] : common),
		),
		...credentials.map(({ name, displayName, properties }) => [
			`### Credential ${displayName}: \`${name}\``,
			parametersOf(properties).map(lineOf).join('\n'),
		]),
	];
	return sections.flat().join('\n\n');
}

function nodeSection(
	{ name, displayName, properties, credentials = [] }: INodeTypeDescription,
	outputs: Outputs,
	common: string[],
): string[] {
	const all = operationsOf(properties);
	const groups = groupBy(parametersOf(properties), ({ operations }) =>
		operations.length === all.length ? 'Always' : `For ${namesOf(operations, all)}`,
	);
	return [
		`### ${displayName}: \`${name}\`, with ${code(...credentials.map((credential) => credential.name))}`,
		...groups.flatMap(([title, members]) => [`${title}:`, parameterLines(members, common)]),
		'Output:',
		outputLines(name, outputs),
	];
}

function parameterLines(parameters: Parameter[], common: string[]): string {
	const own = parameters.map(lineOf).filter((line) => !common.includes(line));
	const names = parameters.filter((parameter) => common.includes(lineOf(parameter)));
	if (names.length > 0) own.push(`- as in Segmind: ${code(...names.map(({ name }) => name))}`);
	return own.join('\n');
}

/** Names the type only if the default doesn't show it. */
function lineOf({ name, type, default: value, required, choices, conditions }: Parameter): string {
	const words = [required ? 'required' : '', typeof value === type ? '' : type];
	const kind = joined([...words, code(...choices)], ' ');
	const shownIf = conditions.length > 0 ? `if ${conditions.join(' and ')}` : '';
	return `- ${code(name)}: ${joined([code(defaultText(value)), kind, shownIf], ', ')}`;
}

/** A picker's default is the chosen value. */
function defaultText(value: unknown): string {
	const isPicker = typeof value === 'object' && value !== null && 'mode' in value;
	return JSON.stringify(isPicker && 'value' in value ? value.value : value);
}

/** Returns the names of operations; a resource stands for all of its own. */
function namesOf(operations: string[], all: string[]): string {
	const names = operations.map((operation) => {
		const [resource] = operation.split(' ');
		const own = all.filter((other) => other.split(' ')[0] === resource);
		return own.every((other) => operations.includes(other)) ? resource : operation;
	});
	return code(...new Set(names));
}

/** Returns a line for each output of a node. Operations with equal outputs share one. */
function outputLines(node: string, outputs: Outputs): string {
	const own = Object.entries(outputs).filter(([source]) => source.startsWith(`${node} `));
	const groups = groupBy(own, ([, { fields, files }]) => {
		const kinds = groupBy(Object.keys(fields), (field) => fields[field]);
		const lists = files.length > 0 ? [...kinds, ['file', files] as const] : kinds;
		return lists.map(([kind, names]) => `${kind} ${code(...names)}`).join('; ');
	});
	const nameOf = ([source]: [string, unknown]) => source.slice(node.length + 1);
	const lines = groups.map(([text, sources]) => `- ${code(...sources.map(nameOf))}: ${text}`);
	return lines.join('\n');
}

/** Groups values by a text, in the order of each text's first value. */
function groupBy<T>(values: T[], textOf: (value: T) => string): Array<[string, T[]]> {
	const groups = new Map<string, T[]>();
	for (const value of values) {
		const text = textOf(value);
		groups.set(text, [...(groups.get(text) ?? []), value]);
	}
	return [...groups];
}

const joined = (texts: string[], separator: string) =>
	texts.filter((text) => text !== '').join(separator);
const code = (...texts: string[]) => texts.map((text) => `\`${text}\``).join(', ');
