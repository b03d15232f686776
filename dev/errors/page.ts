import { CAUSES, type ErrorRow } from '../../nodes/shared/errors/errorTable';
import { STATUSES } from '../../nodes/shared/errors/statusTable';

/** Sections that explain errors: the list has the link instead of the advice. */
const EXPLAINED: Record<string, string[]> = {
	'retries-and-cost.md#the-response-was-lost': ['unknownOutcome'],
	'retries-details.md#what-counts-as-the-same-request': ['sentByAnother'],
	'retries-details.md#when-a-request-cannot-be-found': ['missingNow', 'missing', 'resultExpired'],
	'retries-and-cost.md#when-you-click-stop': Object.keys(CAUSES).filter((name) =>
		/^stop/.test(name),
	),
	'retries-and-cost.md#set-a-limit': ['belowMinBalance', 'overMaxCost', 'unpriced'],
	'triggers.md#protection-against-endless-loops': ['selfStart'],
	'triggers.md#what-can-be-missed': ['requestsMissed'],
};
const HEADING = '## Messages and advice';

/** Replaces the part of docs/error-list.md that is made from the error tables, which is the last. The result isn't formatted yet. */
export function insertErrors(page: string): string {
	return `${page.split(HEADING)[0]}${HEADING}\n\n${section()}\n`;
}

function section(): string {
	const statuses = Object.entries<ErrorRow>(STATUSES)
		.sort(([one], [other]) => one.localeCompare(other))
		.map(([name, row]): [string, ErrorRow] => {
			const status = name === 'other' ? '…' : name.split(' ')[0];
			return [name, { ...row, what: `${row.what} (HTTP ${status})` }];
		});
	return [
		'Generated from the error table by `npm run errors`. An ellipsis (…) stands for text that varies.',
		'### By HTTP status',
		"Segmind's own explanation follows the message. If a message is listed twice, the advice depends on the kind of call.",
		listOf(statuses),
		'### Requests, limits and triggers',
		listOf(Object.entries(CAUSES)),
	].join('\n\n');
}

/** Lists each advice once, after the messages that share it. Errors whose advice is known only at run time are left out. */
function listOf(rows: Array<[string, ErrorRow]>): string {
	const messages = new Map<string, Set<string>>();
	for (const [name, { what, todo }] of rows) {
		const advice = linkFor(name) ?? textOf(todo.replace('{found}', ''));
		if (advice !== '') messages.set(advice, (messages.get(advice) ?? new Set()).add(textOf(what)));
	}
	const lines = [...messages].map(([advice, all]) => `- **${[...all].join('**; **')}**: ${advice}`);
	return lines.join('\n');
}

function linkFor(name: string): string | undefined {
	const page = Object.keys(EXPLAINED).find((link) => EXPLAINED[link].includes(name));
	return page && `see [${page.replace(/.*#/, '').replaceAll('-', ' ')}](${page})`;
}

function textOf(text: string): string {
	return text.replace(/(\{\w+\})+/g, '…');
}
