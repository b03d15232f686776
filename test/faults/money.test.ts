/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/**
 * Random programs of submissions, lost answers, retries, stops and clock steps, by several people at once; after each the rules of ./moneyRules.ts.
 * A failing one is shrunk and printed with the command that plays it again; it then belongs into regressions.test.ts.
 */
import * as fc from 'fast-check';

import { startEmulator, type Emulator } from '../../dev/emulator';
import { useVirtualTime } from '../helpers/virtualTime';
import { useCallerMarks } from './callerMark';
import { play, storyOf } from './moneyPlay';
import { programs, type Program } from './moneyProgram';
import { broken } from './moneyRules';

const { FAULT_RUNS = '1000', FAULT_SEED, FAULT_PATH, FAULT_SHRINK } = process.env;
const seed = FAULT_SEED === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(FAULT_SEED);

/** How long a failing program is made shorter, and how long all may take, ms of real time. */
const SHRINK_MS = 60_000;
const LIMIT_MS = 24 * 3_600_000;

const time = useVirtualTime();
useCallerMarks();
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator();
});
afterAll(async () => await emulator.close());

test(
	`${FAULT_RUNS} random programs, seed ${seed}`,
	async () => {
		let shrinkUntil = Infinity;
		const property = fc.asyncProperty(programs, async (program) => {
			if (performance.now() > shrinkUntil) return;
			const played = await play(program, emulator, time);
			const found = broken(played);
			if (found.length === 0) return;
			shrinkUntil = Math.min(shrinkUntil, performance.now() + SHRINK_MS);
			throw new Error([...found, '', ...storyOf(played)].join('\n'));
		});
		const outcome = await fc.check(property, {
			numRuns: Number(FAULT_RUNS),
			seed,
			...(FAULT_PATH ? { path: FAULT_PATH } : {}),
			endOnFailure: FAULT_SHRINK === 'no',
		});
		if (outcome.failed) throw new Error(report(outcome));
	},
	LIMIT_MS,
);

function report({
	numRuns,
	counterexample,
	counterexamplePath,
	errorInstance,
}: fc.RunDetails<[Program]>): string {
	return [
		`Run ${numRuns} broke what must hold:`,
		(errorInstance as Error).message,
		`Program: ${JSON.stringify(counterexample?.[0])}`,
		`Again: FAULT_SEED=${seed} FAULT_PATH=${counterexamplePath} npm run test:faults -- money`,
	].join('\n\n');
}
