/** Every row of the error tables is readable, and the right row explains each error response. */
import { CAUSES, type CallPurpose, type ErrorRow } from '../../nodes/shared/errors/errorTable';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { explainStatus, failureOf } from '../../nodes/shared/errors/failures';
import { rejectionPattern } from '../helpers/errorTexts';

const ROWS: Array<[string, ErrorRow]> = Object.entries({ ...STATUSES, ...CAUSES });
test.each(ROWS)('row %s says what happened and what to do, in complete sentences', (_name, row) => {
	expect(row.what).toMatch(/^\S.*[^.\s]$/);
	for (const text of [row.todo, row.todoWithoutReason ?? row.todo])
		expect(text).toMatch(/^(\{found\}|(\{found\} )?[A-Z].*\.)$/);
	// n8n may offer no retry.
	expect(`${row.what} ${row.todo} ${row.todoWithoutReason}`).not.toMatch(/\bretr(y|ies)\b/i);
	if (row.retry !== undefined) expect(row.retry).toMatch(/^A retry .*\.$/);
	const names = [...`${row.what}${row.todo}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
	const values = Object.fromEntries(names.map((name) => [name, 'x'.repeat(40)]));
	const { message, description } = failureOf('other', row, values).facts;
	expect(`${message}${description}`).not.toMatch(/[{}…]/);
});

test.each<[number, CallPurpose, string, keyof typeof STATUSES]>([
	[400, 'submit', '', '400'],
	[400, 'manage', '', '400 manage'],
	[404, 'submit', '', '404 submit'],
	[404, 'workflow', '', '404 workflow'],
	[404, 'credits', '', '404 credits'],
	[404, 'read', '', '404'],
	[406, 'submit', 'Invalid content type', '406'],
	[406, 'submit', 'Insufficient credits. You have 0.0 credits...', '406 noCredits'],
	[406, 'submit', 'insufficient credits', '406 noCredits'],
	[406, 'submit', 'Insufficient credits: a song. You have 0.0 credits', '406'],
	[406, 'submit', 'prompt exceeds the limit of 2000 characters', '406'],
	[500, 'submit', 'content type', '5xx'],
	[502, 'submit', '', '502'],
	[520, 'manage', '', '5xx manage'],
	[302, 'submit', '', '3xx'],
	[401, 'apiKey', '', '401 apiKey'],
	[500, 'account', '', '5xx manage'],
	[418, 'submit', '', 'other'],
])(
	'HTTP %i for the purpose %s with the reason "%s" is explained by the row %s',
	(status, purpose, reason, name) => {
		const { message, fatal } = explainStatus({ purpose, status, reason, subject: "model 'x'" });
		expect(message).toMatch(rejectionPattern(name, reason));
		expect(fatal).toBe((STATUSES[name] as ErrorRow).fatal);
	},
);

test.each<[CallPurpose, string | undefined, string]>([
	['submit', undefined, 'none'],
	['credits', undefined, 'none'],
	['status', undefined, 'none'],
	['status', 'r-1', 'chargedIfCompletes'],
	['result', 'r-1', 'chargedIfCompletes'],
])(
	'HTTP 403 for the purpose %s with the request ID %p has the charge %s',
	(purpose, requestId, charge) => {
		const statusCase = { purpose, status: 403, reason: '', subject: 'it', requestId };
		expect(explainStatus(statusCase).charge).toBe(charge);
	},
);
