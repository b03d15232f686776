/** The first finishes let all others plan again; later ones only where they move the mean by this share: 1,000 waits woken 1,000 times cost more than their calls. */
const ALWAYS_ANNOUNCED = 30;
const SIGNIFICANT_CHANGE = 0.01;

/** What is known of the finished requests of a label. */
interface Finished {
	count: number;
	meanMs: number;
	/** The mean that the waiting ones planned with. */
	announcedMs: number;
}

/** Resolves for all who wait for the next finish. */
interface Change {
	promise: Promise<void>;
	resolve: () => void;
}

/** How long requests of a model take, learned from those that finished in this run. Times in ms. */
export class Expectations {
	private readonly finished = new Map<string, Finished>();

	private readonly changes = new Map<string, Change>();

	private readonly probed = new Set<string>();

	/**
	 * True for the first request of a label that asks: in a batch it is checked as if nothing were known, because a published average
	 * may be far off, and the others learn from its finish.
	 */
	claimProbe(label: string): boolean {
		if (this.probed.has(label)) return false;
		this.probed.add(label);
		return true;
	}

	/** Mean of the finished ones; undefined before the first. */
	meanMs(label: string): number | undefined {
		return this.finished.get(label)?.meanMs;
	}

	/** Records a finish and lets those who wait for the same model plan again, when it tells them something. */
	record(label: string, durationMs: number): void {
		const known = this.finished.get(label) ?? { count: 0, meanMs: 0, announcedMs: 0 };
		const count = known.count + 1;
		const meanMs = known.meanMs + (durationMs - known.meanMs) / count;
		const isNews =
			count <= ALWAYS_ANNOUNCED ||
			Math.abs(meanMs - known.announcedMs) > SIGNIFICANT_CHANGE * known.announcedMs;
		this.finished.set(label, { count, meanMs, announcedMs: isNews ? meanMs : known.announcedMs });
		if (!isNews) return;
		this.changes.get(label)?.resolve();
		this.changes.delete(label);
	}

	/** Resolves at the next finish of the same model that tells something. */
	async changed(label: string): Promise<void> {
		let change = this.changes.get(label);
		if (!change) {
			let resolve = () => {};
			const promise = new Promise<void>((done) => (resolve = done));
			this.changes.set(label, (change = { promise, resolve }));
		}
		return await change.promise;
	}
}

const all = new WeakMap<object, Expectations>();

/** Those of a run: all its items learn from one another. */
export function expectationsOf(run: object): Expectations {
	let expectations = all.get(run);
	if (!expectations) all.set(run, (expectations = new Expectations()));
	return expectations;
}
