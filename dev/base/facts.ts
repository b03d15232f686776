/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './project';

/** The text of docs/service.md, the page with the facts about the service. */
export const SERVICE_FACTS = readFileSync(join(ROOT, 'docs/service.md'), 'utf8');

/** Returns the grade of a fact, which is in parentheses after the fact's ID. */
export function gradeOf(factId: string): string {
	const line =
		SERVICE_FACTS.split('\n').find((candidate) => candidate.includes(`**${factId}**`)) ?? '';
	const [, grade = ''] = line.split('(');
	return /specified|published|observed|guessed/.exec(grade)?.[0] ?? 'unknown';
}
