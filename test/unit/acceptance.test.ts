/** What an answer to a call that costs says: whether it may be sent again hangs on it. */
import { acceptanceIn, type Acceptance } from '../../nodes/shared/request/submit/acceptance';
import type { Submission } from '../../nodes/shared/request/submit/submission';
import type { HttpAnswer } from '../../nodes/shared/service/http';
import type { Sent } from '../../nodes/shared/service/retry';

const GENERATION = {} as Submission;
const CREATION = { managed: { idOf: 'endpoint', whereToLook: '' } } as Submission;
const OWN = { error: 'no' };
const PAGE = '<html>';

const kindOf = (sent: Sent, submission = GENERATION) => acceptanceIn(sent, submission).kind;
const answered = (status: number, body: unknown, more: Partial<HttpAnswer> = {}): Sent => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return { kind: 'answer', answer: { status, headers: {}, body: Buffer.from(text), ...more } };
};

it.each<[number, unknown, Acceptance['kind']]>([
	[200, {}, 'answered'],
	[202, PAGE, 'answered'],
	[400, OWN, 'refused'],
	[404, PAGE, 'refused'],
	[429, '', 'refused'],
	[503, OWN, 'refused'],
	[503, PAGE, 'refused'],
	// The service in its own words; anything else may stand in its place.
	[500, OWN, 'refused'],
	[500, { message: 'Internal server error' }, 'gateway'],
	[500, { error: '' }, 'gateway'],
	[500, PAGE, 'gateway'],
	[501, [], 'gateway'],
	// These it never gives itself.
	[502, OWN, 'gateway'],
	[504, OWN, 'gateway'],
	[408, OWN, 'gateway'],
	[524, OWN, 'gateway'],
])('HTTP %i with %j: %s', (status, body, kind) => {
	expect(kindOf(answered(status, body))).toBe(kind);
});

it('what manages an endpoint or a training promises nothing with its own words', () => {
	expect(kindOf(answered(500, OWN), CREATION)).toBe('gateway');
	expect(kindOf(answered(400, OWN), CREATION)).toBe('refused');
});

it('an error that did not end within its size, and no answer, say nothing; what was not sent was not accepted', () => {
	expect(kindOf(answered(500, '', { exceeds: 1_000 }))).toBe('lost');
	const fault = { kind: 'lost', reason: '' } as const;
	expect(kindOf({ kind: 'lost', fault })).toBe('lost');
	expect(kindOf({ kind: 'late' })).toBe('refused');
	expect(kindOf({ kind: 'unreachable', fault: { kind: 'refused', reason: '' } })).toBe('refused');
});
