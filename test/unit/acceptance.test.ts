/** Whether a response shows that a chargeable call was accepted, which decides whether the call may be resent. */
import { lossOf } from '../../nodes/shared/service/loss';
import { isSuccess, type CallOutcome } from '../../nodes/shared/service/http';

const OWN_ERROR = { error: 'no' };
const PAGE = '<html>';

const kindOf = (outcome: CallOutcome) => (isSuccess(outcome) ? 'accepted' : lossOf(outcome));
const responseOf = (status: number, body: unknown): CallOutcome => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return { kind: 'response', status, headers: {}, body: Buffer.from(text) };
};

it.each<[number, unknown, ReturnType<typeof kindOf>]>([
	[200, {}, 'accepted'],
	[202, PAGE, 'accepted'],
	[400, OWN_ERROR, 'none'],
	[404, PAGE, 'none'],
	[429, '', 'none'],
	[503, OWN_ERROR, 'none'],
	[503, PAGE, 'none'],
	// For 500 and 501, only an error in the service's own format is a rejection; anything else may come from a gateway.
	[500, OWN_ERROR, 'none'],
	[500, { message: 'Internal server error' }, 'gateway'],
	[500, { error: '' }, 'gateway'],
	[500, PAGE, 'gateway'],
	[501, [], 'gateway'],
	// The service itself never returns 502. It may return any 4xx, which is free.
	[502, OWN_ERROR, 'gateway'],
	[408, OWN_ERROR, 'none'],
	[408, { message: 'timed out' }, 'gateway'],
	[499, OWN_ERROR, 'none'],
	[499, '', 'gateway'],
])('HTTP %i with %j: %s', (status, body, kind) => {
	expect(kindOf(responseOf(status, body))).toBe(kind);
});

it('a missing response leaves the outcome unknown; a request that was not sent was not accepted', () => {
	expect(kindOf({ kind: 'lost', reason: '' })).toBe('connection');
	for (const kind of ['deadlinePassed', 'refused', 'unsent'] as const)
		expect(kindOf({ kind, reason: '' })).toBe('none');
});
