/** Longest part of a body that goes into an error, characters (design.md section 4, Wire). */
const EXCERPT = 300;

/** Members that carry the reason, in the order of trust (service-facts section 9). */
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

/** The service's own words from any error body: text, code and description, nested objects, HTML, or nothing (''). */
export function reasonIn(body: unknown): string {
	if (typeof body === 'string') return excerpt(body);
	if (typeof body !== 'object' || body === null) return '';
	const members = body as Record<string, unknown>;
	const [first = '', second] = REASON_MEMBERS.map((name) => reasonFrom(members[name])).filter(
		(reason) => reason !== '',
	);
	// `error` is often no more than a code or the name of the status; what explains it stands beside it.
	if (second !== undefined && reasonFrom(members.error) !== '') return joined(first, second);
	if (first !== '') return first;
	return typeof members.error === 'number' ? String(members.error) : '';
}

/** Both in one line, unless one says it all. */
function joined(first: string, second: string): string {
	const [one, other] = [first.toLowerCase(), second.toLowerCase()];
	if (one.includes(other)) return first;
	return other.includes(one) ? second : excerpt(`${first}: ${second}`);
}

function reasonFrom(value: unknown): string {
	if (typeof value === 'string') return excerpt(value);
	if (Array.isArray(value)) {
		return excerpt(value.map((entry) => reasonFrom(entry) || JSON.stringify(entry)).join('; '));
	}
	if (typeof value !== 'object' || value === null) return '';
	const inner = reasonIn(value) || reasonFrom((value as Record<string, unknown>).msg);
	if (inner !== '') return inner;
	return Object.keys(value).length === 0 ? '' : excerpt(JSON.stringify(value));
}

/** The first 300 characters in one line; markup of an HTML page is taken out. */
export function excerpt(text: string): string {
	const source = text.slice(0, 20_000);
	const plain = /^\s*<(!doctype|html|head|body|title|h1|center)/i.test(source)
		? source.replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
		: source;
	// Control characters would garble n8n's panel and the log.
	const line = plain.replace(/[\p{Cc}\s]+/gu, ' ').trim();
	return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
}
