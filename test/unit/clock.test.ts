import { endAt, wait } from '../../nodes/shared/base/clock';
import { VirtualClock } from '../helpers/virtualClock';

let clock: VirtualClock;
beforeEach(() => (clock = new VirtualClock()));

/** Starts a wait. `took` is the wait's duration in ms, or undefined while it lasts. */
function startWait(ms: number, wakers?: Parameters<typeof wait>[2]) {
	const start = clock.now();
	const waiting: { took?: number } = {};
	void wait(clock, ms, wakers).then(() => (waiting.took = clock.now() - start));
	return waiting;
}

it('a wait takes its full time, even if it is long', async () => {
	const waits = [0, -5, 1, 250, 251, 100_000].map((ms) => startWait(ms));
	await clock.pass(200_000);
	expect(waits.map(({ took }) => took)).toEqual([0, 0, 1, 250, 251, 100_000]);
});

it('a wait ends at once on Stop, soon after it is over, and does not begin after Stop', async () => {
	const stop = new AbortController();
	let isDone = false;
	const waits = [
		startWait(Infinity, { signal: stop.signal }),
		startWait(Infinity, { isOver: () => isDone }),
	];
	await clock.pass(10_100);
	stop.abort();
	isDone = true;
	waits.push(startWait(100_000, { signal: stop.signal }));
	await clock.pass(250);
	expect(waits.map(({ took }) => took)).toEqual([10_100, 10_250, 0]);
});

it('a wait sleeps for at most a quarter of a second at a time, and leaves no listener on the signal', async () => {
	const slept = jest.spyOn(clock, 'sleep');
	const { signal } = new AbortController();
	const added = jest.spyOn(signal, 'addEventListener');
	const removed = jest.spyOn(signal, 'removeEventListener');
	startWait(5_000, { signal });
	await clock.pass(5_000);
	endAt(clock, () => Infinity, signal, jest.fn())();
	expect(Math.max(...slept.mock.calls.map(([ms]) => ms))).toBeLessThanOrEqual(250);
	expect(added).toHaveBeenCalled();
	expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
});
