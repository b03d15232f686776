const WINDOW_MS = 60_000;
const MOST = 30;

/** Counts the lines that a node writes into the log, so that nobody can fill it from outside. */
class Lines {
	private windowEndsAt = 0;

	private written = 0;

	/** What becomes of the next line; `now` in ms since the epoch. */
	next(now: number): 'written' | 'last' | 'left out' {
		if (now >= this.windowEndsAt) {
			this.windowEndsAt = now + WINDOW_MS;
			this.written = 0;
		}
		this.written++;
		if (this.written > MOST) return 'left out';
		return this.written === MOST ? 'last' : 'written';
	}
}

const byNode = new Map<string, Lines>();

/** The lines of a node, by what tells it within the whole n8n. */
export function linesOf(scope: string): Lines {
	const lines = byNode.get(scope) ?? new Lines();
	byNode.set(scope, lines);
	return lines;
}
