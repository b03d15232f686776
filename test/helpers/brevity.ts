/** Measures the text of an error: what a reader has to read of it. */

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
