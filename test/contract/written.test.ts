/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Compares the tables of CONTRACT.md with the built nodes and credentials, row by row. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { builtCredentials, builtNodes } from '../../dev/base/builtNodes';
import { ROOT } from '../../dev/base/project';
import { choicesOf, parametersOf } from './parameters';

interface Row {
	type: string;
	defaultValue: unknown;
	choices: string[];
	/** Sorted; ['all'] if every operation has the parameter. Undefined for members of a row, which are shown with their parent. */
	operations?: string[];
}

describe.each(Object.values(builtNodes()))('node $description.name', ({ description }) => {
	const written = tableOf(`## Node \`${description.name}\``);
	const built = rowsOf(description.properties);
	const allOperations = operationsOf(description.properties).sort();

	test('CONTRACT.md names every parameter, and no other', () => {
		expect([...written.keys()].sort()).toEqual([...built.keys()].sort());
	});

	test.each([...built.keys()])('CONTRACT.md describes %s', (name) => {
		const [writtenRows, builtRows] = [written.get(name) ?? [], built.get(name) ?? []];
		expect(shapesOf(writtenRows)).toEqual(shapesOf(builtRows));
		const operations = operationsIn(builtRows);
		// If the node has resources, an operation's name alone doesn't say where a parameter belongs.
		if (operations.length === 0 || built.has('resource')) return;
		expect(
			operationsIn(writtenRows).join() === 'all' ? allOperations : operationsIn(writtenRows),
		).toEqual(operations);
	});
});

describe.each(builtCredentials())('credential $name', ({ name, properties }) => {
	test('CONTRACT.md names every parameter with type, choices and default', () => {
		const written = tableOf(`## Credential \`${name}\``);
		const built = rowsOf(properties);
		expect([...written.keys()]).toEqual([...built.keys()]);
		for (const [parameter, rows] of built)
			expect(shapesOf(written.get(parameter) ?? [])).toEqual(shapesOf(rows));
	});
});

/** Reads the rows of the tables under a heading of CONTRACT.md, by parameter. */
function tableOf(heading: string): Map<string, Row[]> {
	const lines = readFileSync(join(ROOT, 'CONTRACT.md'), 'utf8').split('\n');
	const from = lines.findIndex((line) => line.startsWith(heading));
	if (from < 0) throw new Error(`CONTRACT.md has no section "${heading}"`);
	const rest = lines.slice(from + 1);
	const to = rest.findIndex((line) => line.startsWith('## '));
	const table = rest.slice(0, to < 0 ? undefined : to).filter((line) => line.startsWith('| `'));
	const found = new Map<string, Row[]>();
	for (const line of table.filter((row) => cellsOf(row).length >= 3)) {
		const [first, type, defaultValue, operations] = cellsOf(line);
		const [name, ...choices] = [
			...`${first} ${type.includes('resourceLocator') ? type : ''}`.matchAll(/`([^`]+)`/g),
		].map(([, word]) => word);
		const row: Row = {
			type: type.split(' ')[0],
			defaultValue: JSON.parse(defaultValue.replace(/^`|`$/g, '')) as unknown,
			choices: choices.sort(),
			operations: operations
				?.split(/[;(]/)[0]
				.split(',')
				.map((word) => word.trim())
				.filter((word) => word !== ''),
		};
		found.set(name, [...(found.get(name) ?? []), row]);
	}
	return found;
}

/** Returns the distinct forms of a parameter, which may occur several times with different defaults or choices. */
function shapesOf(rows: Row[]): string[] {
	return [
		...new Set(
			rows.map(({ type, defaultValue, choices }) =>
				JSON.stringify({ type, defaultValue, choices }),
			),
		),
	].sort();
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
	const rows = [...parametersOf(properties)].map(([name, forms]): [string, Row[]] => [
		name,
		forms.map(({ type, defaultValue, choices, shown, parentShown }) => ({
			type,
			defaultValue,
			// CONTRACT.md lists operations and multiple choices beside the table, with what they do.
			choices: type === 'multiOptions' || name === 'operation' ? [] : choices,
			// Members of rows are shown whenever their parent is.
			operations:
				name.includes('.') && !name.startsWith('options.')
					? undefined
					: (((parentShown ?? shown)?.show?.operation ?? operations) as string[]),
		})),
	]);
	return new Map(rows);
}

function operationsOf(properties: INodeProperties[]): string[] {
	return [...new Set(properties.filter(({ name }) => name === 'operation').flatMap(choicesOf))];
}
