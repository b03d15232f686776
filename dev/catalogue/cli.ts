/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console */
/**
 * Makes the built-in catalogue, and the table of tasks in docs/nodes.md. Run it before a release with the service's own pages:
 * `npm run catalogue -- https://www.segmind.com/llms.txt https://api.spotprod.segmind.com/inference-model-information/list`;
 * without arguments, it uses the snapshot in this folder. Both arguments can be files. pages.json holds what the models' own pages add, and corrections.json
 * what no source has.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from '../base/project';
import { catalogueText, makeCatalogue, type Corrections } from './make';
import { modelPages } from './schema';
import { withTaskTable } from './taskTable';

const HERE = join(ROOT, 'dev', 'catalogue');
const [prices = join(HERE, 'llms.txt'), list = join(HERE, 'list.json')] = process.argv.slice(2);

async function readText(source: string): Promise<string> {
	if (!/^https?:\/\//.test(source)) return await readFile(source, 'utf8');
	const response = await fetch(source);
	if (!response.ok) throw new Error(`${source} responded with ${response.status}`);
	return await response.text();
}

async function main(): Promise<void> {
	const pages = modelPages.parse(JSON.parse(await readText(join(HERE, 'pages.json'))));
	const corrections = JSON.parse(await readText(join(HERE, 'corrections.json'))) as Corrections;
	const models = makeCatalogue(
		await readText(prices),
		JSON.parse(await readText(list)) as unknown,
		pages,
		corrections,
	);
	await writeFile(join(ROOT, 'nodes/shared/catalogue/models.json'), catalogueText(models));
	const page = join(ROOT, 'docs', 'nodes.md');
	await writeFile(page, withTaskTable(await readText(page), models));
	console.log(
		`${models.length} models: ${models.filter(({ cost }) => cost).length} with a price, ${models.filter(({ parameters }) => parameters.length > 0).length} with parameters`,
	);
}

void main();
