import { cut, toOneLine } from './text';

/** Removes secrets from a string. The run's own function also knows the secrets of its credential. */
export type Redact = (text: string) => string;

export const HIDDEN = '[hidden]';
/** Shorter values aren't treated as secrets, because ordinary words would disappear from texts. */
const MIN_SECRET_CHARS = 4;
/** How much more of a string is redacted than is shown. It's longer than any secret, so no secret is cut before it's found. */
const MARGIN_CHARS = 8_192;

/**
 * Patterns that no text may contain, whatever credential is used, and their replacements. Each takes linear time: where a match fails, the next one
 * can only begin after the text already read. The slashes of a URL may be escaped, as in JSON.
 */
const PATTERNS: ReadonlyArray<[pattern: RegExp, replacement: string]> = [
	// API keys.
	[/SG_[0-9A-Za-z]{8,}/g, HIDDEN],
	// Letters written as JSON escapes: nobody writes plain letters this way, except to hide a secret.
	[/(?:\\u00[2-7][0-9a-f]){4,}/gi, HIDDEN],
	// JWTs, complete or cut off.
	[/eyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, HIDDEN],
	// User name and password in a URL.
	[/(?<=:(?:\\?\/){2})[^\s"<>/?#]+@/g, `${HIDDEN}@`],
	// User name and password of a URL that was cut before the @: the text after the colon isn't a port.
	[
		/(?<=:(?:\\?\/){2})[^\s"'<>/?#@:[\]]+:(?!\d{1,5}(?:[^\w.~%!$&*+,;=-]|[.,;!]*(?:\s|$)))[^\s"'<>/?#@]+/g,
		HIDDEN,
	],
	// The query of a URL, which has the signature of a presigned URL. Punctuation at its end belongs to the sentence.
	[/\?(?<=:(?:\\?\/){2}[^\s"<>?]*\?)[^\s"<>]*[^\s"<>.,;:)}'\\]/g, `?${HIDDEN}`],
	// A signature or token, recognized by its name, anywhere.
	[
		/(?<=[?&;](?:x-(?:amz|goog)-[a-z-]*|awsaccesskeyid|signature|sig|(?:access_|refresh_|id_)?token|api[_-]?key|secret|password|code)=)[^\s&"'<>]+/gi,
		HIDDEN,
	],
];

/**
 * Removes keys, tokens, and the user names, passwords and queries of URLs from a text for an error or the log. Also removes the exact values in
 * `secrets`, such as the credential's key, plain or escaped as in JSON and URLs.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
	const knownSecrets = secrets
		.filter((secret) => secret.length >= MIN_SECRET_CHARS)
		.flatMap((secret) => [secret, toOneLine(secret)])
		.flatMap((secret) => [
			secret,
			JSON.stringify(secret).slice(1, -1),
			encodeURIComponent(secret.replace(/\p{Surrogate}/gu, ' ')),
		])
		// One secret may begin with another.
		.sort((one, other) => other.length - one.length);
	const withoutKnown = knownSecrets.reduce(
		(cleaned, secret) => cleaned.replaceAll(secret, HIDDEN),
		text,
	);
	return PATTERNS.reduce(
		(cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement),
		withoutKnown,
	);
}

/**
 * Converts a value of any length to text for an error or the log: one line, without secrets, cut to `maxChars` characters. Only that part and a margin
 * are processed. `redactText`: the run's `redact`, which also knows its key; by default, only patterns are removed.
 */
export function safeTextOf(value: unknown, maxChars = 80, redactText: Redact = redact): string {
	const text =
		typeof value === 'object' && value !== null
			? (JSON.stringify(value) ?? '')
			: String(value ?? '');
	return cut(redactText(toOneLine(text.slice(0, maxChars + MARGIN_CHARS))), maxChars);
}
