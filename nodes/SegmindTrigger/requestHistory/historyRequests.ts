import type { ScanRow } from './historyScan';

/** Requests in the rows of the history. Pure. */

/** A row with what the state needs of it. */
export interface HistoryEntry extends ScanRow {
	state: 'running' | 'completed' | 'failed';
	/** Slug of the model or workflow; '' when the row does not say. */
	model: string;
}

/** A request with its rows, one for each file. */
export interface HistoryRequest<Row extends HistoryEntry> {
	id: string;
	/** When it was made, ms since the epoch; undefined when the row does not say. */
	madeAt: number | undefined;
	rows: Row[];
	state: HistoryEntry['state'];
}

export interface FinishedRequest<Row extends HistoryEntry>
	extends Omit<HistoryRequest<Row>, 'state'> {
	status: 'COMPLETED' | 'FAILED';
}

/** Groups rows by request. A request runs while one of its rows does, and failed when none of them completed. */
export function requestsOf<Row extends HistoryEntry>(rows: Row[]): Array<HistoryRequest<Row>> {
	const byId = new Map<string, Row[]>();
	for (const row of rows) {
		const known = byId.get(row.id);
		if (known) known.push(row);
		else byId.set(row.id, [row]);
	}
	return [...byId].map(([id, own]) => {
		const has = (state: HistoryEntry['state']) => own.some((row) => row.state === state);
		const state = has('running') ? 'running' : has('completed') ? 'completed' : 'failed';
		return { id, madeAt: own[0].madeAt, rows: own, state };
	});
}

/** Those that no longer run. */
export function finishedOf<Row extends HistoryEntry>(
	requests: Array<HistoryRequest<Row>>,
): Array<FinishedRequest<Row>> {
	return requests.flatMap(({ state, ...request }) =>
		state === 'running'
			? []
			: [{ ...request, status: state === 'completed' ? 'COMPLETED' : 'FAILED' }],
	);
}
