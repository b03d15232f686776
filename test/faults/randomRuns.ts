/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** How random runs are chosen, limited, replayed, shrunk and reported. */
import { basename } from 'node:path';

import * as fc from 'fast-check';

import { brokenRules, Ledger, type Rule } from './ledger';

/**
 * FAULT_SECONDS: how long the campaign goes on; FAULT_RUNS: this many runs instead. FAULT_SEED and FAULT_PATH play a run again, FAULT_SHRINK=no
 * leaves a failing one as it is. HOSTILE_RUNS: this many runs of each hostile property.
 */
const {
	FAULT_SECONDS = '60',
	FAULT_RUNS,
	FAULT_SEED,
	FAULT_PATH,
	FAULT_SHRINK,
	HOSTILE_RUNS,
} = process.env;

/** How long a failing run is shrunk, in real time. */
const SHRINK_MS = 120_000;
/** Runs that are made even on the slowest computer. */
const MIN_RUNS = 20;
const HOSTILE_SECONDS = 4;
/** More runs than there is time for. */
const MAX_RUNS = 1_000_000;

/** FAULT_SEED, or a new one. */
const seed = FAULT_SEED ? Number(FAULT_SEED) : Math.trunc(Math.random() * 2 ** 31);

// A file that is ended from outside says nothing else.
beforeAll(() => {
	const { testPath = '' } = expect.getState();
	process.stdout.write(`${basename(testPath)}: FAULT_SEED=${seed}\n`);
});

/** Settings that replay a run. */
const REPLAY = { seed, ...(FAULT_PATH && { path: FAULT_PATH }) };

interface Bounds {
	/** Runs at most. */
	most: number;
	/** As many are made however long they take; then none is begun after so many seconds of real time. */
	least: number;
	seconds: number;
}

/** Runs a property until a bound is reached. Undefined when it held, else what fast-check says. */
async function runsOf<T>(
	all: fc.Arbitrary<T>,
	run: (one: T) => Promise<void> | void,
	{ most, least, seconds }: Bounds,
): Promise<{ runs: number; broke?: fc.RunDetails<[T]> }> {
	const until = performance.now() + seconds * 1_000;
	let runs = 0;
	let shrinkUntil = Infinity;
	const property = fc.asyncProperty(all, async (one) => {
		if (performance.now() > shrinkUntil) return;
		// The first run skipped ends it.
		fc.pre(shrinkUntil < Infinity || runs < least || performance.now() < until);
		runs++;
		let held = false;
		try {
			await run(one);
			held = true;
		} finally {
			if (!held) shrinkUntil = Math.min(shrinkUntil, performance.now() + SHRINK_MS);
		}
	});
	const outcome = await fc.check(property, {
		...REPLAY,
		numRuns: most,
		maxSkipsPerRun: 0,
		// Shrinking what is large has no end in sight otherwise.
		...(Number.isFinite(seconds) && { interruptAfterTimeLimit: seconds * 1_000 + SHRINK_MS }),
		endOnFailure: FAULT_SHRINK === 'no',
	});
	return { runs, ...(outcome.counterexample !== null && { broke: outcome }) };
}

/** Holds a hostile property for as many runs as fit into some seconds, `usual` at most and twenty at least. @throws Error with the command that plays a failing one again */
export async function checkProperty<T>(
	usual: number,
	all: fc.Arbitrary<T>,
	run: (one: T) => Promise<void> | void,
): Promise<void> {
	const bounds = HOSTILE_RUNS
		? { most: Number(HOSTILE_RUNS), least: 0, seconds: Infinity }
		: { most: usual, least: MIN_RUNS, seconds: HOSTILE_SECONDS };
	const { broke } = await runsOf(all, run, bounds);
	if (broke) throw new Error(reportOf(broke, ''));
}

interface RandomRuns<T, Played> {
	all: fc.Arbitrary<T>;
	play: (one: T) => Promise<Played>;
	/** What must hold, by name. */
	rules: Record<string, Rule<Played>>;
	storyOf: (played: Played) => string[];
}

/** The test of the campaign. With enough runs each rule must apply. */
export function testRandomRuns<T, Played>({
	all,
	play,
	rules,
	storyOf,
}: RandomRuns<T, Played>): void {
	const bounds = FAULT_RUNS
		? { most: Number(FAULT_RUNS), least: 0, seconds: Infinity }
		: { most: MAX_RUNS, least: MIN_RUNS, seconds: Number(FAULT_SECONDS) };
	test(
		`random programs, seed ${seed}`,
		async () => {
			const ledger = new Ledger(Object.keys(rules));
			const playOne = async (one: T) => {
				const played = await play(one);
				const found = brokenRules(rules, played, ledger);
				if (found.length > 0) throw new Error([...found, '', ...storyOf(played)].join('\n'));
			};
			const { runs, broke } = await runsOf(all, playOne, bounds);
			if (broke) throw new Error(reportOf(broke, 'campaign'));
			// A run that is played again is one alone.
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
		`Run ${numRuns} broke what must hold:`,
		(errorInstance as Error).message,
		JSON.stringify(counterexample?.[0]),
		`Again: FAULT_SEED=${seed} FAULT_PATH=${counterexamplePath} npm run test:faults -- ${file}`,
	].join('\n\n');
}
