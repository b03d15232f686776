import { cut, oneLine } from '../base/readable';
import { redact, type Redact } from '../base/redact';

/** Longest part of a body that goes into an error, characters. */
const EXCERPT = 300;
/** This much of a text is read, characters. */
const MAX_READ_CHARS = 20_000;

/** Members that carry the reason, in the order of trust (docs/service.md, Errors). */
const REASON_MEMBERS = [
	'error',
	'error_message',
	'error_description',
	'message',
	'msg',
	'detail',
	'html-message',
	'reason',
	'status_text',
];

/**
 * The service's own words from any error body: text, code and description, nested objects, HTML, or nothing (''). Secrets are taken out
 * of each text before it is cut; `clean` is the session's `redact` where there is one.
 */
export function reasonIn(body: unknown, clean: Redact = redact): string {
	if (typeof body === 'string') return excerpt(body, clean);
	if (typeof body !== 'object' || body === null) return '';
	const members = body as Record<string, unknown>;
	const [first = '', second] = REASON_MEMBERS.map((name) =>
		reasonFrom(members[name], clean),
	).filter((reason) => reason !== '');
	// `error` is often no more than a code or the name of the status; what explains it stands beside it.
	if (second !== undefined && reasonFrom(members.error, clean) !== '')
		return joined(first, second, clean);
	if (first !== '') return first;
	return typeof members.error === 'number' ? excerpt(String(members.error), clean) : '';
}

/** Both in one line, unless one says it all. */
function joined(first: string, second: string, clean: Redact): string {
	const [one, other] = [first.toLowerCase(), second.toLowerCase()];
	if (one.includes(other)) return first;
	return other.includes(one) ? second : excerpt(`${first}: ${second}`, clean);
}

function reasonFrom(value: unknown, clean: Redact): string {
	if (typeof value === 'string') return excerpt(value, clean);
	if (Array.isArray(value)) {
		return excerpt(
			value.map((entry) => reasonFrom(entry, clean) || JSON.stringify(entry)).join('; '),
			clean,
		);
	}
	if (typeof value !== 'object' || value === null) return '';
	const inner = reasonIn(value, clean) || reasonFrom((value as Record<string, unknown>).msg, clean);
	if (inner !== '') return inner;
	return Object.keys(value).length === 0 ? '' : excerpt(JSON.stringify(value), clean);
}

/** The first 300 characters in one line, without secrets; markup of an HTML page is taken out. */
export function excerpt(text: string, clean: Redact = redact): string {
	const source = clean(text.slice(0, MAX_READ_CHARS));
	const plain = /^\s*<(!doctype|html|head|body|title|h1|center)/i.test(source)
		? source.replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
		: source;
	return cut(oneLine(plain).replace(/\s+/g, ' ').trim(), EXCERPT);
}
