/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Each numbered rule of CONTRIBUTING.md has a test whose title names it, as in "[Money 4]". */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
import { filesBelow } from '../helpers/filesBelow';

/** Returns each rule as its group and number, such as "Money 1". */
function ruleNumbers(): string[] {
	const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
	const [, section] = /\n## Rules\n([^]*?)\n## /.exec(page) ?? [];
	let group = '';
	return section.split('\n').flatMap((line) => {
		group = /^\*\*(\w+)\*\*$/.exec(line)?.[1] ?? group;
		const number = /^(\d+)\. /.exec(line)?.[1];
		return number === undefined ? [] : [`${group} ${number}`];
	});
}

/** Returns the rules that test titles name at their end. */
function citedRules(): string[] {
	return filesBelow('test')
		.filter((file) => file.endsWith('.test.ts'))
		.map((file) => readFileSync(join(ROOT, file), 'utf8'))
		.flatMap((text) => [
			...text.matchAll(/\[(Money|Secrets|n8n) (\d+)\](?=(?: \[\w+ \d+\])*['"`],)/g),
		])
		.map(([, group, number]) => `${group} ${number}`);
}

test('each rule has a test that names it, and no test names a rule that does not exist', () => {
	expect(ruleNumbers().length).toBeGreaterThan(10);
	expect([...new Set(citedRules())].sort()).toEqual(ruleNumbers().sort());
});

test('published sources disable no lint rule [n8n 3]', () => {
	const disabling = ['nodes', 'credentials']
		.flatMap(filesBelow)
		.filter((file) => file.endsWith('.ts'))
		.filter((file) => /eslint-disable/.test(readFileSync(join(ROOT, file), 'utf8')));
	expect(disabling).toEqual([]);
});
