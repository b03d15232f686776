/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** How random runs are chosen, limited, replayed, shrunk and reported. */
import { basename } from 'node:path';

import * as fc from 'fast-check';

import { brokenRules, Ledger, type Rule } from './ledger';
import { Watchdog } from './watchdog';

/**
 * FAULT_SECONDS: how long the campaign takes. FAULT_RUNS: how many programs it plays instead, and no test stops early, so that with FAULT_SEED each run
 * is known beforehand. FAULT_SEED and FAULT_PATH: replay a run.
 */
const { FAULT_SECONDS = '60', FAULT_RUNS, FAULT_SEED, FAULT_PATH } = process.env;

/** How long a failing run may be shrunk, in real time. */
const SHRINK_MS = 120_000;
/** Runs that are made even on the slowest computer. */
const MIN_RUNS = 20;
const HOSTILE_SECONDS = 4;
/** More runs than there is time for. */
const MAX_RUNS = 1_000_000;

/** FAULT_SEED, or a new one. */
const seed = FAULT_SEED ? Number(FAULT_SEED) : Math.trunc(Math.random() * 2 ** 31);

// If the file is killed, this is its only output.
beforeAll(() => {
	const { testPath = '' } = expect.getState();
	process.stdout.write(`${basename(testPath)}: FAULT_SEED=${seed}\n`);
});

interface Bounds {
	maxRuns: number;
	/** How much real time there is for more than MIN_RUNS runs. */
	seconds: number;
}

/**
 * Runs a property `maxRuns` times, or as often as `seconds` of real time allow, but at least MIN_RUNS times. Returns the number of runs.
 * @throws Error with the command that replays a failing run
 */
async function runProperty<T>(
	file: string,
	all: fc.Arbitrary<T>,
	run: (one: T) => Promise<void> | void,
	bounds: Bounds,
): Promise<number> {
	const seconds = FAULT_RUNS ? Infinity : bounds.seconds;
	const until = performance.now() + seconds * 1_000;
	let runs = 0;
	let shrinkUntil = Infinity;
	const watchdog = new Watchdog();
	const property = fc.asyncProperty(all, async (one) => {
		if (performance.now() > shrinkUntil) return;
		// Skipping a run ends the property.
		fc.pre(shrinkUntil < Infinity || runs < MIN_RUNS || performance.now() < until);
		runs++;
		let held = false;
		try {
			await watchdog.watch(
				async () => await run(one),
				() => `FAULT_SEED=${seed}: this run hangs: ${JSON.stringify(one)}`,
			);
			held = true;
		} finally {
			if (!held) shrinkUntil = Math.min(shrinkUntil, performance.now() + SHRINK_MS);
		}
	});
	const outcome = await fc.check(property, {
		seed,
		path: FAULT_PATH,
		numRuns: bounds.maxRuns,
		maxSkipsPerRun: 0,
		// Otherwise, shrinking a large run might never end.
		...(seconds < Infinity && { interruptAfterTimeLimit: seconds * 1_000 + SHRINK_MS }),
	});
	await watchdog.end();
	if (outcome.counterexample !== null) throw new Error(reportOf(outcome, file));
	return runs;
}

/** Checks a hostile property in at most `maxRuns` runs. @throws Error with the command that replays a failing run */
export async function checkProperty<T>(
	maxRuns: number,
	all: fc.Arbitrary<T>,
	run: (one: T) => Promise<void> | void,
): Promise<void> {
	await runProperty('', all, run, { maxRuns, seconds: HOSTILE_SECONDS });
}

interface RandomRuns<T, Played> {
	all: fc.Arbitrary<T>;
	play: (one: T) => Promise<Played>;
	rules: Record<string, Rule<Played>>;
	storyOf: (played: Played) => string[];
}

/** Adds the test that plays random programs. If there are enough runs, each rule must apply. */
export function testRandomRuns<T, Played>({
	all,
	play,
	rules,
	storyOf,
}: RandomRuns<T, Played>): void {
	const maxRuns = FAULT_RUNS ? Number(FAULT_RUNS) : MAX_RUNS;
	const bounds = { maxRuns, seconds: Number(FAULT_SECONDS) };
	test(
		'random programs',
		async () => {
			const ledger = new Ledger(Object.keys(rules));
			const playOne = async (one: T) => {
				const played = await play(one);
				const broken = brokenRules(rules, played, ledger);
				if (broken.length > 0) throw new Error([...broken, '', ...storyOf(played)].join('\n'));
			};
			const runs = await runProperty('campaign', all, playOne, bounds);
			// A replay is a single run.
			if (!FAULT_PATH) ledger.close(`in ${runs} random programs`, runs);
		},
		24 * 3_600_000,
	);
}

function reportOf<T>(
	{ numRuns, counterexample, counterexamplePath, errorInstance }: fc.RunDetails<[T]>,
	file: string,
): string {
	return [
		`Run ${numRuns} failed:`,
		(errorInstance as Error).message,
		JSON.stringify(counterexample?.[0]),
		`To replay: FAULT_SEED=${seed} FAULT_PATH=${counterexamplePath} npm run test:faults -- ${file}`,
	].join('\n\n');
}
