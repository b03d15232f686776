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
		const [told, found] = [written.get(name) ?? [], built.get(name) ?? []];
		expect(shapesOf(told)).toEqual(shapesOf(found));
		const operations = operationsIn(found);
		// With resources, an operation's name alone does not say where a parameter belongs.
		if (operations.length === 0 || built.has('resource')) return;
		expect(operationsIn(told).join() === 'all' ? every : operationsIn(told)).toEqual(operations);
	});
});

describe.each(manifest.n8n.credentials.map(classIn<ICredentialType>))('credential $name', ({ name, properties }) => {
	test('CONTRACT.md names every parameter with type, choices and default', () => {
		const written = tableOf(`## Credential \`${name}\``);
		const built = rowsOf(properties);
		expect([...written.keys()]).toEqual([...built.keys()]);
		for (const [parameter, rows] of built) expect(shapesOf(written.get(parameter) ?? [])).toEqual(shapesOf(rows));
	});
});

function classIn<T>(distPath: string): T {
	const source = join(root, distPath.replace(/^dist\//, '').replace(/\.js$/, ''));
	const exported = Object.values(jest.requireActual<Record<string, new () => T>>(source));
	return new exported[0]();
}

/** The first table under a heading of CONTRACT.md. */
function tableOf(heading: string): Map<string, Row[]> {
	const lines = readFileSync(join(root, 'CONTRACT.md'), 'utf8').split('\n');
	const from = lines.findIndex((line) => line.startsWith(heading));
	if (from < 0) throw new Error(`CONTRACT.md has no section "${heading}"`);
	const rest = lines.slice(from + 1);
	const to = rest.findIndex((line) => line.startsWith('## '));
	const table = rest.slice(0, to < 0 ? undefined : to).filter((line) => line.startsWith('| `'));
	const found = new Map<string, Row[]>();
	for (const line of table.filter((row) => cellsOf(row).length >= 3)) {
		const [first, type, defaultValue, operations] = cellsOf(line);
		const [name, ...choices] = [...`${first} ${type.includes('resourceLocator') ? type : ''}`.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
		const row: Row = {
			type: type.split(' ')[0],
			defaultValue: JSON.parse(defaultValue.replace(/^`|`$/g, '')) as unknown,
			choices: choices.sort(),
			operations: operations?.split(/[;(]/)[0].split(',').map((word) => word.trim()).filter((word) => word !== ''),
		};
		found.set(name, [...(found.get(name) ?? []), row]);
	}
	return found;
}

/** A parameter may stand more than once, with another default or other choices: each form counts once. */
function shapesOf(rows: Row[]): string[] {
	return [...new Set(rows.map(({ type, defaultValue, choices }) => JSON.stringify({ type, defaultValue, choices })))].sort();
}

function operationsIn(rows: Row[]): string[] {
	return [...new Set(rows.flatMap(({ operations }) => operations ?? []))].sort();
}

function cellsOf(line: string): string[] {
	return line
		.trim()
		.slice(1, -1)
		.split('|')
		.map((cell) => cell.trim());
}

function rowsOf(properties: INodeProperties[]): Map<string, Row[]> {
	const operations = operationsOf(properties);
	const found = new Map<string, Row[]>();
	for (const property of properties.filter(({ type }) => type !== 'notice')) {
		const shown = (property.displayOptions?.show?.operation ?? operations) as string[];
		for (const [name, row] of membersOf(property, '')) {
			// Members of rows follow their parent, whatever that is shown for.
			const own = name.startsWith('options.') || !name.includes('.') ? shown : undefined;
			found.set(name, [...(found.get(name) ?? []), { ...row, operations: own }]);
		}
	}
	return found;
}

function operationsOf(properties: INodeProperties[]): string[] {
	return [...new Set(properties.filter(({ name }) => name === 'operation').flatMap(valuesOf))];
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
