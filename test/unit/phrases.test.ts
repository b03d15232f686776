/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** No text for people contains a phrase that a reader has to decode. The list has only phrases that are never right. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { HINTS } from '../../nodes/shared/errors/hintTable';
import { INPUTS } from '../../nodes/shared/errors/inputTable';
import * as parts from '../../nodes/shared/errors/parts';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { ACTION_NODES, CREDENTIAL_TYPES } from '../helpers/packageNodes';

const PHRASES = [
	'in silence',
	'what the text names',
	'runs on at',
	'held against',
	'in the place of',
	'goes on with',
	'asked for again',
	'asks for it',
	'an earlier try',
	'this try',
	'each try',
	'another go',
	'send in anew',
	'nobody can know',
	'the time is up',
	'the time was up',
	'stands (in|at|beside|above|below)',
	'is told',
	'tells whether',
	'who watches',
	'whoever has',
	'paid twice in',
	'of which nobody',
];
const FOUND = new RegExp(`\\b(${PHRASES.join('|')})\\b`, 'gi');

const ERRORS = JSON.stringify([CAUSES, STATUSES, INPUTS, HINTS, parts]);

const filesIn = (folder: string, extension: string) =>
	readdirSync(join(ROOT, folder))
		.filter((name) => name.endsWith(extension))
		.map((name) => join(folder, name));
const texts: Array<[string, string]> = [
	...[...filesIn('.', '.md'), ...filesIn('docs', '.md'), ...filesIn('examples', '.json')].map(
		(file): [string, string] => [file, readFileSync(join(ROOT, file), 'utf8')],
	),
	['errors', ERRORS],
	...[...Object.values(ACTION_NODES), SegmindTrigger, SegmindFineTuneTrigger].map(
		(nodeType): [string, string] => [nodeType.name, JSON.stringify(new nodeType().description)],
	),
	...CREDENTIAL_TYPES.map(({ name, properties }): [string, string] => [
		name,
		JSON.stringify(properties),
	]),
];

test.each(texts)('%s contains no phrase that a reader has to decode', (_name, text) => {
	expect(text.match(FOUND) ?? []).toEqual([]);
});

// n8n's UX guidelines. A word in braces is the name of a value.
test('errors and hints avoid the words error, problem, failure and mistake', () => {
	expect(ERRORS.match(/(?<!\{)\b(error|problem|failure|mistake)s?\b/gi) ?? []).toEqual([]);
});
