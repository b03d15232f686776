/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The loop of examples/long-job.json in queue mode, one worker: executions that are parked, and processes killed meanwhile. */
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

/** Time-outs of their workflows, s: less than the loop takes, and less than a look that is held. */
const TIME_OUTS: Record<string, number> = { timedOut: 40, cutShort: 4 };

/** One execution each: its Wait, s, and how long its job takes, ms. */
const STORIES = {
	long: { wait: 66, jobMs: 100_000 },
	edited: { wait: 66, jobMs: 30_000 },
	stopped: { wait: 66, jobMs: 30_000 },
	timedOut: { wait: 66, jobMs: 30_000 },
	cutShort: { wait: 66, jobMs: 30_000 },
	mainLost: { wait: 78, jobMs: 30_000 },
	workerLost: { wait: 108, jobMs: 30_000 },
	allLost: { wait: 138, jobMs: 30_000 },
} as const;
type Story = keyof typeof STORIES;
/** Those whose first look something befalls. */
const HELD: string[] = ['cutShort', 'mainLost', 'workerLost', 'allLost'];
/** That look is answered so late that it can be cut short, ms. */
const LOOK_MS = 7_000;

const queue = useQueueN8n({ workerCount: 1, workerConcurrency: CONCURRENCY, isOneStory: true });
const isMeasured = process.env.SEGMIND_LONG_JOBS_MS !== undefined;
const inCi = isMeasured ? test.skip : test;
const stories = isMeasured ? [] : (Object.keys(STORIES) as Story[]);
const workflows = {} as Record<Story | 'crowd', SavedWorkflow>;
const executions = {} as Record<Story, string>;
let crowd: string[] = [];
/** Executions that Retry made of the one that was stopped, and of the one whose look was cut short. */
let retried: string;
let cutRetried: string;
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
						{ typeVersion: 2, webhookId: path, name: trigger.name, id: trigger.id },
					)
				: {
						...one,
						parameters: { ...one.parameters, ...parameters[one.name] } as typeof one.parameters,
					},
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
const callsFor = (requestId: string) =>
	queue.it.emulator.callsOf('status').filter((one) => one.requestId === requestId);
const residentOf = (pid: number): number =>
	Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

const inMb = (bytes: number) => Math.round(bytes / 1024 / 1024);

/** It went on with the request it had submitted, to its file. */
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
		jobMs: (_model, { prompt }) => STORIES[prompt as Story]?.jobMs ?? CROWD_MS,
	});
	emulator.fault({
		on: ({ kind, requestId }) =>
			kind === 'status' && HELD.some((story) => jobOf(story)[0]?.requestId === requestId),
		perRequest: true,
		do: { delayMs: LOOK_MS },
	});
	workflows.crowd = await publish('crowd', 66);
	for (const story of stories) {
		const executionTimeout = TIME_OUTS[story];
		workflows[story] = await publish(
			story,
			STORIES[story].wait,
			executionTimeout === undefined ? {} : { executionTimeout },
		);
	}
	submittedAt = Date.now();
	for (const story of stories) await call(story, story);
	await Promise.all(Array.from({ length: CROWD }, async (_u, at) => await call('crowd', `${at}`)));
	await until(() => emulator.jobs.length === CROWD + stories.length);
	const waiting = async (id: string) =>
		(await api.executions(id)).every(({ status }) => status === 'waiting');
	for (const story of stories) {
		await until(async () => await waiting(workflows[story].id));
		executions[story] = (await api.executions(workflows[story].id))[0].id;
	}
	await until(async () => await waiting(workflows.crowd.id));
	crowd = (await api.executions(workflows.crowd.id)).map(({ id }) => id);
});

/** The executions that a worker had at once, by its log, at the most. */
function mostActive(log: string): number {
	let [active, highest] = [0, 0];
	for (const [, word] of log.matchAll(
		/Worker (started|finished|errored while running) execution/g,
	)) {
		active += word === 'started' ? 1 : -1;
		highest = Math.max(highest, active);
	}
	return highest;
}

inCi(
	'a worker killed while all are parked takes nothing along; Stop and edits meanwhile',
	async () => {
		const { api } = queue.it;
		// The next one comes with an update of the package.
		await queue.it.updatePackage('0.1.99');
		await queue.it.workers[0].kill();
		await api.stop(executions.stopped);
		expect((await api.execution(executions.stopped)).status).toBe('canceled');
		const { id, nodes } = workflows.edited;
		await api.activate(await api.updateWorkflow(id, { nodes: [nodes[1]], connections: {} }));
		await queue.it.replace(queue.it.workers[0]);
		// The list offers no Retry for what was stopped; n8n's API does.
		retried = await api.retry(executions.stopped);
	},
);

test(
	`${CROWD} executions of one long job each end soon after their jobs, on one worker`,
	async () => {
		const { api, emulator } = queue.it;
		const [worker] = queue.it.workers;
		const residentAtStart = residentOf(worker.pid);
		let resident = residentAtStart;
		const watching = setInterval(
			() => (resident = Math.max(resident, residentOf(worker.pid))),
			100,
		);
		for (const id of crowd) {
			const execution = await api.ended(id);
			const [{ json }] = itemsOf(execution, 'Submit');
			finishedWith(execution, json.request_id as string);
		}
		clearInterval(watching);
		const tookMs = Date.now() - submittedAt;
		const calls = emulator.callsOf('status', 'result').length / CROWD;
		process.stdout.write(
			`${CROWD} jobs of ${CROWD_MS / 1000} s: all ended after ${(tookMs / 1000).toFixed(1)} s, at most ${mostActive(worker.output())} executions at once, worker ${inMb(residentAtStart)} to ${inMb(resident)} MB, ${calls.toFixed(1)} calls each\n`,
		);
		expect(tookMs).toBeLessThan(CROWD_MS + LATE_MS);
		expect(mostActive(worker.output())).toBeLessThanOrEqual(CONCURRENCY);
		expect(resident - residentAtStart).toBeLessThan(150 * 1024 * 1024);
	},
	CROWD_MS + LATE_MS + 10_000,
);

inCi(
	'a parked execution goes on as it was submitted: its workflow edited, or with a short time-out of its own',
	async () => {
		const { api } = queue.it;
		finishedWith(await api.ended(executions.edited), idOf('edited'));
		// Only time on a worker counts.
		finishedWith(await api.ended(executions.timedOut), idOf('timedOut'));
		const cut = await api.ended(executions.cutShort);
		// One that ends a look cancels the execution, whose data stay.
		expect(cut.status).toBe('canceled');
		expect(errorOf(cut)).toContain(idOf('cutShort'));
		cutRetried = await api.retry(cut.id);
		expect((await api.execution(executions.long)).status).toBe('waiting');
		expect(callsFor(idOf('long'))).toHaveLength(1);
	},
);

inCi(
	'the main process killed during a status check: the worker finishes it, and those parked go on',
	async () => {
		await until(() => callsFor(idOf('mainLost')).length > 0);
		await queue.it.main.kill();
		await queue.it.restartMain();
		finishedWith(await queue.it.api.ended(executions.mainLost), idOf('mainLost'));
	},
);

inCi(
	'the worker alone killed during a status check: n8n loses the execution, the log has the request',
	async () => {
		await until(() => callsFor(idOf('workerLost')).length > 0);
		const [worker] = queue.it.workers;
		await worker.kill();
		await queue.it.replace(worker);
		const { api, processes } = queue.it;
		const lost = await api.ended(executions.workerLost);
		expect(errorOf(lost)).toContain('failed to be processed too many times');
		expect(Object.keys(lost.data.resultData.runData)).toEqual([]);
		const logs = processes.map((one) => one.output()).join('\n');
		expect(acceptedIn(logs)).toContain(idOf('workerLost'));
	},
);

inCi(
	'worker and main process killed during a status check: Retry goes on at it, and those parked go on',
	async () => {
		await until(() => callsFor(idOf('allLost')).length > 0);
		const [worker] = queue.it.workers;
		await Promise.all([worker.kill(), queue.it.main.kill()]);
		await Promise.all([
			queue.it.replace(worker),
			// n8n looks for what has crashed at its start and every 180 minutes.
			queue.it.restartMain({ N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.05' }),
		]);
		const { api } = queue.it;
		expect((await api.ended(executions.allLost)).status).toBe('crashed');
		const again = await api.ended(await api.retry(executions.allLost));
		finishedWith(again, idOf('allLost'));
		finishedWith(await api.ended(executions.long), idOf('long'));
	},
);

inCi(
	'Retry of one that was stopped while parked, or timed out at a status check, goes on with its request',
	async () => {
		const { api } = queue.it;
		finishedWith(await api.ended(retried), idOf('stopped'));
		finishedWith(await api.ended(cutRetried), idOf('cutShort'));
	},
);

test('every request was submitted once', () => {
	const { emulator } = queue.it;
	expect(emulator.callsOf('submit')).toHaveLength(CROWD + stories.length);
	for (const story of stories) expect(jobOf(story)).toHaveLength(1);
});
