/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** How random runs are chosen, played again, shrunk and reported. */
import * as fc from 'fast-check';

import { broken, Ledger, type Rule } from './ledger';

const { FAULT_RUNS = '1000', FAULT_SEED, FAULT_PATH, FAULT_SHRINK, HOSTILE_RUNS } = process.env;

/** How long all may take, ms of real time. */
const LIMIT_MS = 24 * 3_600_000;

/** FAULT_SEED, or a new one. */
export const seed = FAULT_SEED ? Number(FAULT_SEED) : Math.trunc(Math.random() * 2 ** 31);

/** What plays a run again: FAULT_SEED and FAULT_PATH. */
const again = { seed, ...(FAULT_PATH && { path: FAULT_PATH }) };

type Settings = Pick<fc.Parameters<unknown>, 'seed' | 'path' | 'numRuns'>;

/** A property's share of FAULT_RUNS. */
export function shareOfRuns(share: number): Settings {
	return { ...again, numRuns: Math.ceil(Number(FAULT_RUNS) * share) };
}

/** This many runs as a hostile property usually gets; HOSTILE_RUNS for more. */
export function settings(usual: number): Settings {
	return { ...again, numRuns: HOSTILE_RUNS ? Number(HOSTILE_RUNS) : usual };
}

interface RandomRuns<T, Played> {
	/** What is played, as the test and its report call it: `programs` and `Program`. */
	many: string;
	one: string;
	/** Words that `npm run test:faults` finds this test file by. */
	file: string;
	all: fc.Arbitrary<T>;
	play: (one: T) => Promise<Played>;
	/** What must hold, by name. */
	rules: Record<string, Rule<Played>>;
	storyOf: (played: Played) => string[];
	/** How long a failing one is made shorter, ms of real time; FAULT_SHRINK=no for not at all. */
	shrinkMs: number;
}

/** A test of FAULT_RUNS runs, in which each rule must apply. A failing one is shrunk and printed with the command that plays it again. */
export function testRandomRuns<T, Played>(runs: RandomRuns<T, Played>): void {
	const { many, one, file, all, play, rules, storyOf, shrinkMs } = runs;
	const playAll = async () => {
		const ledger = new Ledger(Object.keys(rules));
		let shrinkUntil = Infinity;
		const property = fc.asyncProperty(all, async (each) => {
			if (performance.now() > shrinkUntil) return;
			const played = await play(each);
			const found = broken(rules, played, ledger);
			if (found.length === 0) return;
			shrinkUntil = Math.min(shrinkUntil, performance.now() + shrinkMs);
			throw new Error([...found, '', ...storyOf(played)].join('\n'));
		});
		const outcome = await fc.check(property, {
			...shareOfRuns(1),
			endOnFailure: FAULT_SHRINK === 'no',
		});
		// A run that is played again is one alone.
		if (!outcome.failed && !FAULT_PATH) ledger.close(many, outcome.numRuns);
		if (!outcome.failed) return;
		const { numRuns, counterexample, counterexamplePath, errorInstance } = outcome;
		throw new Error(
			[
				`Run ${numRuns} broke what must hold:`,
				(errorInstance as Error).message,
				`${one}: ${JSON.stringify(counterexample?.[0])}`,
				`Again: FAULT_SEED=${seed} FAULT_PATH=${counterexamplePath} npm run test:faults -- ${file}`,
			].join('\n\n'),
		);
	};
	test(`${FAULT_RUNS} random ${many}, seed ${seed}`, playAll, LIMIT_MS);
}
