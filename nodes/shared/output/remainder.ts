/** Is anything left of a result, after readers have taken what they know? Pure. */

/** What is only form in a value: all of it (`true`), or what is form in these members, which are those of each entry in a list. */
export type Form = true | { [member: string]: Form };

/** Nothing in a value is only form. */
export const NO_FORM: Form = {};

/** What an item has already. */
export interface Held {
	/** The URLs of files, and the marks of those that came as bytes. White space around them doesn't matter. */
	files: ReadonlySet<string>;
	texts: ReadonlySet<string>;
}

/** For a value of which an item has nothing yet. An empty text is nothing. */
export const NOTHING_HELD: Held = { files: new Set(), texts: new Set(['']) };

/** Members of a file's object that only describe the file, so they aren't kept without its URL. */
const FILE_DETAILS = new Set(['content_type', 'file_name', 'file_size', 'mimeType', 'mime_type']);

/** Whether something of a value is left: neither held, nor empty, nor only form. */
export function isAnythingLeft(value: unknown, held: Held, form: Form = NO_FORM): boolean {
	if (form === true || value === null || value === undefined) return false;
	if (typeof value === 'string') return !held.texts.has(value) && !isTakenFile(value, held);
	if (typeof value !== 'object') return true;
	if (Array.isArray(value)) return value.some((entry) => isAnythingLeft(entry, held, form));
	const members = value as Record<string, unknown>;
	const names = Object.keys(members);
	const describesFile = names.some((name) => isTakenFile(members[name], held));
	return names.some((name) => {
		if (describesFile && FILE_DETAILS.has(name)) return false;
		const formOfMember = Object.hasOwn(form, name) ? form[name] : NO_FORM;
		return isAnythingLeft(members[name], held, formOfMember);
	});
}

function isTakenFile(value: unknown, { files }: Held): boolean {
	return typeof value === 'string' && files.has(value.trim());
}
