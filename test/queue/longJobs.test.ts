/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The loop of examples/long-job.json in queue mode, one worker: executions that are put aside, and processes killed meanwhile. */
import { readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import { readExample, type WorkflowFile } from '../../dev/base/workflows';
import type { Execution, SavedWorkflow } from '../../dev/n8n/n8nApi';
import { acceptedIn, errorOf, itemsOf, node, until } from '../helpers/n8nWorkflows';
import { useQueueN8n } from '../helpers/queueN8n';

const CONCURRENCY = 2;
/** Executions of one job each that are under way together. */
const CROWD = 20;
/** How long their jobs take, ms. SEGMIND_LONG_JOBS_MS=240000 is the measurement that the page on long jobs tells. */
const CROWD_MS = Number(process.env.SEGMIND_LONG_JOBS_MS ?? 60_000);
/** From the end of the jobs to the end of the last execution, ms. */
const LATE_MS = 90_000;

/** One execution each: its Wait, s, and how long its job takes, ms. A look is under way 7 s, so that it can be cut short. */
const STORIES = {
	long: { wait: 66, jobMs: 100_000 },
	edited: { wait: 66, jobMs: 30_000 },
	stopped: { wait: 66, jobMs: 30_000 },
	timedOut: { wait: 66, jobMs: 30_000 },
	mainLost: { wait: 78, jobMs: 30_000 },
	workerLost: { wait: 102, jobMs: 30_000 },
	allLost: { wait: 126, jobMs: 30_000 },
} as const;
type Story = keyof typeof STORIES;
const HELD: string[] = ['mainLost', 'workerLost', 'allLost'];
const LOOK_MS = 7_000;

const queue = useQueueN8n({ workerCount: 1, workerConcurrency: CONCURRENCY, isOneStory: true });
const workflows = {} as Record<Story | 'crowd', SavedWorkflow>;
const executions = {} as Record<Story, string>;
let crowd: string[] = [];
/** Most executions at once, and most memory of the worker, bytes. */
const most = { active: 0, resident: 0, atStart: 0 };
let submittedAt = 0;

/** The example, started by a webhook that takes the prompt. */
function loop(path: string, wait: number): WorkflowFile {
	const example = readExample('long-job.json');
	const [trigger] = example.nodes.filter(({ type }) => type.endsWith('Trigger'));
	const parameters: Record<string, IDataObject> = {
		Submit: { prompt: '={{ $json.body.prompt }}' },
		Wait: { amount: wait },
	};
	return {
		...example,
		name: path,
		nodes: example.nodes.map((one) =>
			one === trigger
				? node(
						'webhook',
						{ path, httpMethod: 'POST', options: {} },
						{ typeVersion: 2, webhookId: path, name: trigger.name },
					)
				: { ...one, parameters: { ...one.parameters, ...parameters[one.name] } as typeof one.parameters },
		),
	};
}

async function publish(path: string, wait: number, settings: IDataObject = {}) {
	const { api, credentials } = queue.it;
	const file = loop(path, wait);
	const workflow = await api.createWorkflow(
		{ ...file, settings: { ...file.settings, ...settings } },
		credentials,
	);
	await api.activate(workflow);
	return workflow;
}

async function call(path: string, prompt: string): Promise<void> {
	const { status } = await fetch(`${queue.it.hooks}/webhook/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ prompt }),
	});
	expect(status).toBe(200);
}

const jobOf = (prompt: string) =>
	queue.it.emulator.jobs.filter(({ input }) => input.prompt === prompt);
const idOf = (story: Story): string => jobOf(story)[0].requestId;
const looksAt = (requestId: string) =>
	queue.it.emulator.callsOf('status').filter((one) => one.requestId === requestId);
const residentOf = (pid: number): number =>
	Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/** Everything that was paid was paid once, and came out. */
function finishedWith(execution: Execution, requestId: string): void {
	expect([execution.status, errorOf(execution)]).toEqual(['success', '']);
	const [item] = itemsOf(execution, 'Finished');
	expect(item.json).toMatchObject({ request_id: requestId, status: 'COMPLETED' });
	expect(item.binary?.data.id).toMatch(/^database:/);
}

beforeAll(async () => {
	const { emulator, api } = queue.it;
	emulator.set({
		queueMs: 10,
		jobMs: (_model, { prompt }) =>
			STORIES[prompt as Story]?.jobMs ?? CROWD_MS,
	});
	emulator.fault({
		on: ({ kind, requestId }) =>
			kind === 'status' && HELD.some((story) => jobOf(story)[0]?.requestId === requestId),
		perRequest: true,
		do: { delayMs: LOOK_MS },
	});
	workflows.crowd = await publish('crowd', 66);
	for (const [story, { wait }] of Object.entries(STORIES))
		workflows[story as Story] = await publish(
			story,
			wait,
			story === 'timedOut' ? { executionTimeout: 40 } : {},
		);
	const [worker] = queue.it.workers;
	most.atStart = residentOf(worker.pid);
	submittedAt = Date.now();
	for (const story of Object.keys(STORIES)) await call(story, story);
	await Promise.all(Array.from({ length: CROWD }, async (_u, at) => await call('crowd', `${at}`)));
	await until(() => emulator.jobs.length === CROWD + Object.keys(STORIES).length);
	const waiting = async (id: string) =>
		(await api.executions(id)).every(({ status }) => status === 'waiting');
	for (const story of Object.keys(STORIES) as Story[]) {
		await until(async () => await waiting(workflows[story].id));
		executions[story] = (await api.executions(workflows[story].id))[0].id;
	}
	await until(async () => await waiting(workflows.crowd.id));
	crowd = (await api.executions(workflows.crowd.id)).map(({ id }) => id);
	console.log('all parked after', Date.now() - submittedAt);
}, 180_000);

test('explore', async () => {
	const { emulator } = queue.it;
	const say = (...words: unknown[]) => process.stdout.write(`${((Date.now() - submittedAt) / 1000).toFixed(1)} ${words.join(' ')}\n`);
	await queue.it.updatePackage('0.1.9');
	await queue.it.workers[0].kill();
	say('worker killed');
	await queue.it.api.stop(executions.stopped);
	say('stopped', (await queue.it.api.execution(executions.stopped)).status);
	const edited = workflows.edited;
	await queue.it.api.updateWorkflow(edited.id, { nodes: edited.nodes.map((one) => one.name === 'Finished' ? { ...one, name: 'Finished' , parameters: {}, disabled: true } : one) });
	await queue.it.replace(queue.it.workers[0]);
	say('worker there');
	const retried = queue.it.api.retry(executions.stopped).then(async (id) => { const e = await queue.it.api.ended(id); say('retried stop', e.status, errorOf(e), JSON.stringify(itemsOf(e, 'Finished').map((i) => i.json.request_id)), idOf('stopped')); }, (e) => say('retry stop', e));
	for (const id of crowd) { const e = await queue.it.api.ended(id, CROWD_MS + LATE_MS); if (e.status !== 'success') say('crowd', e.status, errorOf(e)); }
	say('crowd ended');
	for (const s of ['edited', 'timedOut', 'long'] as Story[]) { const e = await queue.it.api.execution(executions[s]); say(s, e.status, errorOf(e), Object.keys(e.data?.resultData?.runData ?? {}).join()); }
	await until(() => looksAt(idOf('mainLost')).length > 0, 120_000);
	say('main lost: look');
	await queue.it.main.kill();
	await queue.it.restartMain();
	say('main there');
	let e = await queue.it.api.ended(executions.mainLost);
	say('mainLost', e.status, errorOf(e));
	await retried;
	await until(() => looksAt(idOf('workerLost')).length > 0, 120_000);
	say('worker lost: look');
	await queue.it.workers[0].kill();
	await queue.it.replace(queue.it.workers[0]);
	say('worker there');
	e = await queue.it.api.ended(executions.workerLost);
	say('workerLost', e.status, errorOf(e), JSON.stringify(e.data));
	await until(() => looksAt(idOf('allLost')).length > 0, 120_000);
	say('all lost: look');
	await Promise.all([queue.it.workers[0].kill(), queue.it.main.kill()]);
	await Promise.all([queue.it.replace(queue.it.workers[0]), queue.it.restartMain({ N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.05' })]);
	say('both there');
	e = await queue.it.api.ended(executions.allLost);
	say('allLost', e.status, errorOf(e));
	e = await queue.it.api.ended(await queue.it.api.retry(executions.allLost));
	say('allLost retried', e.status, errorOf(e), JSON.stringify(itemsOf(e, 'Finished').map((i) => i.json.request_id)), idOf('allLost'));
	e = await queue.it.api.ended(executions.long, 120_000);
	say('long', e.status, errorOf(e), looksAt(idOf('long')).length);
	say('submits', emulator.callsOf('submit').length, emulator.jobs.length, acceptedIn(queue.it.processes.map((p) => p.output()).join()).length);
	say(queue.it.workers[0].output().slice(0, 3000));
	void finishedWith;
}, 400_000);
