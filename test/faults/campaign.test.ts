/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/**
 * Thousands of random stories: every fault of faultKinds.ts, mixed with retries, stops and time-outs; after each the invariants.
 * A failing one is shrunk and printed with the command that plays it again; it then belongs into regressions.test.ts.
 */
import * as fc from 'fast-check';

import { startEmulator, type Emulator } from '../../dev/emulator';
import { broken } from './invariants';
import { play, storyOf } from './play';
import { scenarios, type Scenario } from './scenario';
import { useVirtualTime } from '../helpers/virtualTime';

const { FAULT_RUNS = '1000', FAULT_SEED, FAULT_PATH, FAULT_SHRINK } = process.env;
const seed = FAULT_SEED === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(FAULT_SEED);

/** How long a failing story is made shorter, and how long all may take, ms of real time. */
const SHRINK_MS = 180_000;
const LIMIT_MS = 24 * 3_600_000;

const time = useVirtualTime();
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator();
});
afterAll(async () => await emulator.close());

test(
	`${FAULT_RUNS} random runs, seed ${seed}`,
	async () => {
		let shrinkUntil = Infinity;
		const property = fc.asyncProperty(scenarios, async (scenario) => {
			if (performance.now() > shrinkUntil) return;
			const played = await play(scenario, emulator, time);
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
}: fc.RunDetails<[Scenario]>): string {
	return [
		`Run ${numRuns} broke what must hold:`,
		(errorInstance as Error).message,
		`Scenario: ${JSON.stringify(counterexample?.[0])}`,
		`Again: FAULT_SEED=${seed} FAULT_PATH=${counterexamplePath} npm run test:faults -- campaign`,
	].join('\n\n');
}
