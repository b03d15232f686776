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
import { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

import { steadyClock, systemClock } from '../../nodes/shared/base/clock';
import { Memory, memory } from '../../nodes/shared/journal/memory';
import { CallRegister, callRegister } from '../../nodes/shared/journal/callRegister';
import { Traffic } from './traffic';

/** Virtual time at the start and after each `restart`, ms since the epoch. */
export const START = Date.UTC(2026, 0, 15, 10, 0, 0);

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
	const traffic = new Traffic();
	const { setTimeout: originalSetTimeout } = ClientRequest.prototype;
	beforeAll(() => {
		fakeTimers();
		ClientRequest.prototype.setTimeout = setVirtualTimeout;
		traffic.start();
	});
	afterAll(() => {
		traffic.stop();
		ClientRequest.prototype.setTimeout = originalSetTimeout;
		jest.useRealTimers();
	});
	return new PassingTime(traffic);
}

/** Replaces `Date` and the timers by jest's, except those that this file itself needs. */
function fakeTimers(): void {
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
}

class PassingTime implements VirtualTime {
	private readonly pendingWork = new Set<PendingWork>();

	private isPassing = false;

	/** The traffic's progress that was seen last, and when, in ms of real time. */
	private seen = { progress: 0, at: 0 };

	/** Steps of the clock since the last work began. */
	private steps = 0;

	constructor(private readonly traffic: Traffic) {}

	get isBusy(): boolean {
		return this.traffic.isConnected;
	}

	restart(): void {
		jest.clearAllTimers();
		jest.setSystemTime(START);
		newProcess();
	}

	skip(ms: number): void {
		jest.setSystemTime(Date.now() + ms);
	}

	async run<T>(work: Promise<T>, limitMs: number): Promise<T> {
		const pending: PendingWork = { until: Date.now() + limitMs, fail: () => {} };
		const failed = new Promise<never>((_resolve, reject) => {
			pending.fail = reject;
		});
		const end = () => {
			this.pendingWork.delete(pending);
		};
		work.then(end, end);
		this.pendingWork.add(pending);
		this.seen.at = performance.now();
		this.steps = 0;
		this.traffic.begin();
		if (!this.isPassing) void this.pass();
		return await Promise.race([work, failed]);
	}

	/** Lets time pass until no work is left. */
	private async pass(): Promise<void> {
		this.isPassing = true;
		try {
			for (await turn(); this.pendingWork.size > 0; await turn()) this.advance();
		} catch (error) {
			for (const each of this.pendingWork) each.fail(error as Error);
			this.pendingWork.clear();
		}
		this.isPassing = false;
	}

	/** Advances to the next timer if nothing else can happen. @throws Error if there is no more progress, or the work takes too long */
	private advance(): void {
		const { traffic, seen } = this;
		// Without a timer, the work waits for the disk, or for something that never happens.
		const hasTimer = jest.getTimerCount() > 0;
		const mayStep = hasTimer && traffic.isQuiet();
		this.assertNoEndlessLoop();
		const hasProgress = traffic.progress !== seen.progress;
		if (mayStep || hasProgress) this.seen = { progress: traffic.progress, at: performance.now() };
		if (!mayStep) {
			this.assertNotStuck(hasTimer);
			return;
		}
		this.assertInTime();
		traffic.step();
		this.steps++;
		jest.advanceTimersToNextTimer();
	}

	private assertNoEndlessLoop(): void {
		const { calls, bytesSinceStep } = this.traffic;
		const isEndless = this.steps > MAX_STEPS || calls > MAX_CALLS || bytesSinceStep > MAX_BYTES;
		if (isEndless)
			throw new Error(
				`A loop never ends: ${this.steps} steps of the clock, ${calls} calls, ${bytesSinceStep} bytes since the last step`,
			);
	}

	private assertNotStuck(hasTimer: boolean): void {
		if (performance.now() - this.seen.at <= STUCK_MS) return;
		const what = hasTimer
			? 'Stuck in real time'
			: 'Everything waits for something that never comes';
		throw new Error(`${what}: ${this.traffic.describe()}`);
	}

	private assertInTime(): void {
		if ([...this.pendingWork].every(({ until }) => Date.now() <= until)) return;
		const now = new Date().toISOString();
		throw new Error(`Not done at ${now} of virtual time: ${this.traffic.describe()}`);
	}
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

async function turn(): Promise<void> {
	await new Promise<void>((resolve) => setImmediate(resolve));
}
