/** Every answer is read up to the size its kind may have; what is larger is closed, with its head kept. */
import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { VirtualClock } from '../../dev/simulation/virtualClock';
import { callService, LARGEST_ANSWER } from '../../nodes/shared/service/http';
import { TimeLimits } from '../../nodes/shared/service/timeLimits';

const PIECE = Buffer.alloc(100_000, 'x');

/** Asks for an answer of this many pieces, and counts what was taken of it. */
async function ask(pieces: number, maxBytes?: number) {
	const clock = new VirtualClock();
	const taken = { pieces: 0, isClosed: false, isAborted: false };
	async function* body() {
		try {
			for (; taken.pieces < pieces; taken.pieces++) yield PIECE;
		} finally {
			taken.isClosed = true;
		}
	}
	const helpers = {
		httpRequestWithAuthentication: async (
			_credential: string,
			{ abortSignal }: IHttpRequestOptions,
		) => {
			abortSignal?.addEventListener?.('abort', () => (taken.isAborted = true));
			return { statusCode: 200, headers: { 'X-Request-Id': 'id' }, body: body() };
		},
	};
	const outcome = await callService(
		{ helpers } as unknown as IExecuteFunctions,
		'segmindApi',
		{ url: 'https://api.segmind.com/v1/x', limitMs: 60_000, maxBytes },
		{ clock, limits: new TimeLimits(clock) },
	);
	await clock.advance(60_000);
	if (!('answer' in outcome)) throw new Error(outcome.fault.reason);
	return { ...outcome.answer, taken };
}

test.each(Object.entries(LARGEST_ANSWER))('%s: no more than %d bytes', async (_kind, maxBytes) => {
	const { status, headers, body, exceeds, taken } = await ask(Infinity, maxBytes);
	expect({ status, headers, body, exceeds }).toEqual({
		status: 200,
		headers: { 'x-request-id': 'id' },
		body: Buffer.alloc(0),
		exceeds: maxBytes,
	});
	expect(taken).toEqual({
		pieces: maxBytes / PIECE.length,
		isClosed: true,
		isAborted: true,
	});
});

test('what fits is there whole, and its call is left alone', async () => {
	const { body, exceeds, taken } = await ask(10, LARGEST_ANSWER.status);
	expect(body.equals(Buffer.alloc(1_000_000, 'x'))).toBe(true);
	expect(exceeds).toBeUndefined();
	expect(taken.isAborted).toBe(false);
});

test('a call that names no size has that of a list', async () => {
	expect((await ask(Infinity)).exceeds).toBe(LARGEST_ANSWER.list);
});
