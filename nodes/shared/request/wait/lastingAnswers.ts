/** Unreadable answers, and failures that nothing confirms, count only after this many in a row, over at least this time, ms. */
const LASTING_LIMIT = 4;
const LASTING_MS = 60_000;

/** Counts answers of one kind in a row: a single one may come from a proxy. */
export class LastingAnswers {
	private count = 0;

	private since = 0;

	isEnough(now: number): boolean {
		if (this.count++ === 0) this.since = now;
		return this.count >= LASTING_LIMIT && now - this.since >= LASTING_MS;
	}

	reset(): void {
		this.count = 0;
	}
}
