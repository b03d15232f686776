/** A request as the node reported it while waiting. Times in ms since the epoch. */
export interface RequestProgress {
	requestId: string;
	/** The status in the service's own word. */
	state: string;
	acceptedAt: number;
	/** Undefined while the request is running. */
	endedAt?: number;
}

const ENDED = ['COMPLETED', 'FAILED'];
/** Matches the progress messages that Segmind nodes send to the editor, such as "Segmind, item 0: request 9f… accepted" and "… is PROCESSING". */
const PROGRESS_MESSAGE = /^Segmind, item (\d+): request (\S+) (?:accepted|is (\S+))$/;

/** Prints the progress of one execution's requests, one line per change. `firstItem` is the number of its first item in the table. */
export function showProgress(title: string, firstItem: number, say: (line: string) => void) {
	const requests = new Map<number, RequestProgress>();
	const startedAt = Date.now();
	const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`.padStart(7);
	return {
		/** By item index. */
		requests,
		/** Receives a message of a node. */
		onMessage(message: string): void {
			const [, index, requestId, word] = PROGRESS_MESSAGE.exec(message) ?? [];
			if (index === undefined) return;
			const now = Date.now();
			const state = word ?? 'QUEUED';
			const { acceptedAt = now } = requests.get(Number(index)) ?? {};
			requests.set(Number(index), {
				requestId,
				state,
				acceptedAt,
				...(ENDED.includes(state) && { endedAt: now }),
			});
			say(`${elapsed()}  item ${firstItem + Number(index)}: request ${requestId} ${state}`);
		},
		/** Prints a summary, by default the number of requests in each state. */
		end: (text = summary(requests)) => say(`${title} ${elapsed()}  ${text}`),
	};
}

/** "1 queued, 3 processing, 2 completed" */
function summary(requests: ReadonlyMap<number, RequestProgress>): string {
	const counts = new Map<string, number>();
	for (const { state } of requests.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
	if (counts.size === 0) return 'nothing sent';
	return [...counts].map(([state, count]) => `${count} ${state.toLowerCase()}`).join(', ');
}
