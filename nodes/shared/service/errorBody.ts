import { cut, toOneLine } from '../base/text';
import { redact, type Redact } from '../base/redact';
import { isObject } from './schemas';

/** Longest part of a body in an error, characters. */
const EXCERPT = 300;
/** How much of a text is read, characters. */
const MAX_READ_CHARS = 20_000;

/** Members that may contain the reason, the most reliable first (docs/service.md, Errors). */
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

/** Limits of depth, and of entries of a list. */
const DEEPEST = 8;
const MOST_ENTRIES = 20;

/**
 * The service's message in any error body: text, code and description, nested objects, HTML, or nothing (''). Each member is read once. Secrets are
 * removed from each text before it is cut; `clean` is the session's `redact`, if there is one.
 */
export function reasonIn(body: unknown, clean: Redact = redact): string {
	if (typeof body === 'string') return excerpt(body, clean);
	return isObject(body) ? reasonOf(body, clean, DEEPEST) : '';
}

function reasonOf(members: Record<string, unknown>, clean: Redact, levels: number): string {
	let code = '';
	for (const name of REASON_MEMBERS) {
		const reason = reasonFrom(members[name], clean, levels - 1);
		// `error` is often only a code or the name of the status; another member explains it.
		if (name === 'error') code = reason;
		else if (reason !== '') return code === '' ? reason : joined(code, reason, clean);
	}
	return code === '' && typeof members.error === 'number' ? String(members.error) : code;
}

/** Both in one line, unless one contains the other. */
function joined(first: string, second: string, clean: Redact): string {
	const [one, other] = [first.toLowerCase(), second.toLowerCase()];
	if (one.includes(other)) return first;
	return other.includes(one) ? second : excerpt(`${first}: ${second}`, clean);
}

function reasonFrom(value: unknown, clean: Redact, levels: number): string {
	if (typeof value === 'string') return excerpt(value, clean);
	if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return '';
	const inner =
		levels === 0
			? ''
			: isObject(value)
				? reasonOf(value, clean, levels)
				: reasonOfList(value as unknown[], clean, levels);
	return inner || excerpt(JSON.stringify(value), clean);
}

function reasonOfList(list: unknown[], clean: Redact, levels: number): string {
	const reasons = list
		.slice(0, MOST_ENTRIES)
		.map((entry) => reasonFrom(entry, clean, levels - 1) || JSON.stringify(entry));
	return excerpt(reasons.join('; '), clean);
}

/** The first 300 characters as one line, without secrets and HTML markup. */
export function excerpt(text: string, clean: Redact = redact): string {
	const start = clean(text.slice(0, MAX_READ_CHARS));
	const plain = /^\s*<(!doctype|html|head|body|title|h1|center)/i.test(start)
		? start.replace(/<(style|script)[\s\S]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^<>]*>/g, ' ')
		: start;
	return cut(toOneLine(plain).replace(/\s+/g, ' ').trim(), EXCERPT);
}
