import { isBlank } from '../base/text';
import { wrongInput } from '../errors/failures';
import { quoted, say } from '../errors/say';
import { isExpression, missingValueFailure } from '../parameters/expressions';
import type { ParameterRow } from '../parameters/itemParameters';
import { readJson } from '../parameters/json';
import { readBoolean, readChoice, readPlainText } from '../parameters/values';
import type { Item } from '../run/item';
import type { BodyParameters } from './bodyParameters';
import { filesIn, type Input, type NamedInput } from './files';
import { addLeftOutHint, exactNumberIn, wantedNumber } from './formValues';

/** The types of rows, each with the member that has its value. */
const VALUE_MEMBERS = {
	string: 'stringValue',
	number: 'numberValue',
	boolean: 'booleanValue',
	json: 'jsonValue',
	file: 'binaryFields',
} as const;

type RowType = keyof typeof VALUE_MEMBERS;

const ROW_TYPES = Object.keys(VALUE_MEMBERS) as RowType[];

/** A row with its name and type. */
interface InputRow {
	name: string;
	type: RowType;
	label: string;
	value: unknown;
	/** As the workflow stores it. */
	stored: unknown;
}

/**
 * Reads a table of inputs: each row has a name, a type and a value. A row whose expression resolves to nothing is left out, with a hint; undefined is an
 * error for a required parameter, and for a workflow's input. `path`: of the table; `known`: the model's parameters, undefined for a workflow.
 * @throws SegmindFailure for a row without a name, or with a wrong value or expression
 */
export async function readInputRows(
	item: Item,
	path: string,
	known?: BodyParameters,
): Promise<NamedInput[]> {
	const isOptional = (name: string) =>
		known !== undefined && name !== known.neededFile && known.byName.get(name)?.required !== true;
	const rows = item.parameters.rows(
		`${path}.values`,
		({ name }, at) => {
			const shownName = nameIn(name);
			const which = shownName === '' ? String(at + 1) : quoted(shownName);
			return `Input ${which} in ${item.parameters.label(path)}`;
		},
		({ name }, member) => !['name', 'type'].includes(member) && isOptional(nameIn(name)),
	);
	const inputs: NamedInput[] = [];
	for (const row of rows.map(readRow)) {
		const { name, label, stored } = row;
		if (item.run.isTool && isLeftOutByAgent(row)) continue;
		if (isExpression(stored) && isNothing(row)) {
			if (name === known?.neededFile) throw missingValueFailure(label, stored, 'empty');
			addLeftOutHint(item, label);
			continue;
		}
		const takesList = known?.byName.get(name)?.list === true;
		inputs.push([name, await readInputRow(item, row, takesList)]);
	}
	return inputs;
}

function readRow({ label, values, stored }: ParameterRow): InputRow {
	const name = nameIn(values.name);
	if (name === '') throw wrongInput(`The name of ${label}`, name, "a parameter's name");
	const type = readChoice(values.type ?? 'string', `The type of ${label}`, ROW_TYPES);
	const member = VALUE_MEMBERS[type];
	return { name, type, label, value: values[member], stored: stored[member] };
}

function nameIn(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}

/** An agent must fill every parameter it sees, so an empty string means that it leaves this one out. */
function isLeftOutByAgent({ type, value = '' }: InputRow): boolean {
	return type === 'string' && value === '';
}

/** Whether there is nothing to send. A text may be empty, and JSON may be null. */
function isNothing({ type, value }: InputRow): boolean {
	if (type === 'string') return value === undefined || value === null;
	if (type === 'json') return value !== null && isBlank(value);
	return isBlank(value) || (Array.isArray(value) && value.length === 0);
}

async function readInputRow(
	item: Item,
	{ type, label, value }: InputRow,
	takesList: boolean,
): Promise<Input> {
	switch (type) {
		case 'number':
			return { kind: 'value', value: readExactNumber(value, label) };
		case 'boolean':
			return { kind: 'value', value: readBoolean(value, label) };
		case 'json':
			return { kind: 'value', value: readJson(value, label) };
		case 'file': {
			const files = await filesIn(item, label, value ?? '', takesList);
			if (files.parts.length > 0) return files;
			throw wrongInput(label, '', 'the name of a binary field, usually data');
		}
		case 'string': {
			const wanted = 'text, or have the type JSON';
			const text = readPlainText(value ?? '', label, wanted);
			if (text === '') {
				const hint = say`${label} is sent as an empty text.`;
				item.run.events.addHint({ item: item.index, text: hint });
			}
			return { kind: 'value', value: text };
		}
	}
}

/** Reads a number. @throws SegmindFailure for any other value, and for digits that JSON would change */
function readExactNumber(value: unknown, label: string): number {
	const number = exactNumberIn(value);
	if (number !== undefined) return number;
	throw wrongInput(label, value, `${wantedNumber(value)}, or have the type Text`);
}
