/**
 * Random programs of submissions, lost answers, retries, stops and clock steps, by several people at once; after each the rules of ./moneyRules.ts.
 * A failing one is shrunk and printed with the command that plays it again; it then belongs into regressions.test.ts.
 */
import { useBareEmulator } from '../helpers/emulator';
import { useVirtualTime } from '../helpers/virtualTime';
import { useCallerMarks } from './callerMark';
import { play, storyOf } from './moneyPlay';
import { programs } from './moneyProgram';
import { RULES } from './moneyRules';
import { testRandomRuns } from './randomRuns';

const time = useVirtualTime();
useCallerMarks();
const emulator = useBareEmulator();

testRandomRuns({
	many: 'programs',
	one: 'Program',
	file: 'money',
	all: programs,
	play: async (program) => await play(program, emulator.it, time),
	rules: RULES,
	storyOf,
	shrinkMs: 60_000,
});
