import { sleep } from 'n8n-workflow';

import { firstList, isObject, listIn } from '../../nodes/shared/service/schemas';
import type { Exchange } from '../engine/wire';
import { callsTo, check, forms, notSeen, type Probe } from './checks';
import type { Lab } from '../engine/lab';
import { own, show } from './shown';

const HISTORY = '/inference-request/request-history';
const ROW =
	'request_id model_name model_status credits_deduction:any request_body:any generation_url:any created_at:time';
const TWO_DAYS_MS = 48 * 3_600_000;

/** Reads rows of the history, newest first. */
async function read(lab: Lab, query: string, rows = 2): Promise<void> {
	const all = `per_page=${rows}&sort_by=model_created&sort_order=desc&${query}`;
	await lab.get('endpointAdminUrl', `${HISTORY}?${all}`);
}

const rowsIn = (call?: Exchange) => firstList(call?.json).filter(isObject);

/** The rows of the last reading whose query has this in it. */
const rowsBy = (calls: readonly Exchange[], query: string) =>
	rowsIn(
		callsTo(calls, `GET ${HISTORY}$`)
			.filter(({ url }) => url.search.includes(`&${query}`))
			.at(-1),
	);

/** What the service obeys of a query. */
function obeyed(calls: readonly Exchange[]): Record<string, boolean> {
	const [zero, one, two] = [0, 1, 2].map((page) => rowsBy(calls, `page=${page}`));
	const id = one[0]?.request_id;
	const model = one[0]?.model_name;
	return {
		per_page: one.length <= 2,
		// There is no page 0, or it's the first one.
		page: (zero[0]?.request_id ?? id) === id && two[0]?.request_id !== id,
		status: rowsBy(calls, 'status=').every(({ model_status }) => model_status === 'FAILED'),
		from_date: rowsBy(calls, 'from_date=').length === 0,
		model_name: rowsBy(calls, 'model_name=').every(({ model_name }) => model_name === model),
	};
}

export const history: Probe = {
	name: 'request history',
	async run(lab) {
		const later = new Date(Date.now() + TWO_DAYS_MS).toISOString().slice(0, 10);
		const queries = ['page=2', 'page=0', 'status=FAILED', `from_date=${later}`, 'page=1'];
		for (const query of queries) await read(lab, query);
		const [row] = rowsBy(lab.wire.exchanges, 'page=1');
		if (row === undefined) return;
		const [model, id] = [row.model_name, row.request_id].map((name) =>
			encodeURIComponent(String(name)),
		);
		await read(lab, `model_name=${model}`);
		await lab.get('endpointAdminUrl', `${HISTORY}/${id}`);
	},
	checks: [
		check('S260', 'the query is obeyed, pages from 1', `GET ${HISTORY}$`, (body, _, calls) => {
			if (listIn(body)?.length === 0) return notSeen(show`an empty list`);
			const broken = Object.entries(obeyed(calls)).filter(([, isObeyed]) => !isObeyed);
			const isGood = listIn(body) !== undefined && broken.length === 0;
			return [isGood, show`not obeyed: ${own(...broken.map(([name]) => name))}`];
		}),
		...forms(`
			S261 | GET ${HISTORY}$ | 200 | ${ROW} | 0
			S263 | GET ${HISTORY}/ | 200 | ${ROW}`),
	],
};

/** The row of a request and when it was read, ms since the epoch. */
export function rowOf(calls: readonly Exchange[], id: unknown) {
	const readings = callsTo(calls, `GET ${HISTORY}$`).map((call) => ({
		readAt: call.sentAt,
		row: rowsIn(call).find(({ request_id }) => request_id === id),
	}));
	return readings.find(({ row }) => row);
}

/** Reads the history every three seconds until the request has a row, for a minute. */
export async function waitForRow(lab: Lab, id: string): Promise<void> {
	for (let tries = 0; tries < 20 && !lab.target.signal.aborted; tries++) {
		await read(lab, 'page=1', 20);
		if (rowOf(lab.wire.exchanges, id)) return;
		await sleep(3_000);
	}
}
