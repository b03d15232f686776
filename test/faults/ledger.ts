/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Checks a run. Returns one entry for each time the rule applied: undefined if it held, otherwise what is broken. */
export type Rule<Played> = (played: Played) => Array<string | undefined>;

/** Each rule must apply at least MIN_APPLIED times in this many runs, or in proportion in fewer runs. */
const RULE_RUNS = 10_000;
const MIN_APPLIED = 20;

/** Counts how often each rule applied: a rule that never applied proves nothing. */
export class Ledger {
	private readonly applied = new Map<string, number>();

	constructor(names: readonly string[]) {
		for (const name of names) this.applied.set(name, 0);
	}

	/** Counts a rule as applied, once or `times` times. Throws if the ledger doesn't have the rule. */
	count(name: string, times = 1): void {
		const before = this.applied.get(name);
		if (before === undefined) throw new Error(`the ledger has no rule '${name}'`);
		this.applied.set(name, before + times);
	}

	/** Prints the counts. @throws Error if a rule applied too seldom: never, or less often than expected in `runs` random runs */
	close(title: string, runs?: number): void {
		const counts = [...this.applied];
		const lines = counts.map(([name, times]) => `${String(times).padStart(9)}  ${name}`);
		process.stdout.write(`How often each rule applied, ${title}:\n${lines.join('\n')}\n`);
		const minimum = runs === undefined ? 1 : Math.floor((runs * MIN_APPLIED) / RULE_RUNS);
		const idle = counts.flatMap(([name, times]) => (times < minimum ? [`${name} (${times})`] : []));
		if (idle.length > 0) throw new Error(`Applied less than ${minimum} times: ${idle.join('; ')}`);
	}
}

/** Returns the broken rules of a run, one line each. */
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
