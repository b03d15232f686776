import { parseJson } from '../service/schemas';

/** A fence of Markdown around a whole text. */
const FENCE = /^```\w*\s*\n(.*)\n\s*```$/s;

/** Reads the object or list in the answer of a language model that was asked for JSON; undefined if the answer is something else. */
export function jsonAnswer(text: string): object | undefined {
	const trimmed = text.trim();
	const value = parseJson(FENCE.exec(trimmed)?.[1] ?? trimmed);
	return typeof value === 'object' && value !== null ? value : undefined;
}
