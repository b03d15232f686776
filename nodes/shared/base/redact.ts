import { cut, oneLine } from './text';

/** Takes secrets out of a text; a session's knows those of its credential. */
export type Redact = (text: string) => string;

const HIDDEN = '[hidden]';
/** Shorter values are no secrets, and would take ordinary words out of a text. */
const SHORTEST_SECRET = 4;
/** This much more of a text is redacted than is shown, characters: longer than any secret, so that none is cut before it is seen. */
const MARGIN = 8_192;

/**
 * What no text may show, whatever credential is in use, and what stands in its place. Each takes time in proportion to the text: wherever one
 * fails, the next place it can begin at lies behind what it has read. The slashes of an address may be escaped, as JSON allows.
 */
const PATTERNS: ReadonlyArray<[hidden: RegExp, instead: string]> = [
	// API keys.
	[/SG_[0-9A-Za-z]{8,}/g, HIDDEN],
	// Letters written as JSON's escapes: nobody writes so but to hide something.
	[/(?:\\u00[2-7][0-9a-f]){4,}/gi, HIDDEN],
	// JWTs, also cut ones.
	[/eyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, HIDDEN],
	// User name and password of an address.
	[/(?<=:(?:\\?\/){2})[^\s"<>/?#]+@/g, `${HIDDEN}@`],
	// The same, when the address was cut before the @: what follows the colon is no port.
	[
		/(?<=:(?:\\?\/){2})[^\s"'<>/?#@:[\]]+:(?!\d{1,5}(?:[^\w.~%!$&*+,;=-]|[.,;!]*(?:\s|$)))[^\s"'<>/?#@]+/g,
		HIDDEN,
	],
	// The query of an address: presigned ones carry their signature there. Marks at its end belong to the sentence around it.
	[/\?(?<=:(?:\\?\/){2}[^\s"<>?]*\?)[^\s"<>]*[^\s"<>.,;:)}'\\]/g, `?${HIDDEN}`],
	// A signature or a token by its name, wherever it stands.
	[
		/(?<=[?&;](?:x-(?:amz|goog)-[a-z-]*|awsaccesskeyid|signature|sig|(?:access_|refresh_|id_)?token|api[_-]?key|secret|password|code)=)[^\s&"'<>]+/gi,
		HIDDEN,
	],
];

/**
 * Takes keys, tokens, and the user names, passwords and queries of addresses out of a text that goes into an error or a log.
 * `secrets` are exact values to remove as well, such as the key of the credential in use: as they are, and as JSON or an address writes them.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
	const known = secrets
		.filter((secret) => secret.length >= SHORTEST_SECRET)
		.flatMap((secret) => [secret, oneLine(secret)])
		.flatMap((secret) => [
			secret,
			JSON.stringify(secret).slice(1, -1),
			encodeURIComponent(secret.replace(/\p{Surrogate}/gu, ' ')),
		])
		// One may begin with another.
		.sort((one, other) => other.length - one.length);
	const withoutKnown = known.reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text);
	return PATTERNS.reduce(
		(clean, [hidden, instead]) => clean.replace(hidden, instead),
		withoutKnown,
	);
}

/**
 * A value of any length as an error or the log may show it: in one line, secrets taken out, cut to `longest` characters. Of the value no more is
 * worked on than that and a margin.
 */
export function shown(value: unknown, longest = 80, clean: Redact = redact): string {
	const text =
		typeof value === 'object' && value !== null
			? (JSON.stringify(value) ?? '')
			: String(value ?? '');
	return cut(clean(oneLine(text.slice(0, longest + MARGIN))), longest);
}
