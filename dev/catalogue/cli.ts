/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console */
/**
 * Makes the built-in catalogue, and the table of tasks in docs/nodes.md, from the snapshot in this folder. Before a release, read the service's own pages:
 * `npm run catalogue -- https://www.segmind.com/llms.txt https://api.spotprod.segmind.com/inference-model-information/list`; the prices become the new
 * snapshot. Both arguments can be files. pages.json holds what the models' own pages add, and corrections.json what no source has.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readPriceList, type PriceList } from '../../nodes/shared/catalogue/priceList';
import { ROOT } from '../base/project';
import { catalogueText, makeCatalogue, type Corrections } from './make';
import { modelPages } from './schema';
import { monthOf, snapshotText } from './snapshot';
import { withTaskTable } from './taskTable';

const HERE = join(ROOT, 'dev', 'catalogue');
const SNAPSHOT = join(HERE, 'llms.txt');
const [prices, list = join(HERE, 'list.json')] = process.argv.slice(2);

async function readText(source: string): Promise<string> {
	if (!/^https?:\/\//.test(source)) return await readFile(source, 'utf8');
	const response = await fetch(source);
	if (!response.ok) throw new Error(`${source} responded with ${response.status}`);
	return await response.text();
}

/** @throws if a source isn't a list of prices */
async function readPrices(source: string): Promise<PriceList> {
	const read = readPriceList(await readText(source));
	if (read === undefined) throw new Error(`${source} has no list of prices`);
	return read;
}

async function main(): Promise<void> {
	const today = new Date().toISOString().slice(0, 10);
	if (prices !== undefined)
		await writeFile(SNAPSHOT, snapshotText(await readPrices(prices), today));
	const pages = modelPages.parse(JSON.parse(await readText(join(HERE, 'pages.json'))));
	const corrections = JSON.parse(await readText(join(HERE, 'corrections.json'))) as Corrections;
	const models = makeCatalogue(
		await readPrices(SNAPSHOT),
		JSON.parse(await readText(list)) as unknown,
		pages,
		corrections,
	);
	await writeFile(
		join(ROOT, 'nodes/shared/catalogue/models.json'),
		catalogueText(models, monthOf(await readText(SNAPSHOT))),
	);
	const page = join(ROOT, 'docs', 'nodes.md');
	await writeFile(page, withTaskTable(await readText(page), models));
	console.log(
		`${models.length} models: ${models.filter(({ cost }) => cost).length} with a price, ${models.filter(({ parameters }) => parameters.length > 0).length} with parameters`,
	);
}

void main();
