import { sleep } from 'n8n-workflow';

import { firstList, isObject, listIn } from '../../nodes/shared/service/schemas';
import { timeOf } from '../../nodes/shared/service/timeText';
import { callsTo, check, forms, jsonOf, notSeen, type Probe } from './checks';
import type { Lab } from './lab';
import { formOf, own, show } from './shown';
import type { Exchange } from './wire';

const HISTORY = '/inference-request/request-history';
const ROW =
	'request_id model_name model_status credits_deduction:any request_body:any generation_url:any latency_ms:any error:any';
const TWO_DAYS_MS = 48 * 3_600_000;

/** Reads rows of the history, newest first. */
async function readHistory(lab: Lab, query: Record<string, string>): Promise<void> {
	const all = { per_page: '2', sort_by: 'model_created', sort_order: 'desc', ...query };
	await lab.get('endpointAdminUrl', `${HISTORY}?${new URLSearchParams(all).toString()}`);
}

function rowsIn(call: Exchange | undefined): Array<Record<string, unknown>> {
	return firstList(jsonOf(call)).filter(isObject);
}

/** The rows that a reading with a member in its query gave. */
function rowsBy(calls: readonly Exchange[], name: string, value?: string) {
	const isMeant = ({ url: { searchParams: query } }: Exchange) =>
		value === undefined ? query.has(name) : query.get(name) === value;
	return rowsIn(callsTo(calls, `GET ${HISTORY}$`).filter(isMeant).at(-1));
}

/** Which members of the query the service doesn't obey. */
function disobeyed(calls: readonly Exchange[]): string[] {
	const [zero, one, two] = ['0', '1', '2'].map((page) => rowsBy(calls, 'page', page));
	const id = one[0]?.request_id;
	const obeyed = {
		per_page: one.length <= 2,
		// There is no page 0, or it's the first one.
		page: (zero[0]?.request_id ?? id) === id && two[0]?.request_id !== id,
		status: rowsBy(calls, 'status').every(({ model_status }) => model_status === 'FAILED'),
		from_date: rowsBy(calls, 'from_date').length === 0,
		model_name: rowsBy(calls, 'model_name').every((row) => row.model_name === one[0]?.model_name),
	};
	return Object.entries(obeyed).flatMap(([name, isObeyed]) => (isObeyed ? [] : [name]));
}

export const history: Probe = {
	name: 'request history',
	async run(lab) {
		const from_date = new Date(Date.now() + TWO_DAYS_MS).toISOString().slice(0, 10);
		const queries: Array<Record<string, string>> = [
			{ page: '2' },
			{ page: '0' },
			{ status: 'FAILED' },
			{ from_date },
			{ page: '1' },
		];
		for (const query of queries) await readHistory(lab, query);
		const [row] = rowsBy(lab.wire.exchanges, 'page', '1');
		if (row === undefined) return;
		await readHistory(lab, { model_name: String(row.model_name) });
		await lab.get('endpointAdminUrl', `${HISTORY}/${encodeURIComponent(String(row.request_id))}`);
	},
	checks: [
		check(
			'S260',
			'pages begin at 1, and the query is obeyed',
			`GET ${HISTORY}$`,
			(body, _, calls) => {
				if (listIn(body)?.length === 0) return notSeen(show`an empty list`);
				const broken = disobeyed(calls);
				return [
					listIn(body) !== undefined && broken.length === 0,
					show`not obeyed: ${own(...broken)}`,
				];
			},
		),
		...forms(`
			S261 | GET ${HISTORY}$ | 200 | ${ROW} created_at:any | 0
			S263 | GET ${HISTORY}/ | 200 | ${ROW} created_at:any`),
		check('S264', 'times can be read', `GET ${HISTORY}$`, (body) => {
			const [row] = firstList(body).filter(isObject);
			if (row?.created_at === undefined) return notSeen(show`no time`);
			return [timeOf(row.created_at) !== undefined, formOf(row.created_at)];
		}),
	],
};

/** The row of a request and when it was read, ms since the epoch. */
export function rowOf(calls: readonly Exchange[], id: unknown) {
	const reading = callsTo(calls, `GET ${HISTORY}$`).find((call) =>
		rowsIn(call).some(({ request_id }) => request_id === id),
	);
	const row = rowsIn(reading).find(({ request_id }) => request_id === id);
	return reading && row ? { row, readAt: reading.sentAt } : undefined;
}

/** Reads the history every three seconds until the request has a row, for a minute. */
export async function waitForRow(lab: Lab, id: string): Promise<void> {
	for (let tries = 0; tries < 20 && !lab.target.signal.aborted; tries++) {
		await readHistory(lab, { per_page: '20' });
		if (rowOf(lab.wire.exchanges, id)) return;
		await sleep(3_000);
	}
}
