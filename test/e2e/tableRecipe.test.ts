import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { readExample } from '../../dev/base/workflows';
import type { Ref, SavedWorkflow } from '../../dev/n8n/n8nApi';
import { chain, itemsOf, node, until } from '../helpers/n8nWorkflows';
import { useRecipes } from './recipeHost';

const { host, imported, run } = useRecipes();
const FILE = 'table-of-prompts.json';
const COLUMNS = ['prompt', 'status', 'request_id', 'url', 'note'];

interface Pictures {
	table: Ref;
	/** The recipe for it. */
	workflow: SavedWorkflow;
}

/** Makes a table with as many prompts, each of which begins with its name, and imports the recipe for it. */
async function prepared(
	name: string,
	count: number,
	waiting: INodeParameters = {},
): Promise<Pictures> {
	const rows = Array.from({ length: count }, (_u, at) => ({ prompt: `${name} ${at}` }));
	const table = await host.it.api.createDataTable(name, COLUMNS, rows);
	const dataTableId = { __rl: true, mode: 'name', value: name };
	const ofTable = readExample(FILE).nodes.filter(({ type }) => type.endsWith('dataTable'));
	const workflow = await imported(FILE, {
		...Object.fromEntries(ofTable.map((one) => [one.name, { dataTableId }])),
		'Get Result': { options: waiting },
	});
	return { table, workflow };
}

/** Requests for the prompts of a table. */
const jobsOf = ({ table }: Pictures) =>
	host.it.emulator.jobs.filter(({ input }) => String(input.prompt).startsWith(table.name));

/** How many rows have each status. */
async function statuses({ table }: Pictures): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	for (const { status } of await host.it.api.rowsOf(table))
		counts[status ?? ''] = (counts[status ?? ''] ?? 0) + 1;
	return counts;
}

/** Every row has the picture of its own request, and no prompt was sent more often than that. */
async function expectOnePictureEach(pictures: Pictures, count: number): Promise<void> {
	const jobs = jobsOf(pictures);
	expect(jobs).toHaveLength(count);
	const made = new Map(
		jobs.map(({ input, requestId, files }) => [input.prompt, { requestId, files }]),
	);
	for (const { prompt, status, request_id, url } of await host.it.api.rowsOf(pictures.table)) {
		const { requestId, files } = made.get(prompt) ?? {};
		expect([status, request_id, url]).toEqual(['done', requestId, files?.[0]]);
	}
}

test('20 rows at a time, each with its picture; a second run does nothing', async () => {
	const pictures = await prepared('good', 45);
	await run(pictures.workflow);
	await expectOnePictureEach(pictures, 45);
	const { jobs } = host.it.emulator;
	for (const at of [20, 40]) {
		const ends = jobs.slice(0, at).map(({ finishedAt }) => finishedAt as number);
		expect(jobs[at].submittedAt).toBeGreaterThanOrEqual(Math.max(...ends));
	}
	const { length } = host.it.emulator.calls;
	await run(pictures.workflow);
	expect(host.it.emulator.calls).toHaveLength(length);
});

test('after a time-out and a failure a second run fetches the one and sends the other anew', async () => {
	const pictures = await prepared('troubled', 5, { timeoutSeconds: 1 });
	const { emulator } = host.it;
	emulator.set({ jobMs: (_model, _input, at) => (at === 0 ? 5000 : 100), failJobs: [1] });
	await run(pictures.workflow);
	expect(await statuses(pictures)).toEqual({ done: 3, sent: 1, failed: 1 });
	await until(() => emulator.jobs.every(({ finishedAt }) => finishedAt !== undefined));
	const failed = emulator.jobs[1].input.prompt;
	await run(pictures.workflow);
	expect(emulator.callsOf('submit')).toHaveLength(6);
	expect(emulator.jobs[5].input.prompt).toBe(failed);
	expect(await statuses(pictures)).toEqual({ done: 5 });
});

test('n8n is killed while pictures are waited for, and while requests are sent: a second run pays for no row again', async () => {
	const { emulator, api, credentials } = host.it;
	const waiting = await prepared('waited for', 25);
	const sending = await prepared('being sent', 25);
	emulator.set({ jobMs: 8000 });
	emulator.fault({ on: 'submit', times: 20, do: { delayMs: 60_000 } });
	await api.run(sending.workflow);
	await until(() => jobsOf(sending).length === 20);
	await api.run(waiting.workflow);
	await until(async () => (await statuses(waiting)).sent === 20);
	await host.it.restart();
	emulator.set({ jobMs: 100 });
	await Promise.all([waiting, sending].map(async ({ workflow }) => await run(workflow)));
	await expectOnePictureEach(waiting, 25);

	// Nobody knows what became of these: they stay as they are, and Get Many has their IDs.
	expect(jobsOf(sending)).toHaveLength(25);
	expect(await statuses(sending)).toEqual({ sending: 20, done: 5 });
	const history = node('segmind', { resource: 'request', operation: 'getMany', returnAll: true });
	const list = await api.createWorkflow(
		chain('list', [node('manualTrigger'), history]),
		credentials,
	);
	const listed = itemsOf(await run(list), 'segmind').map(({ json }) => json);
	for (const { prompt, status } of await api.rowsOf(sending.table)) {
		if (status !== 'sending') continue;
		const [found] = listed.filter(
			({ request_body }) => (request_body as IDataObject).prompt === prompt,
		);
		expect(jobsOf(sending).map(({ requestId }) => requestId)).toContain(found.request_id);
	}
});
