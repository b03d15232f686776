import { isRecord } from './prompt';

/** A file in a form field, without its content. */
interface FormFile {
	fileName: string;
	contentType: string;
	bytes: number;
}

type FormFields = Record<string, string | FormFile>;
type WithContentType = { headers: { 'content-type'?: string } };

/** Returns the media type in lowercase and without parameters, or an empty string if there is no content-type header. */
export function mediaType(request: WithContentType): string {
	return (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
}

/** Parses a body as a form or as JSON, by its content type. Returns undefined if it can't be parsed or is nested too deeply. */
export async function parseBody(request: WithContentType, body: Buffer): Promise<unknown> {
	const type = mediaType(request);
	if (type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded')
		return await readForm(request.headers['content-type'] ?? '', body);
	try {
		const value = JSON.parse(body.toString('utf8')) as unknown;
		return isTooDeep(value) ? undefined : value;
	} catch {
		return undefined;
	}
}

/** JSON nested deeper than this counts as malformed, because real parsers have a limit too. */
const MAX_DEPTH = 1_000;

function isTooDeep(value: unknown): boolean {
	let level = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_DEPTH) return true;
		level = level.flatMap((inner) =>
			inner instanceof Object ? (Object.values(inner) as unknown[]) : [],
		);
	}
	return false;
}

async function readForm(contentType: string, body: Buffer): Promise<FormFields | undefined> {
	try {
		const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
		return Object.fromEntries([...form].map(([name, value]) => [name, fieldOf(value)]));
	} catch {
		return undefined;
	}
}

function fieldOf(value: string | File): string | FormFile {
	if (typeof value === 'string') return value;
	return { fileName: value.name, contentType: value.type, bytes: value.size };
}

/** In bodies longer than this, long strings are truncated. */
const LONG_BODY_BYTES = 1024 * 1024;
/** The length to which strings are truncated. */
const MAX_STRING_CHARS = 200;

/** Returns a body for the record of its call: in a long body, long strings are truncated. */
export function truncateStrings(value: unknown, bodyBytes: number): unknown {
	if (bodyBytes <= LONG_BODY_BYTES) return value;
	if (typeof value === 'string' && value.length > MAX_STRING_CHARS)
		return `${value.slice(0, MAX_STRING_CHARS)}… (${value.length} characters)`;
	if (Array.isArray(value)) return value.map((entry: unknown) => truncateStrings(entry, bodyBytes));
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, entry]) => [name, truncateStrings(entry, bodyBytes)]),
	);
}
