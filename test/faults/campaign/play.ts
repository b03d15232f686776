import { sleep } from 'n8n-workflow';

import type { Emulator } from '../../../dev/emulator';
import { captureLog } from '../../../dev/engine/log';
import { seededRandom } from '../../helpers/seededRandom';
import { START, type VirtualTime } from '../../helpers/virtualTime';
import { callerOf } from './callerMark';
import { actionOf, callsFor } from './faults';
import { MODEL, WORKFLOW } from './inputs';
import type { Played, World } from './played';
import { BODIES, type Program } from './program';
import { playThread } from './thread';

/** The longest that a program may take, in virtual time. */
const MAX_PROGRAM_MS = 96 * 3_600_000;

let playedPrograms = 0;

/** Plays a program from beginning to end in virtual time. Throws only if the time runs out, or if the program can't end any more. */
export async function play(
	program: Program,
	emulator: Emulator,
	time: VirtualTime,
): Promise<Played> {
	time.restart();
	// An outage in an earlier program may have closed the origins.
	for (const origin of ['api', 'upload', 'files'] as const) await emulator.listen(origin);
	emulator.reset();
	const { random } = Math;
	Math.random = seededRandom(program.random);
	const endLog = captureLog([]);
	const world: World = {
		program,
		emulator,
		programNumber: ++playedPrograms,
		executions: [],
		areFaultsOver: false,
	};
	try {
		setOrders(world);
		const otherRequests = await playAll(world, time);
		time.skip(3 * 3_600_000);
		const { jobs, calls } = emulator;
		const executions = world.executions.map(({ caller, ...execution }) => ({
			...execution,
			calls: calls.filter((call) => callerOf(call) === caller),
		}));
		return { program, executions, jobs, otherRequests, leaks: [...emulator.leaks] };
	} finally {
		endLog();
		Math.random = random;
	}
}

/** Plays all threads with faults, then without. Returns the requests that others sent. */
async function playAll(world: World, time: VirtualTime): Promise<Played['otherRequests']> {
	const { threads } = world.program;
	const otherRequests: Played['otherRequests'] = new Map();
	const otherEvents = [submitOtherRequests(world, otherRequests), playOutage(world)];
	const playing = threads.map(async (thread, index) => await playThread(world, thread, index));
	const finishes = await time.run(Promise.all(playing), MAX_PROGRAM_MS);
	await time.run(Promise.all([...otherEvents, untilIdle(time)]), MAX_PROGRAM_MS);
	endFaults(world);
	for (const finish of finishes) if (finish) await time.run(finish(), MAX_PROGRAM_MS);
	await time.run(untilIdle(time), MAX_PROGRAM_MS);
	return otherRequests;
}

function setOrders({ program, emulator }: World): void {
	const { jobMs, queueMs, service, faults, areRowsBare } = program;
	emulator.set({
		queueMs,
		jobMs: (_model, _input, index) => jobMs[Math.max(index, 0) % jobMs.length],
		...service,
		...(areRowsBare && { historyRow: (row) => ({ ...row, request_body: undefined }) }),
	});
	for (const { on, after, times, what } of faults)
		emulator.fault({
			on: callsFor(on),
			after,
			times,
			do: actionOf(what, emulator),
			recordAs: what,
		});
}

/** Makes everything work from now on. How long the service keeps requests and which URLs it returns stay as they are. */
function endFaults(world: World): void {
	const { emulator } = world;
	emulator.clearFaults();
	emulator.set({
		jobMs: 300,
		queueMs: 50,
		history: true,
		historyLateMs: 0,
		rateLimit: null,
		failJobs: [],
		resultShape: null,
		deniedModels: [],
		balance: { credits: 100, freeCredits: 0 },
	});
	world.areFaultsOver = true;
}

async function submitOtherRequests(
	{ program, emulator }: World,
	otherRequests: Played['otherRequests'],
): Promise<void> {
	await Promise.all(
		program.otherRequests.map(async ({ atMs, body, isOtherUser }) => {
			await sleep(atMs);
			const id = emulator.submitElsewhere({
				slug: program.work === 'workflow' ? WORKFLOW : MODEL,
				via: program.work === 'v1' ? 'v1' : 'v2',
				input: BODIES[body],
				...(isOtherUser && { user: 'somebody@example.com' }),
			});
			otherRequests.set(id, { body, at: START + atMs });
		}),
	);
}

async function playOutage({ program: { outage }, emulator }: World): Promise<void> {
	if (!outage) return;
	await sleep(outage.atMs);
	await emulator.stopListening(outage.origin);
	await sleep(outage.forMs);
	await emulator.listen(outage.origin);
}

async function untilIdle(time: VirtualTime): Promise<void> {
	do await sleep(100);
	while (time.isBusy);
}
