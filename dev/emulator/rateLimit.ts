import { Refusal } from './refusal';
import type { Orders } from './types';

export interface RateLimiter {
	/** Counts one call and returns the headers its answer carries, or throws the 429. */
	count(): Record<string, string>;
	reset(): void;
}

/** Fixed windows, one after the other from the first counted call on (docs/service.md S233). */
export function createRateLimiter(now: () => number, orders: Orders): RateLimiter {
	let start: number | undefined;
	let used = 0;
	return {
		count() {
			const limit = orders.rateLimit;
			if (!limit) return {};
			const {
				perMinute,
				windowMs = 60_000,
				sendRemaining = false,
				sendReset = false,
				reset = 'iso',
			} = limit;
			const time = now();
			if (start === undefined) start = time;
			if (time - start >= windowMs) {
				start += Math.floor((time - start) / windowMs) * windowMs;
				used = 0;
			}
			const end = start + windowMs;
			if (used >= perMinute) {
				throw new Refusal(
					429,
					{ error: 'Rate limit exceeded. Please try again later.' },
					{ ...resetHeader(reset, end, time), ...remainingHeader(sendRemaining, 0) },
				);
			}
			used += 1;
			return {
				...(sendReset && resetHeader(reset, end, time)),
				...remainingHeader(sendRemaining, perMinute - used),
			};
		},
		reset() {
			start = undefined;
			used = 0;
		},
	};
}

function remainingHeader(send: boolean, remaining: number): Record<string, string> {
	return send ? { 'x-rate-limit-remaining': String(remaining) } : {};
}

function resetHeader(
	kind: 'iso' | 'epoch' | 'retryAfter' | 'none',
	end: number,
	time: number,
): Record<string, string> {
	// Seconds are rounded up: a client that comes back exactly then must find the next window open.
	if (kind === 'iso') return { 'x-rate-limit-reset-at-utc': new Date(end).toISOString() };
	if (kind === 'epoch') return { 'x-rate-limit-reset-at-utc': String(Math.ceil(end / 1000)) };
	if (kind === 'retryAfter')
		return { 'retry-after': String(Math.max(1, Math.ceil((end - time) / 1000))) };
	return {};
}
