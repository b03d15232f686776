/**
 * Plays written programs, then random programs while there is time, and judges each by the rules in ./judge.ts. A failing program is shrunk and printed
 * with the command that replays it. If neither a test in test/engine nor another random program would show the bug, add it to ./regressions.ts.
 */
import { useBareEmulator } from '../../helpers/emulator';
import { useVirtualTime } from '../../helpers/virtualTime';
import { brokenRules } from '../ledger';
import { testRandomRuns } from '../randomRuns';
import { useCallerMarks } from './callerMark';
import { programs } from './generate';
import { RULES } from './judge';
import { play } from './play';
import { REGRESSIONS } from './regressions';
import { storyOf } from './story';

const time = useVirtualTime();
useCallerMarks();
const emulator = useBareEmulator();

test.each(REGRESSIONS)('$title', async ({ program, requests }) => {
	const played = await play(program, emulator, time);
	const broken = brokenRules(RULES, played);
	expect([...broken, ...(broken.length > 0 ? storyOf(played) : [])]).toEqual([]);
	expect(played.jobs).toHaveLength(requests);
});

testRandomRuns({
	all: programs,
	play: async (program) => await play(program, emulator, time),
	rules: RULES,
	storyOf,
});
