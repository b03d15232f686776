/** What a record writes when something happens to a request: its entry, the report of the run, and the cost count. */
import type { Entry, SentEntry } from '../../nodes/shared/journal/entry';
import { RequestRecord } from '../../nodes/shared/request/record';
import type { Loss, PreparedRequest, Submission } from '../../nodes/shared/request/submission';
import type { Session } from '../../nodes/shared/run/session';

const trace = { likeness: 'l', fingerprint: { a: 'f' } };
const lost: SentEntry = { is: 'sent', id: 'call-1', at: 1, by: 'ours', lostAt: 2, trace };
const request = { evaluated: 'e', trace } as unknown as PreparedRequest;
const response = { response: { status: 200, headers: {}, body: Buffer.alloc(0) } };
const BROKEN: Loss = { by: 'connection', fault: { kind: 'lost', reason: '' } };
let count = 0;

interface NodeContext {
	segmindCost?: { reservations: Record<string, object> };
}

/** Returns a record whose journal holds an entry, and what it has written. */
function recordOf(entry?: Entry, maximumCost?: number, nodeContext: NodeContext = {}) {
	const held: { entry?: Entry } = { entry };
	const session = {
		journal: {
			credential: 'ours',
			ofItem: () => ({
				get entry() {
					return held.entry;
				},
				sameEntry: entry,
				take: (taken: Entry) => void (held.entry = taken),
				write: (written: Entry | undefined) => void (held.entry = written),
				outputToKeep: ({ json }: { json: object }) => ({ json, presentation: 'p' }),
			}),
		},
		clock: { now: () => 3, sleep: async () => {} },
		context: {
			logger: { info: () => undefined },
			getExecutionId: () => '1',
			getMode: () => 'trigger',
			getContext: () => nodeContext,
		},
		node: { name: 'Segmind' },
		redact: (text: string) => text,
		requestIds: new Map(),
		resumedItems: new Map(),
		hints: new Set(),
	} as unknown as Session;
	const submission = {
		itemIndex: 0,
		subject: "model 'a'",
		responds: 'reference',
		slug: 'a',
		publishedCost: 1,
		presentation: { options: { maximumCost } },
	} as Submission;
	const record = new RequestRecord(session, submission);
	const ref = { request_id: `request ${count++} of the record test` };
	const send = () => {
		record.prepare(request);
		record.sending();
	};
	const accept = () => {
		send();
		record.accepted(ref, response);
	};
	const costs = () => Object.values(nodeContext.segmindCost?.reservations ?? {});
	return { held, record, session, ref, send, accept, costs, nodeContext };
}

describe('the entry', () => {
	test('sent, and the earlier one kept while a resend is under way', () => {
		const { held, send } = recordOf(lost);
		send();
		expect(held.entry).toMatchObject({ is: 'sent', at: 3, by: 'ours', evaluated: 'e', trace });
		expect(held.entry).toMatchObject({ earlier: { id: 'call-1' } });
		send();
		expect(held.entry).not.toMatchObject({ earlier: { id: 'call-1' } });
	});

	test('not accepted: the earlier entry returns, or none', () => {
		for (const entry of [lost, undefined]) {
			const { held, record, send } = recordOf(entry);
			send();
			record.notAccepted();
			expect(held.entry).toEqual(entry && { ...entry, earlier: undefined });
			expect(record.sent).toBeUndefined();
		}
	});

	test.each<[Loss, object]>([
		[BROKEN, { lostAt: 3 }],
		[
			{ by: 'gateway', response: response.response },
			{ lostAt: 3, gateway: true },
		],
	])('lost: %j', (loss, expected) => {
		const { held, record, session, send } = recordOf(lost);
		send();
		record.lost(loss);
		expect(held.entry).toMatchObject({ is: 'sent', ...expected });
		expect(held.entry).not.toHaveProperty('gateway', loss.by !== 'gateway');
		expect(session.hints.size).toBe(1);
	});

	test('accepted, completed, delivered', () => {
		const { held, record, session, ref, accept } = recordOf();
		accept();
		expect(held.entry).toMatchObject({ is: 'accepted', evaluated: 'e', ref });
		expect(session.requestIds.get(0)).toBe(ref.request_id);
		record.onStatus('COMPLETED');
		expect(held.entry?.is).toBe('done');
		record.delivered(held.entry?.id ?? '', { json: { url: 'a' } });
		expect(held.entry).toMatchObject({ is: 'done', ref, output: { json: { url: 'a' } } });
	});

	test('failed: dropped, unless it had completed or is another call', () => {
		const { held, record, accept } = recordOf();
		accept();
		const id = held.entry?.id ?? '';
		expect(record.drop('another', 'failed')).toBe(false);
		expect(record.drop(id, 'failed')).toBe(true);
		expect(held.entry).toBeUndefined();
		accept();
		record.onStatus('COMPLETED');
		expect(record.drop(held.entry?.id ?? '', 'failed')).toBe(false);
		expect(held.entry?.is).toBe('done');
	});

	test('an event of another call changes nothing', () => {
		const { held, record, send } = recordOf();
		send();
		held.entry = lost;
		record.lost(BROKEN);
		record.accepted({ request_id: 'request of another call' }, response);
		record.notAccepted();
		expect(held.entry).toBe(lost);
	});
});

describe('a row of the history', () => {
	test('the second of two searches that found the same row does not adopt it', () => {
		const [one, other] = [recordOf(lost), recordOf({ ...lost, id: 'call-2' })];
		expect(one.record.adopt('call-1', one.ref)).toBe(true);
		expect(other.record.adopt('call-2', one.ref)).toBe(false);
		expect(one.held.entry).toMatchObject({ is: 'accepted', ref: one.ref });
		expect(other.held.entry).toMatchObject({ is: 'sent' });
		expect(one.session.resumedItems.get(0)).toBe('found');
	});

	test('a late response belongs to its request, even if its ID is already claimed', () => {
		const [one, same] = [recordOf(lost), recordOf(lost)];
		expect(one.record.adopt('call-1', one.ref, true)).toBe(true);
		expect(same.record.adopt('call-1', one.ref, true)).toBe(true);
	});
});

describe('the reservation', () => {
	test.each<[string, (one: ReturnType<typeof recordOf>) => void, object[]]>([
		['nothing was sent', () => {}, []],
		[
			'it was rejected',
			({ record, send }) => {
				send();
				record.notAccepted();
			},
			[],
		],
		['it is under way', ({ send }) => send(), [{ estimate: 1 }]],
		['it is not waited for', ({ accept }) => accept(), [{ estimate: 1 }]],
		[
			'it finished',
			({ record, held, accept }) => {
				accept();
				record.finished(held.entry?.id ?? '', 2);
			},
			[{ estimate: 1, cost: 2 }],
		],
		[
			'it failed',
			({ record, held, accept }) => {
				accept();
				record.drop(held.entry?.id ?? '', 'failed');
			},
			[],
		],
	])('%s', async (_what, happen, left) => {
		const one = recordOf(undefined, 5);
		await one.record.reserve();
		happen(one);
		one.record.close();
		expect(one.costs()).toMatchObject(left);
	});

	test('an earlier attempt lost the response, and this one sends nothing', async () => {
		const first = recordOf(undefined, 5);
		await first.record.reserve();
		first.send();
		first.record.lost(BROKEN);
		first.record.close();
		const { record, costs } = recordOf(first.held.entry, 5, first.nodeContext);
		await record.resume(async () => await Promise.resolve('e'));
		record.close();
		expect(costs()).toMatchObject([{ estimate: 1 }]);
	});

	test('it was rejected, and an earlier request is still open', async () => {
		const { record, send, costs } = recordOf(lost, 5);
		await record.reserve();
		send();
		record.notAccepted();
		record.close();
		expect(costs()).toEqual([]);
	});
});
