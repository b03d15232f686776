/** Matches the progress messages that Segmind nodes send to the editor, such as "Segmind, item 1: request 9f… accepted" and "… is PROCESSING". */
const PROGRESS_MESSAGE = /^Segmind, item (\d+): request (\S+) (?:accepted|is (\S+))$/;

/** Prints the progress of one execution's requests, one line per change. `firstItem` is the number of its first item. */
export function showProgress(title: string, firstItem: number, say: (line: string) => void) {
	const startedAt = Date.now();
	const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`.padStart(7);
	return {
		/** Receives a message of a node. */
		onMessage(message: string): void {
			const [, item, requestId, state = 'QUEUED'] = PROGRESS_MESSAGE.exec(message) ?? [];
			if (item !== undefined)
				say(`${elapsed()}  item ${firstItem + Number(item) - 1}: request ${requestId} ${state}`);
		},
		/** Prints a summary. */
		end: (text: string) => say(`${title} ${elapsed()}  ${text}`),
	};
}
