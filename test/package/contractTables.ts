/** Writes the tables of CONTRACT.md: a line for each parameter and each output, so that a diff shows what a saved workflow might notice. */
import type { ICredentialType, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { operationsOf, parametersOf, type Parameter } from './extract';
import type { Outputs } from './outputs';

/** Returns the tables of all nodes and credentials. */
export function contractTables(
	nodes: INodeType[],
	credentials: ICredentialType[],
	outputs: Outputs,
): string {
	const sections = [
		...nodes.map(({ description }) => nodeSection(description, outputs)),
		...credentials.map(({ name, displayName, properties }) => [
			`### Credential ${displayName}: \`${name}\``,
			table(['Field', 'Type', 'Default', 'Shown'], rowsOf(parametersOf(properties), [])),
		]),
	];
	return sections.flat().join('\n\n');
}

function nodeSection(description: INodeTypeDescription, outputs: Outputs): string[] {
	const { name, displayName, properties, credentials = [] } = description;
	const parameters = rowsOf(parametersOf(properties), operationsOf(properties));
	return [
		`### ${displayName}: \`${name}\``,
		`Credential: ${credentials.map((credential) => code(credential.name)).join(', ')}`,
		table(['Parameter', 'Type', 'Default', 'Shown for'], parameters),
		table(['Output of', 'Fields', 'Files'], outputRows(name, outputs)),
	];
}

function rowsOf(parameters: Parameter[], all: string[]): string[][] {
	return parameters.map(
		({ name, type, default: value, required, choices, operations, conditions }) => [
			code(name),
			[type, ...(required ? ['required'] : []), ...choices.map(code)].join(', '),
			code(defaultText(value)),
			[...(operations.length < all.length ? resourcesOf(operations, all) : []), ...conditions].join(
				', ',
			),
		],
	);
}

/** A picker's default is the chosen value. */
function defaultText(value: unknown): string {
	const isPicker = typeof value === 'object' && value !== null && 'mode' in value;
	return JSON.stringify(isPicker && 'value' in value ? value.value : value);
}

/** Returns operations; a resource stands for all of its own. */
function resourcesOf(operations: string[], all: string[]): string[] {
	const resourceOf = (operation: string) => operation.split(' ')[0];
	const namesOf = (operation: string) => {
		const isWhole = all
			.filter((other) => resourceOf(other) === resourceOf(operation))
			.every((other) => operations.includes(other));
		return code(isWhole ? resourceOf(operation) : operation);
	};
	return [...new Set(operations.map(namesOf))];
}

/** Returns a row for each output of a node. Operations with equal outputs share one. */
function outputRows(node: string, outputs: Outputs): string[][] {
	const sources = new Map<string, string[]>();
	for (const [source, { fields, files }] of Object.entries(outputs)) {
		const [type, ...path] = source.split(' ');
		if (type !== node) continue;
		const kinds = Object.entries(fields).map(([name, kind]) =>
			code(kind === 'null' ? name : `${name}: ${kind}`),
		);
		const cells = `${kinds.join(', ')} | ${files.map(code).join(', ')}`;
		sources.set(cells, [...(sources.get(cells) ?? []), path.join(' ')]);
	}
	return [...sources].map(([cells, names]) => [names.map(code).join(', '), ...cells.split(' | ')]);
}

function table(head: string[], rows: string[][]): string {
	return [head, head.map(() => '---'), ...rows]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

const code = (text: string) => `\`${text}\``;
