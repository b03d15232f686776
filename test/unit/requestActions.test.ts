/** What an error says about the charge when an action on an accepted request, such as canceling it, fails. No operation does such an action yet. */
import { VirtualClock } from '../../dev/simulation/virtualClock';
import { changeManaged } from '../../nodes/shared/manage/managedCalls';
import type { Run } from '../../nodes/shared/run/run';
import type { CallOutcome } from '../../nodes/shared/service/http';

const rejected: CallOutcome = {
	kind: 'response',
	status: 403,
	headers: { 'content-type': 'application/json' },
	body: Buffer.from('{"detail":"not allowed"}'),
};
const refused: CallOutcome = { kind: 'refused', reason: 'ECONNREFUSED' };
const earlierItem = { message: 'Wrong key', advice: 'Enter the key.' };
const watch = { sending: () => undefined, notAccepted: () => undefined };

async function change(client: object, requestId: string | undefined): Promise<unknown> {
	const ownMembers = {
		clock: new VirtualClock(),
		redact: (text: string) => text,
		rememberIfFatal: (failure: Error) => failure,
	};
	const run = { client: { ...ownMembers, ...client } } as unknown as Run;
	const call = { method: 'POST', url: 'http://127.0.0.1/cancel', headers: {} } as const;
	const action = { subject: 'canceling the request', requestId, doneTwice: 'harmless' } as const;
	return await changeManaged(run, call, action, watch);
}

describe.each<[what: string, client: object]>([
	['was rejected', { send: async () => await Promise.resolve(rejected) }],
	['did not reach Segmind', { send: async () => await Promise.resolve(refused) }],
	['was not sent, because an earlier item failed', { fatalFailure: earlierItem }],
])('when an action %s', (_what, client) => {
	test.each([
		['an accepted request', 'r-1', 'chargedIfCompletes'],
		['no request', undefined, 'none'],
	])(
		'the error of an action on %s with the ID %p has the charge %s',
		async (_onWhat, requestId, charge) => {
			await expect(change(client, requestId)).rejects.toMatchObject({
				facts: { charge, requestId },
			});
		},
	);
});
