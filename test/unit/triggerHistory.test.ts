/** Each finished request of a watched account starts the workflow once; test/engine/triggers/trigger.test.ts has the restarts, outages and long histories. */
import {
	evaluateReading,
	historyState,
	MAX_UNFINISHED_MS,
	type PollReading,
	type HistoryState,
} from '../../nodes/SegmindTrigger/historyState';
import type { HistoryRow } from '../../nodes/shared/service/schemas';

const START = Date.parse('2026-11-20T22:00:00Z');
const at = (minutes: number) => START + minutes * 60_000;
const row = (request_id: string, created_at?: number, status = 'COMPLETED') =>
	({ request_id, created_at, status }) as HistoryRow;

test.each(['x', '__proto__', 'constructor'])(
	'a row %s without a time starts the workflow once',
	(id) => {
		let state: HistoryState = { mark: at(0) - MAX_UNFINISHED_MS, seen: [] };
		const ids: string[] = [];
		for (let minute = 0; minute < 600; minute += 5) {
			const judged = evaluateReading(state, { rows: [row(id)], end: 'enough' }, at(minute));
			state = historyState.parse(JSON.parse(JSON.stringify(judged.state)));
			ids.push(...judged.ended.map(([first]) => first.request_id));
		}
		expect(ids).toEqual([id]);
	},
);

test('the stored state is bounded, and nothing is emitted twice, however many rows a page has', () => {
	const rows = Array.from({ length: 200_000 }, (_unused, index) => row(`${index}`, at(0) - index));
	const first = { mark: at(-180), seen: [] };
	const { state, ended } = evaluateReading(first, { rows, end: 'cut' }, at(1));
	expect([ended.length, state.seen.length]).toEqual([199_999, 5_000]);
	expect(evaluateReading(state, { rows, end: 'enough' }, at(2)).ended).toEqual([]);
});

test.each<[string, HistoryRow, PollReading['end'], number]>([
	['a finished request', row('a', at(-100)), 'enough', -15],
	[
		'a request that has run for less than three hours',
		row('a', at(-170), 'RUNNING'),
		'enough',
		-170,
	],
	['a request that has run for longer', row('a', at(-190), 'RUNNING'), 'enough', -15],
	['a running request without a time', row('a', undefined, 'RUNNING'), 'enough', -15],
	['a reading that was interrupted', row('a', at(-100)), 'cut', -600],
])('%s: the next poll reads back to that time', (_what, one, end, minutes) => {
	const { state } = evaluateReading({ mark: at(-600), seen: [] }, { rows: [one], end }, at(0));
	expect(state.mark).toBe(at(minutes));
});
