/**
 * Plays each program that once found a fault, then random programs while there is time, and checks the rules of ./rules.ts after each. A failing
 * program is shrunk and printed with the command that replays it. Add it to ./foundElsewhere.ts or ./foundLostResponses.ts.
 */
import { useBareEmulator } from '../../helpers/emulator';
import { useVirtualTime } from '../../helpers/virtualTime';
import { brokenRules, Ledger } from '../ledger';
import { testRandomRuns } from '../randomRuns';
import { useCallerMarks } from './callerMark';
import { FOUND_ELSEWHERE } from './foundElsewhere';
import { failedOf, lastOf, programOf } from './foundCase';
import { FOUND_WITH_LOST_RESPONSES } from './foundLostResponses';
import { programs } from './generate';
import { play } from './play';
import { RULES } from './rules';
import { storyOf } from './story';

const time = useVirtualTime();
useCallerMarks();
const emulator = useBareEmulator();

const ledger = new Ledger(Object.keys(RULES));

test.each([...FOUND_WITH_LOST_RESPONSES, ...FOUND_ELSEWHERE])(
	'$found',
	async ({ program, jobs, fails, endsWell, expects }) => {
		const played = await play(programOf(program), emulator, time);
		const found = brokenRules(RULES, played, ledger);
		expect([...found, ...(found.length > 0 ? storyOf(played) : [])]).toEqual([]);
		if (jobs !== undefined) expect(played.jobs).toHaveLength(jobs);
		if (fails) expect(failedOf(played, 0)).toMatchObject([fails]);
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
