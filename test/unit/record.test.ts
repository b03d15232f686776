/** Adopting a row of the request history claims it in the same tick, so two searches that found the same row never both get it. */
import type { Entry } from '../../nodes/shared/journal/entry';
import { RequestRecord } from '../../nodes/shared/request/record';
import type { RunSession } from '../../nodes/shared/run/session';

/** Returns the record of an item whose response was lost, and the journal's entry in `held`. */
function lostRequest(id: string) {
	const held: { entry?: Entry } = { entry: { is: 'sent', id, at: 1, by: 'ours', lostAt: 2 } };
	const journal = {
		get entry() {
			return held.entry;
		},
		write: (entry: Entry | undefined) => void (held.entry = entry),
	};
	const session = {
		journal: { ofItem: () => journal },
		clock: { now: () => 3 },
		context: {
			logger: { info: () => undefined },
			getExecutionId: () => '1',
			getMode: () => 'trigger',
		},
		node: { name: 'Segmind' },
		redact: (text: string) => text,
		requestIds: new Map(),
		resumedItems: new Map(),
	} as unknown as RunSession;
	return {
		held,
		record: new RequestRecord(session, { itemIndex: 0, subject: "model 'a'", idOf: 'request' }),
	};
}

test('the second of two searches that found the same row does not adopt it', () => {
	const ref = { request_id: 'request of the record test' };
	const [one, other] = [lostRequest('call-1'), lostRequest('call-2')];
	expect(one.record.adopt('call-1', ref)).toBe(true);
	expect(other.record.adopt('call-2', ref)).toBe(false);
	expect(one.held.entry).toMatchObject({ is: 'accepted', ref });
	expect(other.held.entry).toMatchObject({ is: 'sent' });
});

test('a late response belongs to its request, even if its ID is already claimed', () => {
	const ref = { request_id: 'another request of the record test' };
	const [one, same] = [lostRequest('call-3'), lostRequest('call-3')];
	expect(one.record.adopt('call-3', ref, true)).toBe(true);
	expect(same.record.adopt('call-3', ref, true)).toBe(true);
});
