/** What the campaign found, and what it must go on finding: one short story each. */
import { startEmulator, type Emulator } from '../../emulator';
import { broken } from './invariants';
import { play, storyOf, type Played } from './play';
import { CALM, type Scenario } from './scenario';
import { useVirtualTime } from './virtualTime';

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
