/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The loop of examples/long-job.json in queue mode, one worker: executions that are parked, and processes killed meanwhile. */
import { readFileSync } from 'node:fs';

import type { INode } from 'n8n-workflow';

import { readExample, type WorkflowFile } from '../../dev/base/workflows';
import type { Call } from '../../dev/emulator';
import type { SavedWorkflow } from '../../dev/n8n/n8nApi';
import {
	withChanges,
	errorOf,
	itemsOf,
	publish,
	expectSuccess,
	until,
	type PublishedWorkflow,
} from '../helpers/n8nWorkflows';
import { useQueueN8n } from './queueN8n';

const CONCURRENCY = 2;
/** Executions of one job each that are under way together. */
const CROWD = 20;
/** How long their jobs take, ms. SEGMIND_LONG_JOBS_MS=240000 is the measurement that the page on long jobs tells. */
const CROWD_MS = Number(process.env.SEGMIND_LONG_JOBS_MS ?? 60_000);
/** From the end of the jobs to the end of the last execution, ms. */
const LATE_MS = 90_000;

/** Timeouts of their workflows, s: less than the loop takes, and less than a file is held. On a busy computer a node takes seconds to start. */
const TIME_OUTS: Record<string, number> = { timedOut: 40, cutShort: 15 };

/** One execution each: its Wait, s, and how long its job takes, ms. */
const STORIES = {
	long: { wait: 66, jobMs: 100_000 },
	edited: { wait: 66, jobMs: 30_000 },
	stopped: { wait: 66, jobMs: 30_000 },
	timedOut: { wait: 66, jobMs: 30_000 },
	cutShort: { wait: 66, jobMs: 30_000 },
	mainLost: { wait: 78, jobMs: 30_000 },
	allLost: { wait: 120, jobMs: 30_000 },
} as const;
type Story = keyof typeof STORIES;
/** How long Get Result waits for a file, ms. */
const HELD_FILE_MS = { cutShort: 60_000, mainLost: 15_000, allLost: 50_000 };

const queue = useQueueN8n({ workerCount: 1, workerConcurrency: CONCURRENCY, isOneStory: true });
const isMeasured = process.env.SEGMIND_LONG_JOBS_MS !== undefined;
const inCi = isMeasured ? test.skip : test;
const stories = isMeasured ? [] : (Object.keys(STORIES) as Story[]);
const workflows = {} as Record<Story, SavedWorkflow>;
const executions = {} as Record<Story, string>;
let crowd: string[] = [];
/** Executions that Retry made of the one that was stopped, and of the one that was cut short. */
let retried: string;
let cutRetried: string;
let submittedAt = 0;

/** The example, started by a webhook that takes the prompt. */
const loop =
	(wait: number) =>
	(webhook: INode): WorkflowFile => {
		const example = withChanges(readExample('long-job.json'), {
			Submit: { prompt: '={{ $json.body.prompt }}' },
			Wait: { amount: wait },
		});
		const nodes = example.nodes.map((one) =>
			one.type.endsWith('Trigger') ? { ...webhook, name: one.name } : one,
		);
		return { ...example, nodes };
	};

const jobOf = (prompt: string) =>
	queue.emulator.jobs.filter(({ input }) => input.prompt === prompt);
const idOf = (story: Story): string | undefined => jobOf(story)[0]?.requestId;
const isFileOf =
	(story: Story) =>
	({ kind, path }: Call): boolean =>
		kind === 'file' && jobOf(story).some(({ files }) => files.some((url) => url.endsWith(path)));
const residentOf = (pid: number): number =>
	Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

const inMb = (bytes: number) => Math.round(bytes / 1024 / 1024);

/** Expects that an execution resumes its request and gets its file. */
async function expectFinished(id: string): Promise<void> {
	const execution = await expectSuccess(queue.api, id);
	const [{ json: submitted }] = itemsOf(execution, 'Submit');
	const [{ json, binary }] = itemsOf(execution, 'Finished');
	expect(json).toMatchObject({ request_id: submitted.request_id, status: 'COMPLETED' });
	expect(binary?.data.id).toMatch(/^database:/);
}

/** Starts a workflow for each prompt. Returns the executions once all of them are parked. */
async function startParked(
	{ workflow, call }: PublishedWorkflow,
	prompts: string[],
): Promise<string[]> {
	const { api } = queue;
	await Promise.all(prompts.map(async (prompt) => expect(await call({ prompt })).toBe(200)));
	const all = async () => await api.listExecutions(workflow.id);
	await until(async () => {
		const known = await all();
		return known.length === prompts.length && known.every(({ status }) => status === 'waiting');
	});
	return (await all()).map(({ id }) => id);
}

beforeAll(async () => {
	const { emulator } = queue;
	emulator.set({ jobMs: (_model, { prompt }) => STORIES[prompt as Story]?.jobMs ?? CROWD_MS });
	for (const [story, delayMs] of Object.entries(HELD_FILE_MS))
		emulator.fault({ on: isFileOf(story as Story), do: { delayMs } });
	const made = await Promise.all(
		stories.map(async (story) => {
			const executionTimeout = TIME_OUTS[story];
			const settings = executionTimeout === undefined ? {} : { executionTimeout };
			return await publish(queue, loop(STORIES[story].wait), settings);
		}),
	);
	const crowded = await publish(queue, loop(66));
	submittedAt = Date.now();
	await Promise.all([
		...stories.map(async (story, at) => {
			workflows[story] = made[at].workflow;
			[executions[story]] = await startParked(made[at], [story]);
		}),
		startParked(
			crowded,
			Array.from({ length: CROWD }, (_u, at) => `${at}`),
		).then((all) => (crowd = all)),
	]);
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
		const { api } = queue;
		// The next one comes with an update of the package.
		await queue.updatePackage('0.1.99');
		await queue.workers[0].kill();
		await api.stop(executions.stopped);
		expect((await api.readExecution(executions.stopped)).status).toBe('canceled');
		const { id, nodes } = workflows.edited;
		await api.activate(await api.updateWorkflow(id, { nodes: [nodes[1]], connections: {} }));
		await queue.replace(queue.workers[0]);
		// The list offers no Retry for what was stopped; n8n's API does.
		retried = await api.retry(executions.stopped);
	},
);

test(
	`${CROWD} executions of one long job each end soon after their jobs, on one worker`,
	async () => {
		const { emulator } = queue;
		const [worker] = queue.workers;
		const residentAtStart = residentOf(worker.pid);
		let resident = residentAtStart;
		const watching = setInterval(
			() => (resident = Math.max(resident, residentOf(worker.pid))),
			100,
		);
		for (const id of crowd) await expectFinished(id);
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
		const { api } = queue;
		await expectFinished(executions.edited);
		// Only time on a worker counts.
		await expectFinished(executions.timedOut);
		const cut = await api.waitForEnd(executions.cutShort);
		// A timeout during Get Result cancels the execution, and n8n keeps its data.
		expect(cut.status).toBe('canceled');
		expect(errorOf(cut)).toContain(idOf('cutShort'));
		cutRetried = await api.retry(cut.id);
		expect((await api.readExecution(executions.long)).status).toBe('waiting');
		const looks = queue.emulator.callsOf('status').map(({ requestId }) => requestId);
		expect(looks.filter((id) => id === idOf('long'))).toHaveLength(1);
	},
);

inCi(
	'the main process killed during Get Result: the worker finishes it, and those parked go on',
	async () => {
		await until(() => queue.emulator.calls.some(isFileOf('mainLost')));
		await queue.restartMain();
		await expectFinished(executions.mainLost);
	},
);

inCi(
	'worker and main process killed during Get Result: Retry goes on at it, and those parked go on',
	async () => {
		await until(() => queue.emulator.calls.some(isFileOf('allLost')));
		const [worker] = queue.workers;
		await Promise.all([worker.kill(), queue.main.kill()]);
		await Promise.all([
			queue.replace(worker),
			// n8n looks for what has crashed at its start and every 180 minutes.
			queue.restartMain({ N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.05' }),
		]);
		const { api } = queue;
		expect((await api.waitForEnd(executions.allLost)).status).toBe('crashed');
		await expectFinished(await api.retry(executions.allLost));
		await expectFinished(executions.long);
	},
);

inCi(
	'Retry of an execution that was stopped while parked, or timed out while it got its file, resumes its request',
	async () => {
		await expectFinished(retried);
		await expectFinished(cutRetried);
	},
);

test('every request was submitted once', () => {
	const { emulator } = queue;
	expect(emulator.callsOf('submit')).toHaveLength(CROWD + stories.length);
	for (const story of stories) expect(jobOf(story)).toHaveLength(1);
});
