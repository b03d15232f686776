import { CAUSES, type ErrorRow } from '../../nodes/shared/errors/errorTable';
import { INPUTS } from '../../nodes/shared/errors/inputTable';
import { STATUSES } from '../../nodes/shared/errors/statusTable';

/** Links to pages that say more about a row. */
const MORE: Record<string, string> = {
	unknownOutcome: 'retries-details.md#when-the-response-to-a-submission-is-lost',
	missing: 'retries-details.md#when-a-request-cannot-be-found',
};
const HEADING = '## Errors and what to do';

/** Replaces the section of docs/error-list.md that is made from the error tables. The result isn't formatted yet. */
export function insertErrors(page: string): string {
	const [before, after] = page.split(`${HEADING}\n`);
	const rest = after.slice(after.indexOf('\n## '));
	return `${before}${HEADING}\n\n${section()}\n${rest}`;
}

function section(): string {
	const statuses = Object.entries<ErrorRow>(STATUSES)
		.sort(([one], [other]) => one.localeCompare(other))
		.map(([name, row]): [string, ErrorRow] => {
			const status = name === 'other' ? '…' : name.split(' ')[0];
			return [name, { ...row, what: `${row.what} (HTTP ${status})` }];
		});
	return [
		'Generated from the error table by `npm run errors`. An ellipsis (…) stands for text that varies. If a message appears more than once, the advice depends on the kind of call.',
		'### By HTTP status',
		"In the actual error, Segmind's own explanation follows the message.",
		tableOf(statuses),
		'### Requests, submissions and limits',
		tableOf(Object.entries(CAUSES)),
		'### Wrong inputs',
		'Nothing was sent, and nothing was charged.',
		tableOf(Object.entries(INPUTS)),
	].join('\n\n');
}

function tableOf(rows: Array<[string, ErrorRow]>): string {
	const lines = rows.map(([name, row]) => `| ${cellOf(row.what)} | ${adviceOf(name, row)} |`);
	return ['| message says | what to do |', '| --- | --- |', ...new Set(lines)].join('\n');
}

function adviceOf(name: string, { todo, retry, fatal }: ErrorRow): string {
	const texts = [
		todo === '{found}'
			? 'The text below the message says what is known and where to look.'
			: cellOf(todo),
		retry,
		fatal && 'The remaining items are not sent.',
		MORE[name] && `[More](${MORE[name]})`,
	];
	return texts.filter(Boolean).join(' ');
}

function cellOf(text: string): string {
	return text.replace(/(\{\w+\})+/g, '…').replace(/\|/g, '\\|');
}
