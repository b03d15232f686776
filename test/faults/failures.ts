import type { IDataObject } from 'n8n-workflow';

import type { FailedItem, RunResult } from '../helpers/runNode';

/** Returns the texts of an execution's error, including its context. */
export function textsOf({ error }: Pick<RunResult, 'error'>): unknown {
	return error && [error.message, error.description, error.context];
}

export function isFailure(json: IDataObject): boolean {
	return typeof json.error === 'object' && json.error !== null;
}

/** The JavaScript engine's words, which must not appear in our texts. */
const ENGINE_WORDS =
	/Cannot (read|set|convert|destructure)|is not (a function|iterable|a constructor|extensible)|Unexpected token [^\n]* in JSON|Invalid URL|\[object |Maximum call stack|Invalid (string|array) length|out of memory|\bundefined\b|TypeError|RangeError|SyntaxError|node_modules|\b(err|hpe)_/;

/** Checks the hints of a result. Returns one entry per hint: undefined, or why it's unreadable. */
export function hintFaults({ hints }: Pick<RunResult, 'hints'>): Array<string | undefined> {
	return hints.map((hint) => {
		const found = ENGINE_WORDS.exec(hint);
		return found ? `a hint says "${found[0]}"` : whyUnreadable(hint);
	});
}

/** Checks the errors of a result, which must be readable and written by this package. Returns one entry per failed item, and one for n8n's error. */
export function errorFaults({ error, failed }: RunResult): Array<string | undefined> {
	if (error && failed.length === 0) return [`the context has no failed item: ${error.message}`];
	return [...failed.map(faultOfFailure), ...(error ? [faultOfError(error)] : [])];
}

/** Returns what is wrong with an error that the package throws, or undefined. */
export function faultOfError({
	name,
	message,
	description = '',
}: Error & { description?: string }): string | undefined {
	// Any other class, such as TypeError, is a bug.
	if (!/^Node(Api|Operation)Error$/.test(name)) return `not an n8n error but a ${name}: ${message}`;
	// Each error of the package has one, but an unexpected one has none.
	if (description === '') return `a bug: ${message}`;
	// A tool's message contains the description, so that each is read alone.
	return [message, description]
		.map((text) => whyUnreadable(text.replace(/\n/g, ' ')))
		.find(Boolean);
}

function faultOfFailure({ kind, message, description, charge, outcomeUnknown }: FailedItem) {
	// The item runner uses this kind for an unexpected error.
	if (kind === 'other') return `not written by the package: ${message}`;
	if (outcomeUnknown && charge === 'none') return `free despite an unknown outcome: ${message}`;
	if (description === '') return `no description: ${message}`;
	return whyUnreadable(message) ?? whyUnreadable(description ?? '');
}

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
/** The longest text that a person should have to read. */
const MAX_TEXT_CHARS = 4_000;

/** Returns why a text is unreadable, or undefined if it's readable. */
export function whyUnreadable(text: string): string | undefined {
	if (CONTROL.test(text)) return `control characters in "${text.slice(0, 300)}"`;
	return text.length > MAX_TEXT_CHARS
		? `${text.length} characters: ${text.slice(0, 200)}`
		: undefined;
}
