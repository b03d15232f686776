/** Measures the text of an error: what a reader has to read of it. */
import type { RunResult } from './runNode';

/** The most characters of an error's message and description together; an agent sees nothing else. */
export const CHARS = 300;
export const CHARS_OF_AGENT = 450;
export const SENTENCES = 3;

/** What is quoted, such as a slug or the service's own words. An apostrophe inside a word ends no quotation. */
const QUOTED = /(?<=^|[\s(:])'.*?'(?=[\s).,;:]|$)/gs;
const ID = /\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b/g;
/** A line of a batch's list. */
const LIST = /^(Items? \d|\d+ more failed).*$/gm;

/** Counts sentences and characters, except for IDs, quoted words, and the list of a batch. */
export function measure(text: string): { sentences: number; chars: number } {
	const read = text.replace(LIST, '').replace(QUOTED, "''").replace(ID, '').replace(/\{\}/g, '');
	const sentences = read.split(/[.?!]['")]?(?=\s|$)/).filter((part) => /\w/.test(part));
	return { sentences: sentences.length, chars: read.trim().length };
}

/** Makes sure that each error of a run is read in one breath, unless it's n8n's own. @throws Error with the one that isn't */
export function assertBrief(
	{ failed, error }: Pick<RunResult, 'failed' | 'error'>,
	asTool: boolean,
): void {
	const texts = failed
		.filter(({ kind, n8nContext }) => kind !== 'other' && !n8nContext)
		.map(({ message, description = '' }) =>
			description === '' ? message : `${message}. ${description}`,
		);
	const limit = asTool ? CHARS_OF_AGENT : CHARS;
	// The message for an agent has the description.
	if (error && failed.length > 1)
		texts.push(asTool ? error.message : `${error.message}.\n${error.description}`);
	for (const text of texts) {
		const { sentences, chars } = measure(text);
		if (sentences > SENTENCES || chars > limit)
			throw new Error(`${sentences} sentences, ${chars} characters: ${text}`);
	}
}
