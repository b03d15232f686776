/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * Virtual time for nodes, n8n's engine and the emulator together, all in this process and over real sockets.
 *
 * `Date` and timers are jest's fakes, so all three use one clock. It jumps to the next timer only while nothing else can happen: each open
 * connection has a call that the emulator hasn't responded to (because the call is slow or has a fault), no file is being read or written, and
 * no byte has moved for some turns of the event loop. So a job of 400 s takes milliseconds, and a hanging call ends at its own limit of 60 s.
 *
 * A test moves a clock with one of these:
 * - `pass(ms)` lets time go by for everything, so that all timers fire: the usual choice. A unit test's `VirtualClock` has it too.
 * - `skip(ms)` sets everybody's date while nothing happens and no timer fires: a computer that slept, or whose clock was set.
 * - `forwardService(ms)` sets only the service's clock: what happens at Segmind between two calls. The emulator's own tests have `clock.forward(ms)`.
 * - `forwardNode(ms)` sets only the node's clock, where a test needs real time because it delivers webhooks over HTTP.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { steadyClock, systemClock } from '../../nodes/shared/base/clock';
import { Memory, memory } from '../../nodes/shared/journal/memory';
import { CallRegister, callRegister } from '../../nodes/shared/journal/callRegister';

/** Virtual time at the start and after each `restart`, ms since the epoch. */
export const START = Date.UTC(2026, 0, 15, 10, 0, 0);

/** Turns of the event loop without traffic before time may advance while calls are open. */
const QUIET_TURNS = 10;
/** The same number while no call is open. */
const IDLE_TURNS = 2;
/** After this much real time without progress, this helper itself must be stuck. */
const STUCK_MS = 60_000;
/** Limits for steps of the clock, for calls, and for bytes between two steps: several times what the busiest test needs. More means an endless loop. */
const MAX_STEPS = 400_000;
const MAX_CALLS = 10_000;
const MAX_BYTES = 1_000_000_000;

export interface VirtualTime {
	/**
	 * Lets time pass until the work is done. Several calls can run at once.
	 * @throws Error if the work isn't done after `limitMs`, or if nothing is left that could end it
	 */
	run<T>(work: Promise<T>, limitMs: number): Promise<T>;
	/** True while a connection is open. */
	readonly isBusy: boolean;
	/** Sets the clock back to the start and clears all timers. */
	restart(): void;
	/** Sets the date, without firing a timer. */
	skip(ms: number): void;
}

/** Work for which time passes. */
interface PendingWork {
	/** When it must be done, ms since the epoch. */
	until: number;
	fail: (error: Error) => void;
}

/** Clears what the nodes keep in the memory of their process, as a restart does. */
export function newProcess(): void {
	Object.assign(systemClock, steadyClock());
	Object.assign(callRegister, new CallRegister());
	Object.assign(memory, new Memory());
}

/** Switches a test file to virtual time. The emulator must be started under it. */
export function useVirtualTime(): VirtualTime {
	const traffic = watchTraffic();
	const { setTimeout: originalSetTimeout } = ClientRequest.prototype;
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
		const fakeSetTimeout = setTimeout;
		globalThis.setTimeout = ((
			callback: (...rest: unknown[]) => void,
			ms?: number,
			...rest: unknown[]
		) => fakeSetTimeout(callback, timerMsOf(ms), ...rest)) as typeof setTimeout;
		ClientRequest.prototype.setTimeout = setVirtualTimeout;
		traffic.start();
	});
	afterAll(() => {
		traffic.stop();
		ClientRequest.prototype.setTimeout = originalSetTimeout;
		jest.useRealTimers();
	});
	const pendingWork = new Set<PendingWork>();
	let isPassing = false;
	/** Lets time pass until no work is left. */
	const pass = async (): Promise<void> => {
		isPassing = true;
		try {
			for (await turn(); pendingWork.size > 0; await turn()) advance();
		} catch (error) {
			for (const each of pendingWork) each.fail(error as Error);
			pendingWork.clear();
		}
		isPassing = false;
	};
	let quietSince = 0;
	let progress = 0;
	let steps = 0;
	/** Advances to the next timer if nothing else can happen. @throws Error if there is no more progress, or the work takes too long */
	const advance = (): void => {
		// Without a timer, the work waits for the disk, or for something that never happens.
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
		if ([...pendingWork].some(({ until }) => Date.now() > until))
			throw new Error(
				`Not done at ${new Date().toISOString()} of virtual time: ${traffic.describe()}`,
			);
		traffic.step();
		steps++;
		jest.advanceTimersToNextTimer();
	};
	return {
		get isBusy() {
			return traffic.connections > 0;
		},
		restart() {
			jest.clearAllTimers();
			jest.setSystemTime(START);
			newProcess();
		},
		skip: (ms) => void jest.setSystemTime(Date.now() + ms),
		async run(work, limitMs) {
			const pending: PendingWork = { until: Date.now() + limitMs, fail: () => {} };
			const failed = new Promise<never>((_resolve, reject) => (pending.fail = reject));
			const settled = () => void pendingWork.delete(pending);
			work.then(settled, settled);
			pendingWork.add(pending);
			quietSince = performance.now();
			steps = 0;
			traffic.begin();
			if (!isPassing) void pass();
			return await Promise.race([work, failed]);
		},
	};
}

/** The delay that Node would use: at least 1 ms, and 1 ms if it's too long. jest's fake timers would take 0.5 ms as 0, and loop forever. */
function timerMsOf(ms = 1): number {
	return ms >= 1 && ms <= 2 ** 31 - 1 ? Math.trunc(ms) : 1;
}

/** Replaces Node's timeout for idle connections, which runs in real time. It starts over with each chunk of a streamed body, and while bytes arrive. */
function setVirtualTimeout(this: ClientRequest, ms: number, callback?: () => void): ClientRequest {
	if (ms === 0) return this;
	if (callback) this.once('timeout', callback);
	const bytesReceived = () => this.socket?.bytesRead ?? 0;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const begin = () => {
		clearTimeout(timer);
		const before = bytesReceived();
		timer = setTimeout(() => (bytesReceived() > before ? begin() : void this.emit('timeout')), ms);
	};
	begin();
	const write = this.write.bind(this) as (...args: unknown[]) => boolean;
	this.write = (...args: unknown[]) => {
		begin();
		return write(...args);
	};
	this.once('response', begin);
	this.once('close', () => clearTimeout(timer));
	// Node's agent would close the connection after 5 s of real time without progress, which a busy machine may take.
	this.once('socket', (socket: Socket) => socket.setTimeout(0));
	return this;
}

interface Traffic {
	start(): void;
	stop(): void;
	readonly connections: number;
	/** True if nothing can happen before time advances. */
	isQuiet(): boolean;
	/** Counts all events and bytes until the last `isQuiet()`. */
	readonly progress: number;
	/** Starts counting calls and bytes anew. */
	begin(): void;
	readonly calls: number;
	readonly bytesSinceStep: number;
	/** Notes that the clock advances. */
	step(): void;
	describe(): string;
}

function watchTraffic(): Traffic {
	const connections = new Set<Socket>();
	const accepted = new Set<Socket>();
	const openResponses = new Set<ServerResponse<IncomingMessage>>();
	let events = 0;
	let calls = 0;
	let bytesBefore = 0;
	let lastState = -1;
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
			track(openResponses, (message as { response: ServerResponse }).response);
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
			turns = state === lastState && !isDiskBusy() ? turns + 1 : 0;
			lastState = state;
			if (connections.size + openResponses.size === 0) return turns >= IDLE_TURNS;
			return (
				turns >= QUIET_TURNS &&
				connections.size === openResponses.size &&
				![...openResponses].some(({ writableEnded }) => writableEnded)
			);
		},
		get progress() {
			return lastState;
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
		describe: () =>
			`${connections.size} connections, ${openResponses.size} calls without a complete response`,
	};
}

/** Whether files or DNS lookups are in progress, which take real time and end by themselves. */
function isDiskBusy(): boolean {
	return process
		.getActiveResourcesInfo()
		.some((what) => /^(FSReq|CloseReq|GetAddrInfo)/.test(what));
}

async function turn(): Promise<void> {
	await new Promise<void>((resolve) => setImmediate(resolve));
}
