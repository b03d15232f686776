/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The table of docs/errors.md and the table of forms are about the same errors. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { explainStatus, type CallPurpose } from '../../nodes/shared/service/statusMessages';
import { ERROR_FORMS, faultOfMessage } from './errorForms';

const page = readFileSync(join(__dirname, '../../docs/errors.md'), 'utf8');
const [, section] = page.split('## Errors and what to do');
const [table] = section.split('\n## ');
const phrases = table
	.split('\n')
	.filter((line) => /^\| (?!message says|---)/.test(line))
	.flatMap((line) => line.split('|')[1].split(/, (?=\w)|…/))
	.map((phrase) => phrase.trim().replace(/^:|:$/g, '').trim())
	.filter((phrase) => phrase !== '');

test('docs/errors.md names errors', () => expect(phrases.length).toBeGreaterThan(12));

test.each(phrases)('docs/errors.md: %s', (phrase) => {
	expect(ERROR_FORMS.some(({ example }) => example.includes(phrase))).toBe(true);
});

test.each(ERROR_FORMS.map(({ example }) => example))('form: %s', (example) => {
	expect(faultOfMessage(example)).toBeUndefined();
});

const PURPOSES: CallPurpose[] = [
	'submit',
	'runV1',
	'upload',
	'status',
	'result',
	'credits',
	'read',
	'manage',
];
const STATUSES = [
	307, 400, 401, 402, 403, 404, 405, 406, 408, 410, 413, 422, 429, 500, 502, 503, 504,
];

test.each(STATUSES)('HTTP %i has a form, whatever the call was for', (status) => {
	for (const purpose of PURPOSES)
		for (const reason of [
			'',
			'Invalid content type',
			'Spend limit of the team',
			'Not enough credits',
		])
			for (const requestId of [undefined, 'r1']) {
				const subject = "model 'x'";
				const { message } = explainStatus({ purpose, status, reason, subject, requestId });
				expect([message, faultOfMessage(message)]).toEqual([message, undefined]);
			}
});

test.each([
	"Cannot read properties of undefined (reading 'x')",
	'x is not a function',
	'Invalid URL',
	'Unexpected token < in JSON at position 0',
	'',
	'Error',
])('no form: %s', (raw) => {
	expect(faultOfMessage(raw)).toBeDefined();
});
