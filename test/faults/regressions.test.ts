/** What the campaign found, and what it must go on finding: one short story each. */
import { startEmulator, type Emulator } from '../../dev/emulator';
import { broken } from './invariants';
import { play, storyOf, type Played } from './play';
import { CALM, type Scenario } from './scenario';
import { useVirtualTime } from '../helpers/virtualTime';

const time = useVirtualTime();
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator();
});
afterAll(async () => await emulator.close());

/** Plays a scenario, checks everything that must always hold, and hands over what was seen. */
async function told(change: Partial<Scenario>): Promise<Played> {
	const played = await play({ ...CALM, ...change }, emulator, time);
	expect([...broken(played), ...(broken(played).length > 0 ? storyOf(played) : [])]).toEqual([]);
	return played;
}

const lastOf = ({ executions }: Played) => executions[executions.length - 1].result;

test('a download that stands still is given up after a minute, and tried again', async () => {
	const played = await told({ faults: [{ on: 'file', after: 0, times: 1, what: 'body stalls at 12' }] });
	const [first, second] = emulator.callsOf('file');
	expect(second.at - first.at).toBeLessThan(65_000);
	expect(lastOf(played).items[0].binary).toHaveProperty('data');
});

test('a download that is slow but goes on is let finish', async () => {
	const played = await told({ faults: [{ on: 'file', after: 0, times: 1_000, what: 'body trickles for 8 min' }] });
	expect(lastOf(played).hints).toEqual([]);
	expect(lastOf(played).items[0].binary).toHaveProperty('data');
	expect(emulator.callsOf('file')).toHaveLength(1);
});

test('a v1 request that failed while its answer was lost is bought afresh by a retry', async () => {
	const played = await told({
		work: 'v1',
		jobMs: [20_000],
		service: { failJobs: [0] },
		faults: [{ on: 'submit', after: 0, times: 1, what: 'connection lost after acceptance' }],
		options: { ...CALM.options, timeoutSeconds: 60 },
	});
	expect(played.executions[0].result.error?.message).toMatch(/^Request \w+ failed: The model could not process this input\.$/);
	expect(lastOf(played).json[0]).toMatchObject({ status: 'COMPLETED', request_id: played.jobs[1].requestId });
	expect(played.jobs).toHaveLength(2);
});

test('a request whose hour is over is looked for, not called queued, while a rate limit holds all calls back', async () => {
	const played = await told({
		options: { ...CALM.options, timeoutSeconds: 1, pollIntervalSeconds: 7 },
		faults: [{ on: 'status', after: 0, times: 1, what: '429, reset in the year 9999' }],
		steps: [CALM.steps[0], { pauseMs: 3_700_000, tries: 1, stopAfterMs: null }],
	});
	expect(played.executions.map(({ result }) => result.error?.message)).toEqual([expect.stringContaining('was still'), expect.stringContaining('was still'), undefined]);
	expect(lastOf(played).json[0]).toMatchObject({ from_history: true });
});

test('Stop ends an upload at once', async () => {
	const played = await told({
		withFile: true,
		faults: [{ on: 'upload', after: 0, times: 1, what: 'no answer, not accepted' }],
		steps: [{ ...CALM.steps[0], stopAfterMs: 20_000 }],
	});
	expect(played.executions[0].stoppedAt).toBeDefined();
	expect(played.jobs).toEqual([]);
});

test('a lost purchase is not taken for the failed one before it', async () => {
	const played = await told({
		jobMs: [300],
		options: { ...CALM.options, pollIntervalSeconds: 0.5 },
		service: { failJobs: [0] },
		faults: [{ on: 'submit', after: 0, times: 2, what: '200 own error' }],
		steps: [{ ...CALM.steps[0], tries: 3 }],
	});
	expect(lastOf(played).json[0].request_id).toBe(played.jobs[1].requestId);
	expect(played.jobs).toHaveLength(2);
});

test('of equal items, a lost purchase is not taken for one that failed without telling its id', async () => {
	const played = await told({
		work: 'v1',
		items: 2,
		alike: true,
		jobMs: [15_000, 60_000],
		options: { ...CALM.options, timeoutSeconds: 20 },
		service: { failJobs: [0], history: false },
	});
	expect(played.jobs.map(({ state }) => state)).toEqual(['FAILED', 'COMPLETED', 'COMPLETED']);
});

test('what an equal item is just buying is not taken for a purchase whose answer was lost', async () => {
	const played = await told({
		work: 'v1',
		items: 3,
		alike: true,
		queueMs: 40_000,
		jobMs: [300, 0],
		service: { failJobs: [0] },
		faults: [{ on: 'submit', after: 0, times: 2, what: 'body stalls at 12' }],
		options: { ...CALM.options, maxConcurrency: 2 },
	});
	const ids = lastOf(played).json.map(({ request_id }) => request_id);
	expect(new Set(ids).size).toBe(3);
});
