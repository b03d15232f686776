import { cut, toOneLine } from '../base/text';
import { redact, type Redact } from '../base/redact';
import { isObject } from './schemas';

/** An error quotes at most this much of a body. */
const MAX_EXCERPT_CHARS = 300;
/** Only the beginning of a long text is read, so that redacting it takes little time. */
const MAX_READ_CHARS = 20_000;

/** Members that may contain the reason, the most reliable first (docs/service.md, Errors). */
export const REASON_MEMBERS = [
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

/** Deeper levels of an object are quoted as JSON. */
const MAX_DEPTH = 8;
/** Further entries of a list are left out. */
const MAX_ENTRIES = 20;

/**
 * Finds the service's message in any error body: text, code and description, nested objects, HTML, or nothing (''). Secrets are removed from each
 * string before it is cut. `redactText`: the run's `redact`, which also knows its key; by default, only patterns are removed.
 */
export function reasonIn(body: unknown, redactText: Redact = redact): string {
	if (typeof body === 'string') return excerpt(body, redactText);
	return isObject(body) ? reasonOfObject(body, redactText, MAX_DEPTH) : '';
}

function reasonOfObject(
	members: Record<string, unknown>,
	redactText: Redact,
	levelsLeft: number,
): string {
	const reason = mainReasonOf(members, redactText, levelsLeft);
	const details = reasonOfValue(members.details, redactText, levelsLeft - 1);
	if (details === '') return reason;
	return reason === '' ? details : joinReasons(reason, details, redactText);
}

function mainReasonOf(
	members: Record<string, unknown>,
	redactText: Redact,
	levelsLeft: number,
): string {
	// In a list of wrong inputs, `loc` has the path of the input.
	let code = reasonOfValue(members.loc, redactText, levelsLeft - 1).replaceAll('; ', '.');
	for (const name of REASON_MEMBERS) {
		const reason = reasonOfValue(members[name], redactText, levelsLeft - 1);
		// `error` is often only a code or the name of the status; another member explains it.
		if (name === 'error') code ||= reason;
		else if (reason !== '') return code === '' ? reason : joinReasons(code, reason, redactText);
	}
	return code === '' && typeof members.error === 'number' ? String(members.error) : code;
}

/** Returns `first: second`, or only the longer one if it contains the other. */
function joinReasons(first: string, second: string, redactText: Redact): string {
	const lowerFirst = first.toLowerCase();
	const lowerSecond = second.toLowerCase();
	if (lowerFirst.includes(lowerSecond)) return first;
	if (lowerSecond.includes(lowerFirst)) return second;
	return excerpt(`${first}: ${second}`, redactText);
}

function reasonOfValue(value: unknown, redactText: Redact, levelsLeft: number): string {
	if (typeof value === 'string') return excerpt(value, redactText);
	if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return '';
	const whole = () => excerpt(JSON.stringify(value), redactText);
	if (levelsLeft === 0) return whole();
	if (isObject(value)) return reasonOfObject(value, redactText, levelsLeft) || whole();
	return reasonOfList(value as unknown[], redactText, levelsLeft) || whole();
}

function reasonOfList(list: unknown[], redactText: Redact, levelsLeft: number): string {
	const reasons = list
		.slice(0, MAX_ENTRIES)
		.map((entry) => reasonOfValue(entry, redactText, levelsLeft - 1) || JSON.stringify(entry));
	return excerpt(reasons.join('; '), redactText);
}

/**
 * Returns at most 300 characters as one line, without secrets and HTML markup: a long text keeps its start and its end, where a traceback has its cause.
 */
export function excerpt(text: string, redactText: Redact = redact): string {
	const start = redactText(text.slice(0, MAX_READ_CHARS));
	if (/^\s*<(!doctype|html|head|body|title|h1|center)/i.test(start))
		return cut(toPlainLine(withoutMarkup(start)), MAX_EXCERPT_CHARS);
	const isLong = text.length > MAX_READ_CHARS;
	const end = isLong ? redactText(text.slice(-MAX_READ_CHARS)) : start;
	return isLong
		? startAndEnd(toPlainLine(start), toPlainLine(end))
		: startAndEnd(toPlainLine(start));
}

function withoutMarkup(page: string): string {
	return page.replace(/<(style|script)[\s\S]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^<>]*>/g, ' ');
}

function toPlainLine(text: string): string {
	return toOneLine(text).replace(/\s+/g, ' ').trim();
}

/** How much of a long text's end is quoted. */
const END_CHARS = 120;

/** Joins the start of one text and the end of another. By default, both are of the same text, which is returned whole if it's short. */
function startAndEnd(start: string, end = start): string {
	if (start === end && start.length <= MAX_EXCERPT_CHARS) return start;
	const ending = end.slice(-END_CHARS).replace(/^\p{Surrogate}/u, '');
	return `${cut(start, MAX_EXCERPT_CHARS - END_CHARS - 2)} ${ending}`;
}
