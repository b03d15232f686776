/**
 * Plays each program that once found a bug, then random programs while there is time, and checks the rules in ./judge.ts after each. A failing
 * program is shrunk and printed with the command that replays it. Add it to ./otherRegressions.ts or ./lostResponseRegressions.ts.
 */
import { useBareEmulator } from '../../helpers/emulator';
import { useVirtualTime } from '../../helpers/virtualTime';
import { brokenRules, Ledger } from '../ledger';
import { testRandomRuns } from '../randomRuns';
import { useCallerMarks } from './callerMark';
import { OTHER_REGRESSIONS } from './otherRegressions';
import { failedItemsOf, lastOf, programOf } from './regression';
import { LOST_RESPONSE_REGRESSIONS } from './lostResponseRegressions';
import { programs } from './generate';
import { play } from './play';
import { RULES } from './judge';
import { storyOf } from './story';

const time = useVirtualTime();
useCallerMarks();
const emulator = useBareEmulator();

const ledger = new Ledger(Object.keys(RULES));

test.each([...LOST_RESPONSE_REGRESSIONS, ...OTHER_REGRESSIONS])(
	'$title',
	async ({ program, jobCount, failsWith, endsWell, expects }) => {
		const played = await play(programOf(program), emulator, time);
		const broken = brokenRules(RULES, played, ledger);
		expect([...broken, ...(broken.length > 0 ? storyOf(played) : [])]).toEqual([]);
		if (jobCount !== undefined) expect(played.jobs).toHaveLength(jobCount);
		if (failsWith) expect(failedItemsOf(played, 0)).toMatchObject([failsWith]);
		if (endsWell) expect(lastOf(played).error).toBeUndefined();
		expects?.(played);
	},
);

// Each rule must apply here, because there may be time for only few random programs.
test('each rule applied to the written programs', () => ledger.close('in written programs'));

testRandomRuns({
	all: programs,
	play: async (program) => await play(program, emulator, time),
	rules: RULES,
	storyOf,
});
