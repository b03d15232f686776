/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** CONTRACT.md says what the nodes and credentials have, row by row. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ICredentialType, INodeProperties, INodePropertyCollection, INodeType } from 'n8n-workflow';

const root = join(__dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { n8n: { nodes: string[]; credentials: string[] } };

interface Row {
	type: string;
	defaultValue: unknown;
	choices: string[];
	/** Sorted; ['all'] when every operation has it. Undefined for members of a row, which follow their parent. */
	operations?: string[];
}

describe.each(manifest.n8n.nodes.map(classIn<INodeType>))('node $description.name', ({ description }) => {
	const written = tableOf(`## Node \`${description.name}\``);
	const built = rowsOf(description.properties);
	const every = operationsOf(description.properties).sort();

	test('CONTRACT.md names every parameter, and no other', () => {
		expect([...written.keys()].sort()).toEqual([...built.keys()].sort());
	});

	test.each([...built.keys()])('%s', (name) => {
		const { operations, ...row } = built.get(name) as Row;
		expect(written.get(name)).toMatchObject(row);
		const told = written.get(name)?.operations;
		if (operations && !built.has('resource')) expect(told?.join() === 'all' ? every : told).toEqual(operations);
	});
});

describe.each(manifest.n8n.credentials.map(classIn<ICredentialType>))('credential $name', ({ name, properties }) => {
	test('CONTRACT.md names every parameter with type, choices and default', () => {
		const written = tableOf(`## Credential \`${name}\``);
		const built = rowsOf(properties);
		for (const row of [...written.values(), ...built.values()]) delete row.operations;
		expect(Object.fromEntries(written)).toEqual(Object.fromEntries(built));
	});
});

function classIn<T>(distPath: string): T {
	const source = join(root, distPath.replace(/^dist\//, '').replace(/\.js$/, ''));
	const exported = Object.values(jest.requireActual<Record<string, new () => T>>(source));
	return new exported[0]();
}

/** The first table under a heading of CONTRACT.md. */
function tableOf(heading: string): Map<string, Row> {
	const lines = readFileSync(join(root, 'CONTRACT.md'), 'utf8').split('\n');
	const from = lines.findIndex((line) => line.startsWith(heading));
	if (from < 0) throw new Error(`CONTRACT.md has no section "${heading}"`);
	const rest = lines.slice(from + 1);
	const to = rest.findIndex((line) => line.startsWith('## '));
	const table = rest.slice(0, to < 0 ? undefined : to).filter((line) => line.startsWith('| `'));
	return new Map(
		table.filter((line) => cellsOf(line).length >= 3).map((line) => {
			const [first, type, defaultValue, operations] = cellsOf(line);
			const [name, ...choices] = [...`${first} ${type.includes('resourceLocator') ? type : ''}`.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
			return [name, { type: type.split(' ')[0], defaultValue: JSON.parse(defaultValue.replace(/^`|`$/g, '')) as unknown, choices: choices.sort(), operations: operations?.split(';')[0].split(',').map((word) => word.trim()).sort() }];
		}),
	);
}

function cellsOf(line: string): string[] {
	return line
		.trim()
		.slice(1, -1)
		.split('|')
		.map((cell) => cell.trim());
}

function rowsOf(properties: INodeProperties[]): Map<string, Row> {
	const operations = operationsOf(properties);
	const found = new Map<string, Row>();
	for (const property of properties.filter(({ type }) => type !== 'notice')) {
		const shown = (property.displayOptions?.show?.operation ?? operations) as string[];
		for (const [name, row] of membersOf(property, '')) {
			const seen = found.get(name)?.operations ?? [];
			// Members of rows stand once, whatever their parent is shown for.
			const all = name.startsWith('options.') || !name.includes('.') ? [...new Set([...seen, ...shown])].sort() : undefined;
			found.set(name, { ...row, operations: all });
		}
	}
	return found;
}

function operationsOf(properties: INodeProperties[]): string[] {
	return properties.filter(({ name }) => name === 'operation').flatMap(valuesOf);
}

function membersOf(property: INodeProperties, prefix: string): Array<[string, Row]> {
	const name = `${prefix}${property.name}`;
	const own: [string, Row] = [name, { type: property.type, defaultValue: property.default, choices: choicesOf(property) }];
	if (property.type === 'collection') return [own, ...(property.options as INodeProperties[]).flatMap((option) => membersOf(option, `${name}.`))];
	if (property.type === 'fixedCollection') {
		return [own, ...(property.options as INodePropertyCollection[]).flatMap((group) => group.values.flatMap((value) => membersOf(value, `${name}.${group.name}.`)))];
	}
	return [own];
}

function choicesOf(property: INodeProperties): string[] {
	if (property.type === 'resourceLocator') return (property.modes ?? []).map((mode) => mode.name).sort();
	// Operations are listed above the table, with what they do.
	if (property.type !== 'options' || property.name === 'operation') return [];
	return valuesOf(property);
}

function valuesOf(property: INodeProperties): string[] {
	return (property.options ?? []).map((option) => String((option as { value: unknown }).value)).sort();
}
