/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { runInThisContext } from 'node:vm';

import { sleep } from 'n8n-workflow';

import type { Emulator } from '../../../dev/emulator';
import { captureLog } from '../../../dev/engine/log';
import { seededRandom } from '../../../dev/simulation/seededRandom';
import { START, type VirtualTime } from '../../helpers/virtualTime';
import { MODEL, WORKFLOW } from './inputs';
import { callerOf } from './callerMark';
import { contentsOf } from './contents';
import { actionOf, callsFor } from './faults';
import type { Execution, Played, World } from './played';
import { BODIES, type Program } from './program';
import { playThread } from './thread';

/** How long a program may take in virtual time. */
const MAX_PROGRAM_MS = 96 * 3_600_000;

/** jest's `process` hears no events of the real one. */
const realProcess = runInThisContext('process') as NodeJS.Process;

let played = 0;

/** Plays a program from beginning to end in virtual time. Throws only when time runs out, or when nothing could end it. */
export async function play(
	program: Program,
	emulator: Emulator,
	time: VirtualTime,
): Promise<Played> {
	time.restart();
	// An outage of an earlier program may have closed them.
	for (const origin of ['api', 'upload', 'files'] as const) await emulator.listen(origin);
	emulator.reset();
	const { random } = Math;
	Math.random = seededRandom(program.random);
	const unhandled: unknown[] = [];
	const note = (reason: unknown) => void unhandled.push(reason);
	realProcess.on('unhandledRejection', note);
	const log: string[] = [];
	const endLog = captureLog(log);
	const world: World = {
		program,
		emulator,
		clock: { setBackMs: 0 },
		number: ++played,
		executions: [],
		isCalm: false,
	};
	try {
		setOrders(world);
		const elsewhere = await playAll(world, time);
		jest.setSystemTime(Date.now() + 3 * 3_600_000);
		const { jobs } = emulator;
		const executions = world.executions.map((execution) => seenOf(execution, emulator));
		const contents = await contentsOf({ program, executions, jobs }, emulator, time);
		const leaks = [...emulator.leaks];
		return { program, executions, jobs, elsewhere, log, leaks, unhandled, contents };
	} finally {
		endLog();
		realProcess.off('unhandledRejection', note);
		Math.random = random;
	}
}

/** Plays all threads with faults, then without. Returns the requests of others. */
async function playAll(world: World, time: VirtualTime): Promise<Played['elsewhere']> {
	const { threads } = world.program;
	const elsewhere: Played['elsewhere'] = new Map();
	const around = [arriveElsewhere(world, elsewhere), setClockBack(world), refuse(world)];
	const playing = threads.map(async (thread, at) => await playThread(world, thread, at));
	const open = (await time.run(Promise.all(playing), MAX_PROGRAM_MS)).flatMap((go) => go ?? []);
	await time.run(Promise.all([...around, whileBusy(time)]), MAX_PROGRAM_MS);
	goCalm(world);
	for (const go of open) await time.run(go(), MAX_PROGRAM_MS);
	await time.run(whileBusy(time), MAX_PROGRAM_MS);
	return elsewhere;
}

function setOrders({ program, emulator }: World): void {
	const { jobMs, queueMs, service, faults, work, areRowsBare } = program;
	// Where only the poll_url is told, it must tell the result too: nothing else is asked.
	const isAllTold =
		work === 'workflow'
			? [undefined, 'all'].includes(service.workflowUrls)
			: service.requestUrls !== 'pollOnly';
	const isUnordered = ['oldestFirst', 'mixed'].includes(service.historyOrder ?? 'asked');
	emulator.set({
		queueMs,
		jobMs: (_model, _input, index) => jobMs[Math.max(index, 0) % jobMs.length],
		...service,
		...(!isAllTold && { pollResponse: 'result' }),
		...(areRowsBare && { historyRow: (row) => ({ ...row, request_body: undefined }) }),
		// Two rows don't show in which order they come.
		...(isUnordered && service.historyPageRows === 2 && { historyPageRows: 20 }),
		// A refused look under 422 would be the word of a failure.
		...(faults.some(({ what }) => what === 'under 422') && { rateLimit: null }),
	});
	for (const { on, after, times, what } of faults)
		emulator.fault({
			on: callsFor(on),
			after,
			// Said for a minute by the only address, it is true for all that anybody can know.
			times: !isAllTold && what.includes('422') ? Math.min(times, 3) : times,
			do: actionOf(what, emulator),
			recordAs: what,
		});
}

/** Everything works from now on; what the service keeps and how it tells its URLs stays. */
function goCalm(world: World): void {
	const { emulator } = world;
	emulator.clearFaults();
	emulator.set({
		jobMs: 300,
		queueMs: 50,
		history: true,
		historyLateMs: 0,
		historyOfWorkflows: true,
		rateLimit: null,
		failJobs: [],
		// One that failed under 400 or 500 is known by its id only.
		failedId: true,
		resultShape: null,
		noCreditRecord: false,
		deniedModels: [],
		balance: { credits: 100, freeCredits: 0 },
	});
	world.isCalm = true;
}

async function arriveElsewhere(
	{ program, emulator }: World,
	known: Played['elsewhere'],
): Promise<void> {
	await Promise.all(
		program.elsewhere.map(async ({ atMs, body, isOtherUser, lateMs }) => {
			await sleep(atMs);
			const id = emulator.submitElsewhere({
				slug: program.work === 'workflow' ? WORKFLOW : MODEL,
				via: program.work === 'v1' ? 'v1' : 'v2',
				input: BODIES[body],
				lateMs,
				...(isOtherUser && { user: 'somebody@example.com' }),
			});
			known.set(id, { body, isOtherUser, at: START + atMs });
		}),
	);
}

/** Sets this process's clock back; the service's clock continues. */
async function setClockBack({ program, emulator, clock }: World): Promise<void> {
	if (!program.setBack) return;
	const { atMs, byMs } = program.setBack;
	await sleep(atMs);
	jest.setSystemTime(Date.now() - byMs);
	clock.setBackMs = byMs;
	emulator.set({ clockAheadMs: (program.service.clockAheadMs ?? 0) + byMs });
}

async function refuse({ program: { outage }, emulator }: World): Promise<void> {
	if (!outage) return;
	await sleep(outage.atMs);
	await emulator.stopListening(outage.origin);
	await sleep(outage.forMs);
	await emulator.listen(outage.origin);
}

async function whileBusy(time: VirtualTime): Promise<void> {
	do await sleep(100);
	while (time.isBusy);
}

function seenOf(
	{ caller, ...execution }: World['executions'][number],
	emulator: Emulator,
): Execution {
	const calls = emulator.calls.filter((call) => callerOf(call) === caller);
	const made = calls
		.filter(({ kind }) => kind === 'submit' || kind === 'v1')
		.flatMap(({ requestId }) => (requestId === undefined ? [] : [requestId]));
	return { ...execution, calls, made };
}
