/** After n8n was killed or has ended an execution: what continues by itself, what Retry does, and what a second run of a recipe does. */
import type { INodeParameters } from 'n8n-workflow';

import { readExample } from '../../dev/base/workflows';
import type { Call } from '../../dev/emulator';
import { submitFineTune } from '../../dev/emulator/sampleCalls';
import type { Ref, SavedWorkflow } from '../../dev/n8n/n8nApi';
import {
	acceptedIdsIn,
	activateTrigger,
	chain,
	inferenceNode,
	itemsOf,
	node,
	POLL_TIMES,
	postJson,
	promptNodes,
	startExecution,
	triggerItems,
	expectSuccess,
	until,
} from '../helpers/n8nWorkflows';
import { useRecipes } from './recipeHost';

const { host, importRecipe, run } = useRecipes();
const submissions = () => host.emulator.callsOf('submit').length;

// production.test.ts tests the node's timeout.
test("the workflow's own timeout ends the execution; Retry gets the result of the same request", async () => {
	const { api, emulator } = host;
	emulator.set({ jobMs: 6000 });
	const { id } = await startExecution(host, [...promptNodes(1), inferenceNode()], {
		executionTimeout: 2,
	});
	expect((await api.waitForEnd(id)).status).not.toBe('success');
	expect(submissions()).toBe(1);
	await until(() => emulator.jobs[0].state === 'COMPLETED');
	const retried = await expectSuccess(api, await api.retry(id));
	expect(itemsOf(retried, 'segmind')[0].json.request_id).toBe(emulator.jobs[0].requestId);
	expect(submissions()).toBe(1);
});

test('Stop ends a waiting execution before its jobs end, without further calls, and the log names its requests', async () => {
	const { api, emulator, output } = host;
	emulator.set({ jobMs: 60_000 });
	const { id } = await startExecution(host, [...promptNodes(2), inferenceNode()]);
	const acceptedIds = () => acceptedIdsIn(output());
	await until(() => emulator.jobs.length === 2);
	const ids = emulator.jobs.map(({ requestId }) => requestId);
	await until(() => ids.every((one) => acceptedIds().includes(one)));
	await api.stop(id);
	expect((await api.waitForEnd(id)).status).toBe('canceled');
	expect(emulator.jobs.map(({ state }) => state)).not.toContain('COMPLETED');
	const callsAbout = () => emulator.calls.filter(({ requestId = '' }) => ids.includes(requestId));
	const callsBefore = callsAbout().length;
	// Another execution checks its request many times meanwhile.
	emulator.set({ jobMs: 3000 });
	await expectSuccess(api, (await startExecution(host, [...promptNodes(1), inferenceNode()])).id);
	expect(callsAbout()).toHaveLength(callsBefore);
});

const FILE = 'table-of-prompts.json';
const COLUMNS = ['prompt', 'status', 'request_id', 'url', 'note'];

interface PromptTable {
	table: Ref;
	/** The recipe, which reads and fills this table. */
	workflow: SavedWorkflow;
}

/** Makes a table with this many prompts, each of which begins with the table's name, and imports the recipe for the table. */
async function prepareTable(
	name: string,
	count: number,
	getResultOptions: INodeParameters = {},
): Promise<PromptTable> {
	const rows = Array.from({ length: count }, (_u, at) => ({ prompt: `${name} ${at}` }));
	const table = await host.api.createDataTable(name, COLUMNS, rows);
	const dataTableId = { __rl: true, mode: 'name', value: name };
	const tableNodes = readExample(FILE).nodes.filter(({ type }) => type.endsWith('dataTable'));
	const workflow = await importRecipe(FILE, {
		...Object.fromEntries(tableNodes.map((one) => [one.name, { dataTableId }])),
		'Get Result': { options: getResultOptions },
	});
	return { table, workflow };
}

/** Returns the jobs for the prompts of a table. */
const jobsOf = ({ table }: PromptTable) =>
	host.emulator.jobs.filter(({ input }) => String(input.prompt).startsWith(table.name));

/** Counts the rows with each status. */
async function statusCounts({ table }: PromptTable): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	for (const { status } of await host.api.rowsOf(table))
		counts[status ?? ''] = (counts[status ?? ''] ?? 0) + 1;
	return counts;
}

/** Expects that every row has the picture of its own request, and that no prompt was sent more than once. */
async function expectOnePictureEach(promptTable: PromptTable, count: number): Promise<void> {
	const jobs = jobsOf(promptTable);
	expect(jobs).toHaveLength(count);
	const resultByPrompt = new Map(
		jobs.map(({ input, requestId, files }) => [input.prompt, { requestId, files }]),
	);
	for (const { prompt, status, request_id, url } of await host.api.rowsOf(promptTable.table)) {
		const { requestId, files } = resultByPrompt.get(prompt) ?? {};
		expect([status, request_id, url]).toEqual(['done', requestId, files?.[0]]);
	}
}

test('works on 20 rows at a time and puts a picture into each; a second run makes no call', async () => {
	const pictures = await prepareTable('good', 45);
	await run(pictures.workflow);
	await expectOnePictureEach(pictures, 45);
	const { jobs } = host.emulator;
	for (const at of [20, 40]) {
		const ends = jobs.slice(0, at).map(({ finishedAt }) => finishedAt as number);
		expect(jobs[at].submittedAt).toBeGreaterThanOrEqual(Math.max(...ends));
	}
	const callsBefore = host.emulator.calls.length;
	await run(pictures.workflow);
	expect(host.emulator.calls).toHaveLength(callsBefore);
});

test('after a timeout and a failure, a second run gets the first result and resends the failed request', async () => {
	const pictures = await prepareTable('troubled', 5, { timeoutSeconds: 1 });
	const { emulator } = host;
	emulator.set({ jobMs: (_model, _input, at) => (at === 0 ? 5000 : 100), failJobs: [1] });
	await run(pictures.workflow);
	expect(await statusCounts(pictures)).toEqual({ done: 3, sent: 1, failed: 1 });
	await until(() => emulator.jobs.every(({ finishedAt }) => finishedAt !== undefined));
	const failed = emulator.jobs[1].input.prompt;
	await run(pictures.workflow);
	expect(emulator.callsOf('submit')).toHaveLength(6);
	expect(emulator.jobs[5].input.prompt).toBe(failed);
	expect(await statusCounts(pictures)).toEqual({ done: 5 });
});

test('survives a kill while executions are parked, a table waits for pictures and requests are being sent, and another kill during Get Result', async () => {
	const { api, emulator, credentials } = host;
	emulator.set({ jobMs: 1000 });
	// Long enough that n8n parks the execution, which it does from 65 s on.
	const changes = { Wait: { amount: 66, unit: 'seconds' } };
	const start = async (file: string) => await api.run(await importRecipe(file, changes));
	const fetchingLater = await start('submit-and-fetch-later.json');
	await until(() => emulator.jobs.length === 1);
	const looping = await start('long-job.json');
	for (const id of [fetchingLater, looping])
		expect((await api.waitForEnd(id, ['waiting'])).status).toBe('waiting');
	const [picture, film] = emulator.jobs;
	const isFilm = ({ kind, path }: Call) =>
		kind === 'file' && film.files.some((url) => url.endsWith(path));
	emulator.fault({ on: isFilm, do: { delayMs: 50_000 } });
	const waiting = await prepareTable('waited for', 25);
	const sending = await prepareTable('being sent', 25);
	emulator.set({ jobMs: 8000 });
	emulator.fault({ on: 'submit', times: 20, do: { delayMs: 60_000 } });
	await api.run(sending.workflow);
	await until(() => jobsOf(sending).length === 20);
	await api.run(waiting.workflow);
	await until(async () => (await statusCounts(waiting)).sent === 20);
	await host.restart();

	// A second run pays for no row twice.
	emulator.set({ jobMs: 100 });
	await Promise.all([waiting, sending].map(async ({ workflow }) => await run(workflow)));
	await expectOnePictureEach(waiting, 25);
	// The outcome of 20 requests is unknown: their rows stay as they are, and Get Many lists their IDs.
	expect(jobsOf(sending)).toHaveLength(25);
	expect(await statusCounts(sending)).toEqual({ sending: 20, done: 5 });
	const history = node('segmind', { resource: 'request', operation: 'getMany', returnAll: true });
	const list = await api.createWorkflow(
		chain('list', [node('manualTrigger'), history]),
		credentials,
	);
	const listed = itemsOf(await run(list), 'segmind').map(({ json }) => json);
	for (const { prompt, status } of await api.rowsOf(sending.table)) {
		if (status !== 'sending') continue;
		const [found] = listed.filter((request) => request.prompt === prompt);
		expect(jobsOf(sending).map(({ requestId }) => requestId)).toContain(found.request_id);
	}

	// The parked execution continues by itself.
	const fetched = itemsOf(await expectSuccess(api, fetchingLater), 'Get Result');
	expect(fetched).toMatchObject([{ json: { status: 'COMPLETED', request_id: picture.requestId } }]);

	await until(() => emulator.calls.some(isFilm));
	await host.restart();
	expect((await api.waitForEnd(looping)).status).toBe('crashed');
	const retried = await expectSuccess(api, await api.retry(looping));
	expect(itemsOf(retried, 'Finished')[0].json.request_id).toBe(film.requestId);
	expect(submissions()).toBe(52);
});

const activatePoller = async (event: string, parameters: INodeParameters) =>
	await activateTrigger(host, event, 'segmindTrigger', {
		pollTimes: POLL_TIMES,
		event,
		...parameters,
	});

/** Waits until each kind of poller has begun a third poll: then the first two have ended, and so have deliveries to a webhook from before. */
async function untilPolledAgain(): Promise<void> {
	const { emulator } = host;
	const callsBefore = emulator.calls.length;
	const polls = (kind: string) =>
		emulator.calls.slice(callsBefore).filter((one) => one.kind === kind);
	await until(() => ['history', 'finetune', 'credits'].every((kind) => polls(kind).length > 2));
}

test('each trigger starts one execution per event, and none again after a restart; the webhook requires its secret', async () => {
	const { api, emulator } = host;
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 100, webhooks: { copies: 3 } });
	const workflows = [
		await activatePoller('requestFinished', { watch: 'account', options: {} }),
		await activatePoller('fineTuneStatusChanged', { statuses: ['AVAILABLE'], options: {} }),
		await activatePoller('creditsBelow', { threshold: 5 }),
		await activateTrigger(host, 'hook', 'segmindFineTuneTrigger', {
			events: ['TRAINING_COMPLETED', 'AVAILABLE'],
			secret: 'tell-nobody',
			confirmWithSegmind: true,
		}),
	];
	const allTriggerItems = async () =>
		await Promise.all(workflows.map(async (one) => await triggerItems(api, one)));
	expect(await allTriggerItems()).toEqual([[], [], [], []]);
	const url = `${api.url}/webhook/hook/webhook`;
	expect(await postJson(url, { event: 'AVAILABLE' })).toBe(401);

	emulator.registerWebhook(`${url}?secret=tell-nobody`);
	await expectSuccess(api, (await startExecution(host, [...promptNodes(1), inferenceNode()])).id);
	const finetune_id = await submitFineTune(emulator, 'sneakers');
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	const counts = async () => (await allTriggerItems()).map(({ length }) => length);
	// Three copies of each of the three events.
	await until(
		() =>
			emulator.deliveries.length === 9 &&
			emulator.deliveries.every(({ status }) => status === 200 || status === 503),
	);
	// While three deliveries are being confirmed, the response to any other asks for another delivery.
	for (const { body, status } of emulator.deliveries)
		if (status === 503) expect(await postJson(`${url}?secret=tell-nobody`, body)).toBe(200);
	await until(async () => String(await counts()) === '1,1,1,2');
	expect(emulator.deliveries).toHaveLength(9);
	await untilPolledAgain();
	const [{ requestId: request_id }] = emulator.jobs;
	const expected = [
		[expect.objectContaining({ request_id, status: 'COMPLETED' })],
		[expect.objectContaining({ finetune_id, status: 'AVAILABLE' })],
		[expect.objectContaining({ total: 3, threshold: 5 })],
		['TRAINING_COMPLETED', 'AVAILABLE'].map((event) =>
			expect.objectContaining({ event, finetune_id, confirmed: true }),
		),
	];
	expect(await allTriggerItems()).toEqual(expected);

	await host.restart();
	await until(async () => (await postJson(url, {})) === 401);
	const sameEvent = { event: 'AVAILABLE', finetune_id };
	expect(await postJson(`${url}?secret=tell-nobody`, sameEvent)).toBe(200);
	await untilPolledAgain();
	expect(await allTriggerItems()).toEqual(expected);
});
