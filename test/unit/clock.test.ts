import { wait } from '../../nodes/shared/base/clock';
import { VirtualClock } from '../../dev/simulation/virtualClock';

/** How long a wait took, ms; undefined while it goes on. */
function timed(clock: VirtualClock, ms: number, wakers?: Parameters<typeof wait>[2]) {
	const start = clock.now();
	const waiting: { took?: number } = {};
	void wait(clock, ms, wakers).then(() => (waiting.took = clock.now() - start));
	return waiting;
}

describe('a wait', () => {
	it('takes as long as it should, also when that is long', async () => {
		const clock = new VirtualClock();
		const waits = [0, -5, 1, 250, 251, 100_000].map((ms) => timed(clock, ms));
		await clock.advance(200_000);
		expect(waits.map(({ took }) => took)).toEqual([0, 0, 1, 250, 251, 100_000]);
	});

	it('ends at once when the execution is stopped', async () => {
		const clock = new VirtualClock();
		const stop = new AbortController();
		const waiting = timed(clock, 100_000, { signal: stop.signal });
		await clock.advance(10_100);
		expect(waiting.took).toBeUndefined();
		stop.abort();
		await clock.settle();
		expect(waiting.took).toBe(10_100);
	});

	it('does not begin when the execution was stopped before', async () => {
		const clock = new VirtualClock();
		const waiting = timed(clock, 100_000, { signal: AbortSignal.abort() });
		await clock.settle();
		expect(waiting.took).toBe(0);
	});

	it('ends at once when its plan has changed', async () => {
		const clock = new VirtualClock();
		let change = () => {};
		const changed = new Promise<void>((resolve) => (change = resolve));
		const waiting = timed(clock, 100_000, { changed });
		await clock.advance(400);
		change();
		await clock.settle();
		expect(waiting.took).toBe(400);
	});

	it('leaves at most a quarter of a second of timers behind when it ends early', async () => {
		const clock = new VirtualClock();
		const slept = jest.spyOn(clock, 'sleep');
		timed(clock, 100_000);
		await clock.advance(5_000);
		expect(Math.max(...slept.mock.calls.map(([ms]) => ms))).toBeLessThanOrEqual(250);
	});

	it('leaves nothing behind at the signal', async () => {
		const clock = new VirtualClock();
		const { signal } = new AbortController();
		const added = jest.spyOn(signal, 'addEventListener');
		const removed = jest.spyOn(signal, 'removeEventListener');
		timed(clock, 1_000, { signal });
		await clock.advance(1_000);
		expect(added).toHaveBeenCalled();
		expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
	});
});
