/** Finds files inside a JSON result, as base64 or data URLs. Pure. */
import { typeBySignature, typeOfFile } from '../media/mediaTypes';
import { isObject, TEXT_MEMBERS } from '../service/schemas';

export interface InlineFile {
	bytes: Buffer;
	mimeType: string;
}

/** Shorter strings don't count as files. */
const MIN_BASE64_CHARS = 64;

/** A value with `marks` in place of its inline files, and the files in order. */
interface ExtractedFiles<T> {
	value: T;
	files: InlineFile[];
	marks: ReadonlySet<string>;
}

/** Replaces the inline files in a JSON value by marks. `makesFiles`: whether a text in the member `output` may be one, such as an SVG. Takes linear time. */
export function extractInlineFiles<T>(value: T, makesFiles = false): ExtractedFiles<T> {
	const files: InlineFile[] = [];
	const marks = new Set<string>();
	const replaceFiles = (entry: unknown): unknown => {
		if (Array.isArray(entry)) return entry.map(replaceFiles);
		if (isObject(entry)) return replaceInMembers(entry);
		return typeof entry === 'string' ? replaceFile(entry, fileIn(entry)) : entry;
	};
	const replaceFile = (entry: string, file: InlineFile | undefined): string => {
		if (!file) return entry;
		const mark = `[${file.mimeType}, ${file.bytes.length} bytes: in binary]`;
		files.push(file);
		marks.add(mark);
		return mark;
	};
	/** Without a file, an object isn't copied: it may have a million members. */
	const replaceInMembers = (object: Record<string, unknown>): Record<string, unknown> => {
		const before = files.length;
		const entries = Object.entries(object).map(([name, member]) => {
			if (typeof member !== 'string') return [name, replaceFiles(member)] as const;
			if (name === 'output' && makesFiles)
				return [name, replaceFile(member, fileIn(member) ?? svgIn(member))] as const;
			// A text is never a file. The output is one if it's known to be a file.
			const isText = name === 'output' || TEXT_MEMBERS.includes(name);
			return [name, isText ? member : replaceFiles(member)] as const;
		});
		return files.length > before ? Object.fromEntries(entries) : object;
	};
	return { value: replaceFiles(value) as T, files, marks };
}

function svgIn(text: string): InlineFile | undefined {
	const isSvg = /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/i.test(text.slice(0, 200));
	return isSvg ? { bytes: Buffer.from(text), mimeType: 'image/svg+xml' } : undefined;
}

/** Returns the file in a string of base64 or a data URL. Only the first bytes show that it's one (docs/service.md S63). */
function fileIn(text: string): InlineFile | undefined {
	const [head = '', declaredType] =
		/^data:([^;,]{0,100})(?:;[^,]{0,100})?;base64,/.exec(text.slice(0, 300)) ?? [];
	const base64 = text.slice(head.length);
	// Base64 has only these characters, and padding only at its end.
	if (base64.length < MIN_BASE64_CHARS || /[^A-Za-z0-9+/=\s]|=\s*[^=\s]/.test(base64))
		return undefined;
	const start = Buffer.from(base64.slice(0, 1_000), 'base64');
	if (typeBySignature(start) === undefined) return undefined;
	return { bytes: Buffer.from(base64, 'base64'), mimeType: typeOfFile(declaredType, [], start) };
}
