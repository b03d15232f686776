import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { VirtualClock } from '../../dev/simulation/virtualClock';
import { callService, type HttpCall } from '../../nodes/shared/service/http';
import { TimeLimits, endOfCall, type Sending } from '../../nodes/shared/service/timeLimits';

const LIMIT_MS = 300_000;

/** A call whose body is sent piece by piece; gives the time it was ended at, ms after its start, if it was. */
function sendingFor(clock: VirtualClock, limitMs = LIMIT_MS) {
	const startedAt = clock.now();
	const sending: Sending = { lastPieceAt: startedAt, isComplete: false };
	const ended: { at?: number } = {};
	const unwatch = new TimeLimits(clock).watch(
		() => endOfCall(startedAt, limitMs, sending, 0),
		() => (ended.at = clock.now() - startedAt),
	);
	const piece = () => (sending.lastPieceAt = clock.now());
	return { sending, ended, piece, unwatch };
}

test('an upload may take as long as it makes progress, and its answer as long as the limit after the last byte', async () => {
	const clock = new VirtualClock();
	const { sending, ended, piece } = sendingFor(clock);
	// 200 MB at 5 Mbit/s take 320 s; ten times that, with half a minute between pieces.
	for (let sent = 0; sent < 100; sent++) {
		await clock.advance(30_000);
		piece();
	}
	expect(ended.at).toBeUndefined();
	sending.isComplete = true;
	await clock.advance(LIMIT_MS - 1_000);
	expect(ended.at).toBeUndefined();
	await clock.advance(2_000);
	expect(ended.at).toBeGreaterThan(100 * 30_000);
});

test('an upload that stalls is ended after a minute', async () => {
	const clock = new VirtualClock();
	const { ended, piece } = sendingFor(clock);
	await clock.advance(50_000);
	piece();
	await clock.advance(59_000);
	expect(ended.at).toBeUndefined();
	await clock.advance(2_000);
	expect(ended.at).toBeGreaterThanOrEqual(110_000);
});

test('a body that is sent in one piece has the limit from its start, and more the larger it is', () => {
	expect(endOfCall(0, 60_000, undefined, 0)).toBe(60_000);
	// 10 MB on the slowest line expected take 160 s.
	expect(endOfCall(0, 60_000, undefined, 10_000_000)).toBeGreaterThan(200_000);
});

test('a call that ended is left alone, and nothing goes on running', async () => {
	const clock = new VirtualClock();
	const { ended, unwatch } = sendingFor(clock);
	unwatch();
	await clock.advance(10 * LIMIT_MS);
	expect(ended.at).toBeUndefined();
	await clock.settle();
});

/** The library counts from the start of a call (docs/n8n.md N117): it must not end what our own limit lets go on. */
test.each<[string, Partial<HttpCall>, number]>([
	['a short body', { body: '{}' }, 60_000],
	['10 MB in one piece', { body: 'x'.repeat(10_000_000) }, 200_000],
	['a stream', { sending: { lastPieceAt: 0, isComplete: false } }, 12 * 3_600_000],
])('the HTTP library gets a limit that is long enough for %s', async (_what, more, least) => {
	const clock = new VirtualClock();
	const asked: IHttpRequestOptions[] = [];
	const helpers = {
		async httpRequestWithAuthentication(_credential: string, options: IHttpRequestOptions) {
			asked.push(options);
			return { statusCode: 200, headers: {}, body: [] };
		},
	};
	const call: HttpCall = { method: 'POST', url: 'https://a.test', limitMs: 60_000, ...more };
	const ends = { clock, limits: new TimeLimits(clock) };
	await callService({ helpers } as unknown as IExecuteFunctions, 'segmindApi', call, ends);
	expect(asked[0].timeout).toBeGreaterThanOrEqual(least);
	// A timer set for longer than that ends at once.
	expect(asked[0].timeout).toBeLessThan(2 ** 31);
	await clock.advance(1_000);
});
