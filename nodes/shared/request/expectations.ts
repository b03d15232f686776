/** So many finishes let all others plan again; later ones only where they move the mean by this share: 1,000 waits woken 1,000 times cost more than their calls. */
const ALWAYS_TOLD = 30;
const WORTH_TELLING = 0.01;

/** What is known of the finished requests of a label. */
interface Finished {
	count: number;
	meanMs: number;
	/** The mean that the waiting ones planned with. */
	toldMs: number;
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
		return this.finished.get(label)?.meanMs ?? published;
	}

	/** Records a finish and lets those who wait for the same model plan again, when it tells them something. */
	record(label: string, durationMs: number): void {
		const known = this.finished.get(label) ?? { count: 0, meanMs: 0, toldMs: 0 };
		const count = known.count + 1;
		const meanMs = known.meanMs + (durationMs - known.meanMs) / count;
		const isNews =
			count <= ALWAYS_TOLD || Math.abs(meanMs - known.toldMs) > WORTH_TELLING * known.toldMs;
		this.finished.set(label, { count, meanMs, toldMs: isNews ? meanMs : known.toldMs });
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
