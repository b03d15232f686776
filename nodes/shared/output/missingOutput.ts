/** What was asked for and charged, but isn't in the result. Pure. */
import type { Kind } from '../catalogue/types';
import { reasonIn } from '../service/errorBody';
import { hasContent } from '../service/otherValues';
import type { Contents } from './readResult';

/** What is missing, in words, and what the model says instead; '' if nothing. */
export interface MissingOutput {
	what: string;
	said: string;
}

/** The file that a model of this kind makes, in words. Other models make a text. */
const FILES: Partial<Record<Kind, string>> = {
	image: 'image',
	imageEdit: 'image',
	video: 'video',
	audio: 'audio',
};

/** Returns what is missing from the result of a model that makes `makes`; undefined if nothing is, or if only the user can tell. */
export function missingOutputOf(
	{ files, media, fields, ending, shown }: Contents,
	makes: Kind | undefined,
): MissingOutput | undefined {
	if (files.length + media.length > 0) return undefined;
	const file = makes && FILES[makes];
	const { text, outputs, output } = fields;
	if (ending.isBare || ![text, outputs, output].some(hasContent)) {
		const isText = makes !== undefined || ending.reason !== '';
		return { what: file ?? (isText ? 'text' : 'output'), said: ending.reason };
	}
	if (file === undefined) return undefined;
	return {
		what: file,
		said: saidText(fields) || reasonIn(shown.body) || reasonIn(output) || JSON.stringify(output),
	};
}

/** Returns the words in the item: the text, or an output that is only a text. */
function saidText({ text, output }: Contents['fields']): string {
	const words = text?.trim() ?? '';
	return words === '' && typeof output === 'string' ? output.trim() : words;
}
