import { SegmindFailure } from '../../nodes/shared/base/failure';
import {
	explainStatus,
	type CallPurpose,
	type StatusCase,
} from '../../nodes/shared/service/statusMessages';

const factsOf = (found: StatusCase) => new SegmindFailure(explainStatus(found)).facts;
const explain = (status: number, reason = '', purpose: CallPurpose = 'submit') =>
	factsOf({ purpose, status, reason, subject: "model 'flux-2-pro'" });

/** Every refusal that is known; 406 by its four causes. */
const REFUSALS: Array<[number, string, RegExp]> = [
	[400, '', /malformed/],
	[401, '', /key was not accepted/],
	[402, '', /balance/],
	[403, '', /may not use/],
	[404, '', /no such name/],
	[405, '', /method/],
	[406, 'Invalid content type', /content type/],
	[406, 'Insufficient credits. You have 0.0 credits', /not enough credits/],
	[406, 'Parameter steps is out of range', /parameter was not accepted/],
	[406, 'Team spend limit reached', /spend limit of the team/],
	[410, '', /retired/],
	[422, '', /inputs were refused/],
	[429, '', /rate limit/],
	[500, '', /service failed/],
	[502, '', /gateway/],
	[504, '', /in time/],
];

describe('a known status', () => {
	it.each(REFUSALS)(
		'%i %p says what happened, what it costs and what to do',
		(status, reason, what) => {
			const { message, description, httpCode } = explain(status, reason);
			expect(message).toMatch(what);
			expect(message).toMatch(/^Model 'flux-2-pro': /);
			expect(message).toContain(`HTTP ${status}`);
			expect(message).toContain(reason);
			expect(description).toMatch(/^Nothing was charged\. \S.{15,}\.$/);
			expect(httpCode).toBe(status);
		},
	);

	it('has a sentence of its own', () => {
		const sentences = REFUSALS.map(([status, reason]) =>
			explain(status, reason).message.replace(/\(HTTP \d+\).*/, ''),
		);
		expect(new Set(sentences).size).toBe(REFUSALS.length);
	});

	it.each<[number, string, boolean]>([
		[401, '', true],
		[402, '', true],
		[406, 'Insufficient credits', true],
		[406, 'Your team has reached its monthly limit', true],
		[406, 'Invalid content type', false],
		[406, 'steps exceeds the limit of 50', false],
		[406, '', false],
		[403, '', false],
		[404, '', false],
		[429, '', false],
		[500, '', false],
	])('%i %p stops the items that are not sent yet: %p', (status, reason, isFatal) => {
		expect(explain(status, reason).fatal === true).toBe(isFatal);
	});
});

describe('the four causes of 406', () => {
	it.each([
		['Invalid content type', /content type/],
		['invalid Content-Type header', /content type/],
		['Insufficient credits. You have 0.0 credits...', /not enough credits/],
		['Your balance is too low', /not enough credits/],
		['credit limit exceeded', /not enough credits/],
		['spend_limit_exceeded', /spend limit/],
		['Monthly budget of the workspace is used up', /spend limit/],
		['The usage quota is exhausted', /spend limit/],
		['team has reached its limit', /spend limit/],
		['prompt exceeds the limit of 2000 characters', /parameter/],
		['image_url is required', /parameter/],
	])('%p', (reason, what) => {
		expect(explain(406, reason, 'runV1').message).toMatch(what);
	});
});

describe('a refusal', () => {
	it('says of an accepted request that it may still be charged, and names it once', () => {
		for (const purpose of ['status', 'result'] as const) {
			for (const subject of ['request r-1', 'the result']) {
				const found = { purpose, status: 500, reason: 'boom', subject, requestId: 'r-1' };
				const { message, description, requestId } = factsOf(found);
				expect(message.split('r-1')).toHaveLength(2);
				expect(description).toContain('was accepted; it is charged if it completes.');
				expect(description).not.toContain('Nothing was charged');
				expect(requestId).toBe('r-1');
			}
		}
	});

	it('carries the words of the service once', () => {
		expect(explain(500, 'out of memory').message.split('out of memory')).toHaveLength(2);
		expect(explain(404, 'no such name').message.split('no such name')).toHaveLength(2);
	});

	it.each([301, 302, 307, 308])('with a redirect (%i) says why it was not followed', (status) => {
		expect(explain(status).message).toMatch(/redirect.*not followed.*key/);
	});

	it.each([409, 418, 451, 503, 505, 529])(
		'of another status (%i) is still a sentence with it',
		(status) => {
			const { message, description } = explain(status);
			expect(message).toContain(`HTTP ${status}`);
			expect(description).toMatch(/^Nothing was charged\. \S/);
		},
	);

	it('by 404 advises by what was called', () => {
		const request = { purpose: 'status' as const, status: 404, reason: '' };
		const advice = [
			explain(404).description,
			explain(404, '', 'read').description,
			factsOf({ ...request, subject: 'request r', requestId: 'r' }).description,
		];
		expect(advice[0]).toMatch(/slug/);
		expect(advice[2]).toMatch(/one hour/);
		expect(new Set(advice).size).toBe(3);
	});
});

test.each([406, 422])('HTTP %d without a text does not point to one', (status) => {
	const { description } = factsOf({ purpose: 'submit', status, reason: '', subject: "model 'x'" });
	expect(description).toContain('gave no reason');
	expect(description).not.toContain('the text names');
});
