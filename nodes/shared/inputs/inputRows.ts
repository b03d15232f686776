import { wrongInput } from '../errors/failures';
import { say } from '../errors/say';
import type { ParameterRow } from '../parameters/itemParameters';
import { readJson } from '../parameters/json';
import { readBoolean, readChoice, readPlainText } from '../parameters/values';
import type { Item } from '../run/item';
import type { BodyParameters } from './bodyParameters';
import { filesIn, type Input, type NamedInput } from './files';
import { exactNumberIn } from './formValues';

const ROW_TYPES = ['string', 'number', 'boolean', 'json', 'file'] as const;

/**
 * Reads a table of inputs: each row has a name, a type and a value. `path`: of the table; `known`: the model's parameters.
 * @throws SegmindFailure for a row without a name, or with a wrong value or expression
 */
export async function readInputRows(
	item: Item,
	path: string,
	known?: BodyParameters,
): Promise<NamedInput[]> {
	const rows = item.parameters.rows(`${path}.values`, ({ name }, at) => {
		const shownName = nameIn(name);
		const which = shownName === '' ? String(at + 1) : `'${shownName}'`;
		return `Input ${which} in ${item.parameters.label(path)}`;
	});
	const inputs: NamedInput[] = [];
	for (const row of rows) {
		const name = nameIn(row.values.name);
		if (name === '') throw wrongInput(`The name of ${row.label}`, name, "a parameter's name");
		if (item.run.isTool && isLeftOutByAgent(row)) continue;
		const takesList = known?.byName.get(name)?.list === true;
		inputs.push([name, await readInputRow(item, row, takesList)]);
	}
	return inputs;
}

function nameIn(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}

/** An agent must fill every parameter it sees, so an empty string means that it leaves this one out. */
function isLeftOutByAgent({ values }: ParameterRow): boolean {
	const { type = 'string', stringValue = '' } = values;
	return type === 'string' && stringValue === '';
}

async function readInputRow(
	item: Item,
	{ label, values }: ParameterRow,
	takesList: boolean,
): Promise<Input> {
	switch (readChoice(values.type ?? 'string', `The type of ${label}`, ROW_TYPES)) {
		case 'number':
			return { kind: 'value', value: readExactNumber(values.numberValue, label) };
		case 'boolean':
			return { kind: 'value', value: readBoolean(values.booleanValue, label) };
		case 'json':
			return { kind: 'value', value: readJson(values.jsonValue, label) };
		case 'file': {
			const files = await filesIn(item, label, values.binaryFields ?? '', takesList);
			if (files.parts.length > 0) return files;
			throw wrongInput(label, '', 'the name of a binary field, usually data');
		}
		case 'string': {
			const wanted = 'text, or have the type JSON';
			const value = readPlainText(values.stringValue ?? '', label, wanted);
			if (value === '') {
				const text = say`${label} was sent as an empty text.`;
				item.run.report.addHint({ item: item.index, text });
			}
			return { kind: 'value', value };
		}
	}
}

/** Reads a number. @throws SegmindFailure for any other value, and for digits that JSON would change */
function readExactNumber(value: unknown, label: string): number {
	const number = exactNumberIn(value);
	if (number !== undefined) return number;
	throw wrongInput(label, value, 'a number that JSON can hold exactly, or have the type Text');
}
