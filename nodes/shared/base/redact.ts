import { placeOf, readingsOf } from './decodedText';
import { cut, oneLine } from './readable';

/** Takes secrets out of a text; a session's knows those of its credential. */
export type Redact = (text: string) => string;

/** Where something begins and ends in a text. */
type Range = [from: number, to: number];

const HIDDEN = '[hidden]';
/** Shorter values are no secrets, and would take ordinary words out of a text. */
const SHORTEST_SECRET = 4;
/** This much of the beginning of a secret, at a place where a text was cut, is taken out as well, characters. */
const SHORTEST_PIECE = 4;

/** What no text may show, whatever credential is in use. The group, or else all of it, is hidden. */
const PATTERNS: readonly RegExp[] = [
	// API keys.
	/SG_[0-9A-Za-z]{8,}/dg,
	// JWTs, also cut ones.
	/eyJ[\w-]{8,}(?:\.[\w-]*){0,2}/dg,
	// User name and password of an address.
	/:\/\/([^\s"<>/?#]+)@/dg,
	// The same, when the address was cut before the @: what follows the colon is no port.
	/:\/\/([^\s"'<>/?#@:[\]]+:(?!\d{1,5}(?:[^\w.~%!$&*+,;=-]|[.,;!]*(?:\s|$)))[^\s"'<>/?#@]+)/dg,
	// The query of an address: presigned ones carry their signature there. A quotation mark ends it only where a quotation may end.
	/:\/\/(?:[^\s"'<>?]|'(?![\s.,;:)\]}]|$)){0,4000}\?((?:[^\s"'<>]|'(?![\s.,;:)\]}]|$))+)/dg,
	// A signature or a token by its name, wherever it stands.
	/[?&;](?:x-(?:amz|goog)-[a-z-]*|awsaccesskeyid|signature|sig|(?:access_|refresh_|id_)?token|api[_-]?key|secret|password|code)=([^\s&"'<>]+)/dgi,
];

/**
 * Takes keys, tokens, and the user names, passwords and queries of addresses out of a text that goes into an error or a log.
 * `secrets` are exact values to remove as well, such as the key of the credential in use. Both are found in any escaping (JSON, address,
 * HTML), an exact one in base64 too, and its beginning or end where the text was cut (`…`).
 */
export function redact(text: string, secrets: readonly string[] = []): string {
	const forms = secrets
		.filter((secret) => secret.length >= SHORTEST_SECRET)
		.flatMap((secret) => readingsOf(secret).map((reading) => reading.text));
	const hidden: Range[] = [];
	for (const reading of readingsOf(text)) {
		const found: Range[] = [];
		for (const form of forms) {
			for (const encoded of encodingsOf(form)) findAll(reading.text, encoded, found);
			findPieces(reading.text, form, found);
		}
		for (const pattern of PATTERNS) {
			for (const { indices } of reading.text.matchAll(pattern)) {
				const range = indices?.[1] ?? indices?.[0];
				if (range) found.push(range);
			}
		}
		for (const [from, to] of found) hidden.push([placeOf(reading, from), placeOf(reading, to)]);
	}
	return without(text, hidden);
}

/** A value as it may be quoted in an error: secrets taken out, in one line, then cut to `longest` characters. */
export function shown(value: unknown, longest = 80, clean: Redact = redact): string {
	const text =
		typeof value === 'object' && value !== null
			? (JSON.stringify(value) ?? '')
			: String(value ?? '');
	return cut(oneLine(clean(text)), longest);
}

/** A secret as it is, as UTF-8 bytes that were decoded one by one, and in base64 wherever it stands in what was encoded. */
function encodingsOf(secret: string): Set<string> {
	const bytes = Buffer.from(secret, 'utf8');
	const forms = new Set([secret, bytes.toString('latin1')]);
	if (bytes.length >= 8) {
		for (const before of [0, 1, 2]) {
			// Characters that also hold bits of what stands before or after the secret say little of it.
			const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
			const own = encoded.slice(
				before === 0 ? 0 : before + 1,
				Math.floor(((before + bytes.length) * 8) / 6),
			);
			forms.add(own);
			forms.add(own.replaceAll('+', '-').replaceAll('/', '_'));
		}
	}
	return forms;
}

function findAll(text: string, form: string, found: Range[]): void {
	for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1))
		found.push([at, at + form.length]);
}

/** The beginning of a secret before a cut or the end of the text, and its end after a cut. */
function findPieces(text: string, secret: string, found: Range[]): void {
	for (const { index, 0: mark } of text.matchAll(/\s?(?:…|\.\.\.|$)\s?/g)) {
		const beginning = longestPiece(
			secret,
			(length) => text.startsWith(secret.slice(0, length), index - length) && length <= index,
		);
		if (beginning > 0) found.push([index - beginning, index]);
		const from = index + mark.length;
		const end = longestPiece(secret, (length) => text.startsWith(secret.slice(-length), from));
		if (end > 0) found.push([from, from + end]);
	}
}

/** The length of the longest piece of a secret that is there; 0 when even the shortest is not. */
function longestPiece(secret: string, isThere: (length: number) => boolean): number {
	for (let length = secret.length - 1; length >= SHORTEST_PIECE; length--)
		if (isThere(length)) return length;
	return 0;
}

/** The text with each of the ranges, which may overlap, replaced by one mark. */
function without(text: string, ranges: Range[]): string {
	let clean = '';
	let done = 0;
	for (const [from, to] of ranges.sort(([one], [other]) => one - other)) {
		if (to <= done) continue;
		clean += from > done || done === 0 ? `${text.slice(done, from)}${HIDDEN}` : '';
		done = to;
	}
	return clean + text.slice(done);
}
