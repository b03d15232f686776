/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Writes the texts of the error table into docs/error-list.md: `npm run errors`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { ROOT } from '../base/project';
import { insertErrors } from './page';

async function main(): Promise<void> {
	const path = join(ROOT, 'docs/error-list.md');
	const page = insertErrors(await readFile(path, 'utf8'));
	await writeFile(path, await format(page, { ...(await resolveConfig(path)), filepath: path }));
}

void main();
