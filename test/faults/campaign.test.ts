/**
 * Thousands of random stories: every fault of faultKinds.ts, mixed with retries, stops and time-outs; after each the invariants.
 * A failing one is shrunk and printed with the command that plays it again; it then belongs into regressions.test.ts.
 */
import { useBareEmulator } from '../helpers/emulator';
import { useVirtualTime } from '../helpers/virtualTime';
import { RULES } from './invariants';
import { play, storyOf } from './play';
import { testRandomRuns } from './randomRuns';
import { scenarios } from './scenario';

const time = useVirtualTime();
const emulator = useBareEmulator();

testRandomRuns({
	many: 'runs',
	one: 'Scenario',
	file: 'campaign',
	all: scenarios,
	play: async (scenario) => await play(scenario, emulator.it, time),
	rules: RULES,
	storyOf,
	shrinkMs: 180_000,
});
