/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** A rule checks a run. It returns one entry for each time it applied: undefined if it held, else what is broken. */
export type Rule<Played> = (played: Played) => Array<string | undefined>;

/** Each rule must apply at least `MIN_APPLIED` times in this many runs, and in proportion in fewer runs. */
const RULE_RUNS = 10_000;
const MIN_APPLIED = 20;

/** Counts how often each rule applied: one that never did proves nothing, whatever it says. */
export class Ledger {
	private readonly applied = new Map<string, number>();

	constructor(names: readonly string[]) {
		for (const name of names) this.applied.set(name, 0);
	}

	/** One more time, or so many. A rule that the ledger was not opened with is an error. */
	count(name: string, times = 1): void {
		const before = this.applied.get(name);
		if (before === undefined) throw new Error(`the ledger has no rule '${name}'`);
		this.applied.set(name, before + times);
	}

	/** Prints the counts. @throws Error when a rule did not apply, or less often than so many random runs must let it; few of them need not */
	close(title: string, runs?: number): void {
		const counts = [...this.applied];
		const lines = counts.map(([name, times]) => `${String(times).padStart(9)}  ${name}`);
		process.stdout.write(`How often each rule applied, ${title}:\n${lines.join('\n')}\n`);
		const least = runs === undefined ? 1 : Math.floor((runs * MIN_APPLIED) / RULE_RUNS);
		const idle = counts.flatMap(([name, times]) => (times < least ? [`${name} (${times})`] : []));
		if (idle.length > 0) throw new Error(`Applied less than ${least} times: ${idle.join('; ')}`);
	}
}

/** The last test of a file: each rule of it applied. */
export function testLedger(title: string, ledger: Ledger): void {
	test('every rule applied', () => ledger.close(title));
}

/** The broken rules of a run, one line each. */
export function brokenRules<Played>(
	rules: Record<string, Rule<Played>>,
	played: Played,
	ledger?: Ledger,
): string[] {
	return Object.entries(rules).flatMap(([name, rule]) => {
		const cases = rule(played);
		ledger?.count(name, cases.length);
		return cases.flatMap((found) => (found === undefined ? [] : [`${name}: ${found}`]));
	});
}
