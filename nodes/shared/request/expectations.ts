/** How long requests of a model take, learned from those that finished in this run. Times in ms. */
export class Expectations {
	private readonly finished = new Map<string, number[]>();

	private readonly listeners = new Map<string, Array<() => void>>();

	private readonly led = new Set<string>();

	/**
	 * True for the first request of a label that asks: in a batch it is checked as if nothing were known, because a published average
	 * may be far off, and the others learn from its finish.
	 */
	takeLead(label: string): boolean {
		if (this.led.has(label)) return false;
		this.led.add(label);
		return true;
	}

	/** Mean of the finished ones, else `published`, else undefined. */
	expectedMs(label: string, published?: number): number | undefined {
		const known = this.finished.get(label);
		return known ? known.reduce((sum, ms) => sum + ms, 0) / known.length : published;
	}

	/** Records a finish and lets all who wait for the same model plan again. */
	record(label: string, durationMs: number): void {
		this.finished.set(label, [...(this.finished.get(label) ?? []), durationMs]);
		const waiting = this.listeners.get(label) ?? [];
		this.listeners.delete(label);
		for (const wake of waiting) wake();
	}

	/** Resolves at the next finish of the same model. */
	async changed(label: string): Promise<void> {
		return await new Promise((resolve) => {
			this.listeners.set(label, [...(this.listeners.get(label) ?? []), resolve]);
		});
	}
}

const all = new WeakMap<object, Expectations>();

/** Those of a run: all its items learn from one another. */
export function expectationsOf(run: object): Expectations {
	let expectations = all.get(run);
	if (!expectations) all.set(run, (expectations = new Expectations()));
	return expectations;
}
