/** When a request may be sent again, for every search result and outcome of polling. */
import type { RequestEnd } from '../../nodes/shared/request/poll/requestEnd';
import { isFreeAfterGateway, mayResend, replacementReason } from '../../nodes/shared/request/rules';
import type { SearchResult } from '../../nodes/shared/request/submission';

const CANDIDATES: SearchResult = { kind: 'candidates', candidates: ['request-3'] };
const NONE: SearchResult = { kind: 'none' };
const UNREAD: SearchResult = { kind: 'outOfReach' };
const NO_HISTORY: SearchResult = { kind: 'noHistory' };
const UNDER_WAY: SearchResult = { kind: 'underWay' };

test.each([
	['reference', 'https://api.segmind.com/', true],
	['output', 'https://api.segmind.com', false],
	['reference', 'https://segmind.company.test', false],
] as const)(
	'after a response of a gateway, a call that returns its %s at %s is free: %p',
	(responds, baseUrl, expected) => {
		expect(isFreeAfterGateway(responds, baseUrl)).toBe(expected);
	},
);

/** By whom the response was lost: the connection, a gateway, the connection with Send Again If Unsure. */
test.each<[string, SearchResult, [boolean, boolean, boolean]]>([
	['candidates', CANDIDATES, [false, false, true]],
	['not found', NONE, [false, true, true]],
	['unread', UNREAD, [false, false, true]],
	['no history', NO_HISTORY, [false, true, true]],
	// The response to this call or to an identical one will show the outcome.
	['under way', UNDER_WAY, [false, false, false]],
])('an earlier request whose response was lost: %s', (_what, searchResult, expected) => {
	const may = (isFreeIfAbsent: boolean, sendAgainIfUnsure: boolean) =>
		mayResend(searchResult, { isFreeIfAbsent, sendAgainIfUnsure });
	expect([may(false, false), may(true, false), may(false, true)]).toEqual(expected);
});

const expired = { kind: 'missing', isReported: true, isLive: false, history: 'none' } as const;
test.each<[string, RequestEnd, 'failed' | undefined, 'failed' | 'expired' | undefined]>([
	['failed', { kind: 'failed', reason: 'no' }, 'failed', 'failed'],
	['expired', expired, undefined, 'expired'],
	['unfinished when it expired', { ...expired, history: 'unfinished' }, undefined, 'expired'],
	['expired with a text', { ...expired, history: 'completedWithoutFile' }, undefined, undefined],
	['history out of reach', { ...expired, history: 'outOfReach' }, undefined, undefined],
	['not found, as a proxy says', { ...expired, isReported: false }, undefined, undefined],
	['missing within its hour', { ...expired, isLive: true }, undefined, undefined],
	['unfinished', { kind: 'unfinished' }, undefined, undefined],
	['contradicted', { kind: 'contradicted', reason: '' }, undefined, undefined],
])('an accepted request of an earlier attempt: %s', (_what, outcome, cautious, unsure) => {
	const reason = (sendAgainIfUnsure: boolean, hasCompleted = false) =>
		replacementReason(outcome, { sendAgainIfUnsure, hasCompleted });
	expect([reason(false), reason(true)]).toEqual([cautious, unsure]);
	// A completed request is charged, whatever is seen later.
	expect([reason(false, true), reason(true, true)]).toEqual([undefined, undefined]);
});
