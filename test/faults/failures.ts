import type { IDataObject } from 'n8n-workflow';

import type { FailedItem, RunResult } from '../helpers/runNode';

/** What the error of an execution says, its context included. */
export function textsOf({ error }: Pick<RunResult, 'error'>): unknown {
	return error && [error.message, error.description, error.context];
}

export function isFailure(json: IDataObject): boolean {
	return typeof json.error === 'object' && json.error !== null;
}

/** Words of the engine that never belong into a text that is ours from beginning to end. */
const RAW =
	/Cannot (read|set|convert|destructure)|is not (a function|iterable|a constructor|extensible)|Unexpected token [^\n]* in JSON|Invalid URL|\[object |Maximum call stack|Invalid (string|array) length|out of memory|\bundefined\b|TypeError|RangeError|SyntaxError|node_modules|\b(err|hpe)_/;

/** Unreadable hints of a result, one entry per hint. */
export function hintFaults({ hints }: Pick<RunResult, 'hints'>): Array<string | undefined> {
	return hints.map((hint) => {
		const raw = RAW.exec(hint);
		return raw ? `a hint says "${raw[0]}"` : unreadable(hint);
	});
}

/** Errors of a result that aren't this package's or are unreadable; one entry per failed item, and one for n8n's error. */
export function errorFaults(result: RunResult): Array<string | undefined> {
	const { error, failed, items, errorItems } = result;
	const told = [...items, ...errorItems].filter(({ json }) => json.error !== undefined);
	return [
		...failed.map(faultOfFailure),
		...(error ? [faultOfError(error, failed)] : []),
		...told.map(({ json }) => unreadable(JSON.stringify(json.error))),
		...(error === undefined && told.length !== failed.length
			? [`${told.length} error items for ${failed.length} failed ones`]
			: []),
	];
}

function faultOfError(
	{ name, message, description = '' }: Error & { description?: string },
	failed: FailedItem[],
): string | undefined {
	if (!/^Node(Api|Operation)Error$/.test(name)) return `it is a ${name}: ${message}`;
	if (failed.length === 0) return `no failed item in its context: ${message}`;
	return unreadable(message.replace(/\n/g, ' ')) ?? unreadable(description.replace(/\n/g, ' '));
}

function faultOfFailure({ kind, message, description, charge, outcomeUnknown }: FailedItem) {
	// What the item runner makes of an error that nobody wrote for a person.
	if (kind === 'other') return `not ours: ${message}`;
	if (outcomeUnknown && charge === 'none') return `free, and unknown: ${message}`;
	if (description === '') return `nothing to do: ${message}`;
	return unreadable(message) ?? unreadable(description);
}

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
/** How long a text for a person may be. */
const MAX_TEXT_CHARS = 4_000;

export function unreadable(text: string): string | undefined {
	if (CONTROL.test(text)) return `control characters in "${text.slice(0, 300)}"`;
	return text.length > MAX_TEXT_CHARS
		? `${text.length} characters: ${text.slice(0, 200)}`
		: undefined;
}
