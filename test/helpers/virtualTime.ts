/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * Virtual time for nodes, n8n's engine and the emulator together, all in this process and over real sockets.
 *
 * `Date` and timers are jest's fakes, so every wait of the three goes by one clock. It jumps to the next timer only while nothing else can
 * happen: each open connection has a call that the emulator holds unanswered (a slow or faulty one), no file is being read or written, and no
 * byte has moved for some turns of the event loop. A job of 400 s so takes milliseconds, and a call that hangs for 60 s ends by its own limit.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { steadyClock, systemClock } from '../../nodes/shared/base/clock';
import { Memory, memory } from '../../nodes/shared/journal/memory';
import { TimeLimits, timeLimits } from '../../nodes/shared/service/timeLimits';
import { Calls, calls } from '../../nodes/shared/journal/calls';

/** Where every run begins, ms since the epoch. */
export const START = Date.UTC(2026, 0, 15, 10, 0, 0);

/** Turns of the event loop without any traffic before time may move on: while calls are open, and while there are none. */
const QUIET_TURNS = 10;
const IDLE_TURNS = 2;
/** Real time without progress and without quiet, ms: then the harness itself is stuck. */
const STUCK_MS = 60_000;
/** What some work may take, several times what the busiest test needs: beyond it a loop never ends. Steps of the clock, calls, and bytes between two steps. */
const MAX_STEPS = 400_000;
const MAX_CALLS = 10_000;
const MAX_BYTES = 1_000_000_000;

export interface VirtualTime {
	/** Lets time pass until the work is done; several may be under way. @throws Error when it isn't done after `limitMs`, when nothing is left that could end it, or when it never ends */
	run<T>(work: Promise<T>, limitMs: number): Promise<T>;
	/** True while a connection is open. */
	readonly busy: boolean;
	/** Back to the start, without any timer left. */
	restart(): void;
}

/** Some work that time passes for. */
interface PendingWork {
	/** ms since the epoch. */
	until: number;
	fail: (error: Error) => void;
}

/** What the nodes keep in the memory of their process is gone, and their clock begins where it is now. */
export function newProcess(): void {
	Object.assign(systemClock, steadyClock());
	Object.assign(calls, new Calls());
	Object.assign(memory, new Memory());
	// The loop of the old one waits for a timer that is gone.
	Object.assign(timeLimits, new TimeLimits(systemClock));
}

/** Switches a test file to virtual time. The emulator must be started under it. */
export function useVirtualTime(): VirtualTime {
	const traffic = watchTraffic();
	const { setTimeout: limitOf } = ClientRequest.prototype;
	beforeAll(() => {
		jest.useFakeTimers({
			doNotFake: [
				'hrtime',
				'nextTick',
				'performance',
				'queueMicrotask',
				'setImmediate',
				'clearImmediate',
			],
			now: START,
		});
		const fake = setTimeout;
		globalThis.setTimeout = ((
			callback: (...rest: unknown[]) => void,
			ms?: number,
			...rest: unknown[]
		) => fake(callback, timerMsOf(ms), ...rest)) as typeof setTimeout;
		ClientRequest.prototype.setTimeout = setVirtualTimeout;
		traffic.start();
	});
	afterAll(() => {
		traffic.stop();
		ClientRequest.prototype.setTimeout = limitOf;
		jest.useRealTimers();
	});
	/** What time passes for; several at once share it. */
	const waited = new Set<PendingWork>();
	let isPassing = false;
	/** Lets time pass until nothing is waited for any more. */
	const pass = async (): Promise<void> => {
		isPassing = true;
		try {
			for (await turn(); waited.size > 0; await turn()) moveOn();
		} catch (error) {
			for (const each of waited) each.fail(error as Error);
			waited.clear();
		}
		isPassing = false;
	};
	let quietSince = 0;
	let progress = 0;
	let steps = 0;
	/** Goes to the next timer when nothing else can happen. @throws Error when it is stuck, or something takes too long */
	const moveOn = (): void => {
		// Without a timer it is the disk that is waited for, or nothing that ever comes.
		const isIdle = jest.getTimerCount() === 0;
		const isQuiet = !isIdle && traffic.isQuiet();
		const { calls, bytesSinceStep } = traffic;
		if (steps > MAX_STEPS || calls > MAX_CALLS || bytesSinceStep > MAX_BYTES)
			throw new Error(
				`A loop never ends: ${steps} steps of the clock, ${calls} calls, ${bytesSinceStep} bytes since the last step`,
			);
		if (traffic.progress !== progress) quietSince = performance.now();
		progress = traffic.progress;
		if (!isQuiet) {
			if (performance.now() - quietSince > STUCK_MS)
				throw new Error(
					isIdle
						? `Everything waits for something that never comes: ${traffic.describe()}`
						: `Stuck in real time: ${traffic.describe()}`,
				);
			return;
		}
		quietSince = performance.now();
		if ([...waited].some(({ until }) => Date.now() > until))
			throw new Error(
				`Not done at ${new Date().toISOString()} of virtual time: ${traffic.describe()}`,
			);
		traffic.step();
		steps++;
		jest.advanceTimersToNextTimer();
	};
	return {
		get busy() {
			return traffic.connections > 0;
		},
		restart() {
			jest.clearAllTimers();
			jest.setSystemTime(START);
			newProcess();
		},
		async run(work, limitMs) {
			const passing: PendingWork = { until: Date.now() + limitMs, fail: () => {} };
			const failed = new Promise<never>((_resolve, reject) => (passing.fail = reject));
			const settled = () => void waited.delete(passing);
			work.then(settled, settled);
			waited.add(passing);
			quietSince = performance.now();
			steps = 0;
			traffic.begin();
			if (!isPassing) void pass();
			return await Promise.race([work, failed]);
		},
	};
}

/** The fakes would let a wait of half a millisecond end at once, for ever; Node's least wait, also for one too long for it, is 1 ms. */
function timerMsOf(ms = 1): number {
	return ms >= 1 && ms <= 2 ** 31 - 1 ? Math.trunc(ms) : 1;
}

/** Node's own limit of an idle connection runs in real time. This one starts over with each piece of a body sent as a stream, and while bytes come. */
function setVirtualTimeout(this: ClientRequest, ms: number, callback?: () => void): ClientRequest {
	if (ms === 0) return this;
	if (callback) this.once('timeout', callback);
	const received = () => this.socket?.bytesRead ?? 0;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const begin = () => {
		clearTimeout(timer);
		const before = received();
		timer = setTimeout(() => (received() > before ? begin() : void this.emit('timeout')), ms);
	};
	begin();
	const write = this.write.bind(this) as (...piece: unknown[]) => boolean;
	this.write = (...piece: unknown[]) => {
		begin();
		return write(...piece);
	};
	this.once('response', begin);
	this.once('close', () => clearTimeout(timer));
	return this;
}

interface Traffic {
	start(): void;
	stop(): void;
	readonly connections: number;
	/** True when nothing can happen any more without time passing. */
	isQuiet(): boolean;
	/** What had happened when that was last asked. */
	readonly progress: number;
	/** Counts calls from now on. */
	begin(): void;
	readonly calls: number;
	readonly bytesSinceStep: number;
	/** The clock moves, and something is about to happen. */
	step(): void;
	describe(): string;
}

function watchTraffic(): Traffic {
	const connections = new Set<Socket>();
	const accepted = new Set<Socket>();
	const held = new Set<ServerResponse<IncomingMessage>>();
	let events = 0;
	let calls = 0;
	let bytesBefore = 0;
	let seen = -1;
	let turns = 0;
	const track = <T extends { once(event: 'close', listener: () => void): unknown }>(
		set: Set<T>,
		member: T,
	): void => {
		events++;
		set.add(member);
		member.once('close', () => {
			events++;
			set.delete(member);
		});
	};
	const channels: Record<string, (message: unknown) => void> = {
		'net.client.socket': (message) => track(connections, (message as { socket: Socket }).socket),
		'net.server.socket': (message) => track(accepted, (message as { socket: Socket }).socket),
		'http.server.request.start': (message) => {
			calls++;
			track(held, (message as { response: ServerResponse }).response);
		},
	};
	const bytes = () =>
		[...connections, ...accepted].reduce(
			(sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten,
			0,
		);
	return {
		get connections() {
			return connections.size;
		},
		start() {
			for (const [name, listener] of Object.entries(channels)) subscribe(name, listener);
		},
		stop() {
			for (const [name, listener] of Object.entries(channels)) unsubscribe(name, listener);
		},
		isQuiet() {
			const state = events + bytes();
			turns = state === seen && !isDiskBusy() ? turns + 1 : 0;
			seen = state;
			if (connections.size + held.size === 0) return turns >= IDLE_TURNS;
			return (
				turns >= QUIET_TURNS &&
				connections.size === held.size &&
				![...held].some(({ writableEnded }) => writableEnded)
			);
		},
		get progress() {
			return seen;
		},
		begin() {
			calls = 0;
			this.step();
		},
		get calls() {
			return calls;
		},
		get bytesSinceStep() {
			return bytes() - bytesBefore;
		},
		step() {
			turns = 0;
			bytesBefore = bytes();
		},
		describe: () => `${connections.size} connections, ${held.size} calls held`,
	};
}

/** Files and the look-up of names: they take real time, which ends by itself. */
function isDiskBusy(): boolean {
	return process
		.getActiveResourcesInfo()
		.some((what) => /^(FSReq|CloseReq|GetAddrInfo)/.test(what));
}

async function turn(): Promise<void> {
	await new Promise<void>((resolve) => setImmediate(resolve));
}
