import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { readExample } from '../../dev/base/workflows';
import type { Ref, SavedWorkflow } from '../../dev/n8n/n8nApi';
import { chain, itemsOf, node, until } from '../helpers/n8nWorkflows';
import { useRecipes } from './recipeHost';

const { host, imported, run } = useRecipes();
const FILE = 'table-of-prompts.json';
const COLUMNS = ['prompt', 'status', 'request_id', 'url', 'note'];

let table: Ref;
let workflow: SavedWorkflow;
let tables = 0;

/** Makes a table with as many prompts, and imports the recipe for it. */
async function prepared(count: number, waiting: INodeParameters = {}): Promise<void> {
	const rows = Array.from({ length: count }, (_u, at) => ({ prompt: `picture ${at}` }));
	table = await host.it.api.createDataTable(`Pictures ${tables++}`, COLUMNS, rows);
	const dataTableId = { __rl: true, mode: 'name', value: table.name };
	const ofTable = readExample(FILE).nodes.filter(({ type }) => type.endsWith('dataTable'));
	workflow = await imported(FILE, {
		...Object.fromEntries(ofTable.map(({ name }) => [name, { dataTableId }])),
		'Get Result': { options: waiting },
	});
}

/** How many rows have each status. */
async function statuses(): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	for (const { status } of await host.it.api.rowsOf(table))
		counts[status ?? ''] = (counts[status ?? ''] ?? 0) + 1;
	return counts;
}

/** Every row has the picture of its own request, and no prompt was sent more often than that. */
async function expectOnePictureEach(count: number): Promise<void> {
	const { jobs } = host.it.emulator;
	expect(jobs).toHaveLength(count);
	const made = new Map(
		jobs.map(({ input, requestId, files }) => [input.prompt, { requestId, files }]),
	);
	for (const { prompt, status, request_id, url } of await host.it.api.rowsOf(table)) {
		const { requestId, files } = made.get(prompt) ?? {};
		expect([status, request_id, url]).toEqual(['done', requestId, files?.[0]]);
	}
}

test('20 rows at a time, each with its picture; a second run does nothing', async () => {
	await prepared(45);
	await run(workflow);
	await expectOnePictureEach(45);
	const { jobs } = host.it.emulator;
	for (const at of [20, 40]) {
		const ends = jobs.slice(0, at).map(({ finishedAt }) => finishedAt as number);
		expect(jobs[at].submittedAt).toBeGreaterThanOrEqual(Math.max(...ends));
	}
	const { length } = host.it.emulator.calls;
	await run(workflow);
	expect(host.it.emulator.calls).toHaveLength(length);
});

test('after a time-out and a failure a second run fetches the one and sends the other anew', async () => {
	await prepared(5, { timeoutSeconds: 1 });
	const { emulator } = host.it;
	emulator.set({ jobMs: (_model, _input, at) => (at === 0 ? 5000 : 100), failJobs: [1] });
	await run(workflow);
	expect(await statuses()).toEqual({ done: 3, sent: 1, failed: 1 });
	await until(() => emulator.jobs.every(({ finishedAt }) => finishedAt !== undefined));
	const failed = emulator.jobs[1].input.prompt;
	await run(workflow);
	expect(emulator.callsOf('submit')).toHaveLength(6);
	expect(emulator.jobs[5].input.prompt).toBe(failed);
	expect(await statuses()).toEqual({ done: 5 });
});

test('n8n is killed while pictures are waited for: a second run pays for no row again', async () => {
	await prepared(25);
	host.it.emulator.set({ jobMs: 6000 });
	await host.it.api.run(workflow);
	await until(async () => (await statuses()).sent === 20);
	await host.it.restart(true);
	await run(workflow);
	await expectOnePictureEach(25);
});

test('n8n is killed while requests are sent: those rows stay as they are, and Get Many has their IDs', async () => {
	await prepared(25);
	const { emulator, api, credentials } = host.it;
	emulator.fault({ on: 'submit', times: 20, do: { delayMs: 60_000 } });
	await api.run(workflow);
	await until(() => emulator.jobs.length === 20);
	await host.it.restart(true);
	await run(workflow);
	expect(emulator.callsOf('submit')).toHaveLength(25);
	expect(await statuses()).toEqual({ sending: 20, done: 5 });
	const history = node('segmind', { resource: 'request', operation: 'getMany', returnAll: true });
	const list = await api.createWorkflow(
		chain('list', [node('manualTrigger'), history]),
		credentials,
	);
	const listed = itemsOf(await run(list), 'segmind').map(({ json }) => json);
	for (const { prompt, status } of await api.rowsOf(table)) {
		if (status !== 'sending') continue;
		const [found] = listed.filter(
			({ request_body }) => (request_body as IDataObject).prompt === prompt,
		);
		expect(emulator.jobs.map(({ requestId }) => requestId)).toContain(found.request_id);
	}
});
