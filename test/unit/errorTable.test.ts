/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Every row of the error table is fit to be read, and every answer finds its row. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
import { withErrors } from '../../dev/errors/page';
import { SegmindFailure } from '../../nodes/shared/base/failure';
import {
	ACCOUNT,
	CAUSES,
	HISTORY_SAYS,
	RETRY,
	SEARCH_SAYS,
	type CallPurpose,
	type Row,
} from '../../nodes/shared/errors/errorTable';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { explainStatus, failureOf, type StatusCase } from '../../nodes/shared/errors/failures';
import { refusing } from '../helpers/errorTexts';

const ROWS: Array<[string, Row]> = Object.entries({ ...STATUSES, ...CAUSES, ...ACCOUNT });
const PURPOSES: CallPurpose[] = [
	'submit',
	'workflow',
	'runV1',
	'upload',
	'status',
	'result',
	'credits',
	'read',
	'manage',
];
const REASONS = ['', 'Invalid content type', 'Team spend limit', 'Not enough credits', 'size is 0'];

describe.each(ROWS)('row %s', (_name, row) => {
	test('says what happened and what to do, in sentences', () => {
		expect(row.what).toMatch(/^\S.*[^.\s]$/);
		for (const text of [row.todo, row.silent ?? row.todo])
			expect(text).toMatch(/^(\{found\}|(\{found\} )?[A-Z].*\.)$/);
		expect(row.retry ?? 'A retry does it.').toMatch(/^A retry .*\.$/);
	});

	test('promises no retry where n8n may offer none', () => {
		expect(`${row.what} ${row.todo} ${row.silent}`).not.toMatch(/\bretr(y|ies)\b/i);
	});

	test('fits whole into an error, names filled in', () => {
		const names = [...`${row.what}${row.todo}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
		const values = Object.fromEntries(names.map((name) => [name, 'x'.repeat(40)]));
		const { message, description } = failureOf('other', row, values).facts;
		expect(`${message}${description}`).not.toMatch(/[{}…]/);
	});
});

test.each(Object.values({ ...HISTORY_SAYS, ...SEARCH_SAYS }))(
	'no retry is promised: %s',
	(text) => {
		expect(text).not.toMatch(/\bretry\b/i);
	},
);
test.each(Object.values(RETRY))('is about a retry: %s', (text) => {
	expect(text).toMatch(/^A retry /);
});

test('docs/error-list.md is what `npm run errors` makes', () => {
	const page = readFileSync(join(ROOT, 'docs/error-list.md'), 'utf8');
	const words = (text: string) => text.replace(/[\s-]+/g, ' ');
	expect(words(page)).toBe(words(withErrors(page)));
});

describe('an answer that is not a success', () => {
	const factsOf = (found: StatusCase) => new SegmindFailure('refused', explainStatus(found)).facts;
	const explain = (status: number, reason = '', purpose: CallPurpose = 'submit') =>
		factsOf({ purpose, status, reason, subject: "model 'x'" });

	test('has a row, whatever its status and the call, and every row is some answer’s', () => {
		const seen = new Set<string>();
		for (let status = 300; status < 600; status++)
			for (const purpose of PURPOSES)
				for (const reason of REASONS)
					for (const requestId of [undefined, 'r-1']) {
						const found = { purpose, status, reason, requestId, subject: "model 'x'" };
						const { message, charge, advice } = explainStatus(found);
						const row = Object.entries<Row>(STATUSES).find(
							([, { what, todo, silent }]) =>
								message.startsWith(`Model 'x': ${what} (HTTP ${status})`) &&
								advice === (reason === '' ? (silent ?? todo) : todo),
						);
						seen.add(row?.[0] ?? `none for ${JSON.stringify(found)}`);
						const accepted = requestId && (purpose === 'status' || purpose === 'result');
						expect(charge).toBe(accepted ? 'acceptedIfCompletes' : 'none');
					}
		// Two rows that say the same are one here.
		expect([...seen].sort()).toEqual(
			Object.keys(STATUSES)
				.filter((name) => name !== '404 runV1')
				.sort(),
		);
	});

	test.each<[number, CallPurpose, string, keyof typeof STATUSES]>([
		[302, 'submit', '', '3xx'],
		[400, 'submit', '', '400'],
		[400, 'manage', '', '400 manage'],
		[404, 'submit', '', '404 submit'],
		[404, 'workflow', '', '404 workflow'],
		[404, 'runV1', '', '404 runV1'],
		[404, 'credits', '', '404 credits'],
		[404, 'manage', '', '404 manage'],
		[404, 'read', '', '404'],
		[406, 'submit', 'Invalid content type', '406 contentType'],
		[406, 'runV1', 'invalid Content-Type header', '406 contentType'],
		[406, 'submit', 'Insufficient credits. You have 0.0 credits...', '406 noCredits'],
		[406, 'submit', 'Your balance is too low', '406 noCredits'],
		[406, 'submit', 'credit limit exceeded', '406 noCredits'],
		[406, 'submit', 'monthly credit limit reached', '406 noCredits'],
		[406, 'submit', 'spend_limit_exceeded', '406 spendLimit'],
		[406, 'submit', 'Monthly budget of the workspace is used up', '406 spendLimit'],
		[406, 'submit', 'The usage quota is exhausted', '406 spendLimit'],
		[406, 'submit', 'team has reached its limit', '406 spendLimit'],
		[406, 'submit', 'prompt exceeds the limit of 2000 characters', '406'],
		[406, 'submit', 'image_url is required', '406'],
		[413, 'upload', '', '413 upload'],
		[418, 'submit', '', 'other'],
		[500, 'submit', 'content type', '5xx'],
		[502, 'submit', '', '502'],
		[520, 'manage', '', '5xx manage'],
	])('%i of %s with "%s" is row %s', (status, purpose, reason, name) => {
		const { message, advice, fatal } = explain(status, reason, purpose);
		const row: Row = STATUSES[name];
		expect(message).toMatch(refusing(name, reason));
		expect([row.todo, row.silent]).toContain(advice);
		expect(fatal).toBe(row.fatal);
	});

	test('only what no later item can get past is fatal', () => {
		const fatal = ROWS.filter(([name, row]) => row.fatal && name in STATUSES);
		expect(fatal.map(([name]) => name)).toEqual(['401', '402', '406 spendLimit', '406 noCredits']);
	});

	test('without a text does not point to one', () => {
		for (const status of [406, 422]) {
			expect(explain(status).advice).toBe(STATUSES[`${status as 422}`].silent);
			expect(explain(status, 'x').advice).toBe(STATUSES[`${status as 422}`].todo);
		}
	});

	test.each([400, 406, 409, 415, 422, 424])('%i of a workflow speaks of no model', (status) => {
		for (const reason of ['', 'image_1 is missing']) {
			const found = { purpose: 'workflow', status, reason, subject: "workflow 'w'" } as const;
			const { message, description } = factsOf(found);
			expect(`${message} ${description}`).not.toMatch(/model/i);
		}
	});

	test('about an accepted request names it once', () => {
		for (const subject of ['request r-1', 'the result']) {
			const about = { purpose: 'result', subject, requestId: 'r-1' } as const;
			const { message, requestId } = factsOf({ ...about, status: 500, reason: 'boom' });
			expect(message.split('r-1')).toHaveLength(2);
			expect(requestId).toBe('r-1');
		}
	});

	test("carries the service's words once", () => {
		expect(explain(500, 'out of memory').message.split('out of memory')).toHaveLength(2);
		const { what } = STATUSES['404 submit'];
		expect(explain(404, what).message.split(what)).toHaveLength(2);
	});
});
