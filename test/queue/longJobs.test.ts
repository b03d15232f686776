/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The loop of examples/long-job.json in queue mode with one worker: n8n parks executions, and processes are killed meanwhile. */
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
/** How many executions, of one job each, are under way together. */
const CROWD_SIZE = 20;
/** How long their jobs take, ms. With SEGMIND_LONG_JOBS_MS=240000, all had ended after 274 s; docs/long-jobs.md reports it. */
const CROWD_JOB_MS = Number(process.env.SEGMIND_LONG_JOBS_MS ?? 60_000);
/** The longest allowed time from the end of the jobs to the end of the last execution, ms. */
const MAX_DELAY_MS = 90_000;

/**
 * Timeouts of workflows, s. That of `shortTimeout` is shorter than its loop, but only time on a worker counts, so it finishes. That of `cutShort` is
 * shorter than its download. Both leave enough time for a node that starts slowly.
 */
const TIMEOUTS: Record<string, number> = { shortTimeout: 40, cutShort: 15 };

/** Each story is one execution: how long its Wait node waits, s, and how long its job takes, ms. */
const STORIES = {
	long: { wait: 66, jobMs: 100_000 },
	edited: { wait: 66, jobMs: 30_000 },
	stopped: { wait: 66, jobMs: 30_000 },
	shortTimeout: { wait: 66, jobMs: 30_000 },
	cutShort: { wait: 66, jobMs: 30_000 },
	mainKilled: { wait: 78, jobMs: 30_000 },
	allKilled: { wait: 120, jobMs: 30_000 },
} as const;
type Story = keyof typeof STORIES;
/** How long the emulator delays the file that Get Result downloads, ms. */
const FILE_DELAY_MS = { cutShort: 60_000, mainKilled: 15_000, allKilled: 50_000 };

const queue = useQueueN8n({ workerCount: 1, workerConcurrency: CONCURRENCY, keepsState: true });
const isMeasuring = process.env.SEGMIND_LONG_JOBS_MS !== undefined;
const testUnlessMeasuring = isMeasuring ? test.skip : test;
const stories = isMeasuring ? [] : (Object.keys(STORIES) as Story[]);
const workflows = {} as Record<Story, SavedWorkflow>;
const executionIds = {} as Record<Story, string>;
let crowdIds: string[] = [];
/** IDs of the executions that Retry started: of the one that was stopped, and of the one that was cut short. */
let retryOfStopped: string;
let retryOfCutShort: string;
let submittedAt = 0;

/** Returns a function that makes the example's workflow, started by a webhook that takes the prompt. `wait` is in s. */
const loopWith =
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

const jobsOf = (prompt: string) =>
	queue.emulator.jobs.filter(({ input }) => input.prompt === prompt);
const idOf = (story: Story): string | undefined => jobsOf(story)[0]?.requestId;
const isDownloadOf =
	(story: Story) =>
	({ kind, path }: Call): boolean =>
		kind === 'file' && jobsOf(story).some(({ files }) => files.some((url) => url.endsWith(path)));
const residentBytesOf = (pid: number): number =>
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

/** Starts a workflow for each prompt. Returns the IDs of the executions once all of them are parked. */
async function startParked(
	{ workflow, call }: PublishedWorkflow,
	prompts: string[],
): Promise<string[]> {
	const { api } = queue;
	await Promise.all(prompts.map(async (prompt) => expect(await call({ prompt })).toBe(200)));
	const list = async () => await api.listExecutions(workflow.id);
	await until(async () => {
		const known = await list();
		return known.length === prompts.length && known.every(({ status }) => status === 'waiting');
	});
	return (await list()).map(({ id }) => id);
}

beforeAll(async () => {
	const { emulator } = queue;
	emulator.set({ jobMs: (_model, { prompt }) => STORIES[prompt as Story]?.jobMs ?? CROWD_JOB_MS });
	for (const [story, delayMs] of Object.entries(FILE_DELAY_MS))
		emulator.fault({ on: isDownloadOf(story as Story), do: { delayMs } });
	const made = await Promise.all(
		stories.map(async (story) => {
			const executionTimeout = TIMEOUTS[story];
			const settings = executionTimeout === undefined ? {} : { executionTimeout };
			return await publish(queue, loopWith(STORIES[story].wait), settings);
		}),
	);
	const crowdWorkflow = await publish(queue, loopWith(66));
	submittedAt = Date.now();
	await Promise.all([
		...stories.map(async (story, at) => {
			workflows[story] = made[at].workflow;
			[executionIds[story]] = await startParked(made[at], [story]);
		}),
		startParked(
			crowdWorkflow,
			Array.from({ length: CROWD_SIZE }, (_u, at) => `${at}`),
		).then((ids) => (crowdIds = ids)),
	]);
});

/** Returns how many executions a worker ran at once at most, according to its log. */
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

testUnlessMeasuring(
	'nothing is lost if the worker is killed while all executions are parked; meanwhile, one is stopped and one is edited',
	async () => {
		const { api } = queue;
		// The next worker starts with an updated package.
		await queue.updatePackage('0.1.99');
		await queue.workers[0].kill();
		await api.stop(executionIds.stopped);
		expect((await api.readExecution(executionIds.stopped)).status).toBe('canceled');
		const { id, nodes } = workflows.edited;
		await api.activate(await api.updateWorkflow(id, { nodes: [nodes[1]], connections: {} }));
		await queue.replace(queue.workers[0]);
		// The list offers no Retry for a stopped execution; n8n's API does.
		retryOfStopped = await api.retry(executionIds.stopped);
	},
);

test(
	`on one worker, ${CROWD_SIZE} executions with one long job apiece end soon after their jobs`,
	async () => {
		const { emulator } = queue;
		const [worker] = queue.workers;
		const residentAtStart = residentBytesOf(worker.pid);
		let resident = residentAtStart;
		const watching = setInterval(
			() => (resident = Math.max(resident, residentBytesOf(worker.pid))),
			100,
		);
		for (const id of crowdIds) await expectFinished(id);
		clearInterval(watching);
		const tookMs = Date.now() - submittedAt;
		const calls = emulator.callsOf('status', 'result').length / CROWD_SIZE;
		process.stdout.write(
			`${CROWD_SIZE} jobs of ${CROWD_JOB_MS / 1000} s: all ended after ${(tookMs / 1000).toFixed(1)} s, at most ${mostActive(worker.output())} executions at once, worker ${inMb(residentAtStart)} to ${inMb(resident)} MB, ${calls.toFixed(1)} calls each\n`,
		);
		expect(tookMs).toBeLessThan(CROWD_JOB_MS + MAX_DELAY_MS);
		expect(resident - residentAtStart).toBeLessThan(150 * 1024 * 1024);
	},
	CROWD_JOB_MS + MAX_DELAY_MS + 10_000,
);

testUnlessMeasuring(
	'a parked execution continues as it was submitted, even if its workflow is edited meanwhile or has a short timeout',
	async () => {
		const { api } = queue;
		await expectFinished(executionIds.edited);
		// Only time on a worker counts toward the timeout.
		await expectFinished(executionIds.shortTimeout);
		const cut = await api.waitForEnd(executionIds.cutShort);
		// A timeout during Get Result cancels the execution, and n8n keeps its data.
		expect(cut.status).toBe('canceled');
		expect(errorOf(cut)).toContain(idOf('cutShort'));
		retryOfCutShort = await api.retry(cut.id);
		expect((await api.readExecution(executionIds.long)).status).toBe('waiting');
		const checkedIds = queue.emulator.callsOf('status').map(({ requestId }) => requestId);
		expect(checkedIds.filter((id) => id === idOf('long'))).toHaveLength(1);
	},
);

testUnlessMeasuring(
	'if the main process is killed during Get Result, the worker finishes the execution, and parked executions continue',
	async () => {
		await until(() => queue.emulator.calls.some(isDownloadOf('mainKilled')));
		await queue.restartMain();
		await expectFinished(executionIds.mainKilled);
	},
);

testUnlessMeasuring(
	'if the worker and the main process are killed during Get Result, Retry continues there, and parked executions continue',
	async () => {
		await until(() => queue.emulator.calls.some(isDownloadOf('allKilled')));
		const [worker] = queue.workers;
		await Promise.all([worker.kill(), queue.main.kill()]);
		await Promise.all([
			queue.replace(worker),
			// n8n looks for crashed executions when it starts and then, by default, every 180 minutes.
			queue.restartMain({ N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.05' }),
		]);
		const { api } = queue;
		expect((await api.waitForEnd(executionIds.allKilled)).status).toBe('crashed');
		await expectFinished(await api.retry(executionIds.allKilled));
		await expectFinished(executionIds.long);
	},
);

testUnlessMeasuring(
	'Retry of an execution that was stopped while parked, or timed out while it downloaded its file, resumes its request',
	async () => {
		await expectFinished(retryOfStopped);
		await expectFinished(retryOfCutShort);
	},
);

test('every request was submitted once', () => {
	const { emulator } = queue;
	expect(emulator.callsOf('submit')).toHaveLength(CROWD_SIZE + stories.length);
	for (const story of stories) expect(jobsOf(story)).toHaveLength(1);
});
