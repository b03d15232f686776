import type { Orders, RateLimit } from './orders';
import { Rejection } from './rejection';

/** Creates a counter of calls in fixed windows. The first window begins at the first call, and the next ones follow without a gap (docs/service.md S233). */
export function createCallCounter(lengthMs: () => number) {
	let start: number | undefined;
	let used = 0;
	return {
		/** Counts one call and returns how many are left. Returns undefined and counts nothing if none were left. */
		take(now: number, limit: number): { left: number } | undefined {
			start ??= now;
			if (now - start >= lengthMs()) {
				start += Math.floor((now - start) / lengthMs()) * lengthMs();
				used = 0;
			}
			if (used >= limit) return undefined;
			used += 1;
			return { left: limit - used };
		},
		/** Returns the end of the window of the last call. */
		end: () => (start ?? 0) + lengthMs(),
		reset(): void {
			start = undefined;
			used = 0;
		},
	};
}

export function createRateLimiter(now: () => number, orders: Pick<Orders, 'rateLimit'>) {
	const counter = createCallCounter(() => orders.rateLimit?.windowMs ?? 60_000);
	return {
		/** Counts one call and returns the headers for its response. @throws Rejection with 429 if none is left */
		count(): Record<string, string> {
			const { rateLimit } = orders;
			if (!rateLimit) return {};
			const { perMinute, sendRemaining, reset = 'iso' } = rateLimit;
			const time = now();
			const taken = counter.take(time, perMinute);
			const remaining = sendRemaining && { 'x-rate-limit-remaining': String(taken?.left ?? 0) };
			if (taken) return { ...remaining };
			const headers = { ...resetHeaders(counter.end(), time)[reset], ...remaining };
			throw new Rejection(429, { error: 'Rate limit exceeded. Please try again later.' }, headers);
		},
		reset: counter.reset,
	};
}

// Seconds are rounded up, so that the next window has begun for a client that calls again exactly then.
const resetHeaders = (
	end: number,
	time: number,
): Record<NonNullable<RateLimit['reset']>, Record<string, string>> => ({
	iso: { 'x-rate-limit-reset-at-utc': new Date(end).toISOString() },
	retryAfter: { 'retry-after': String(Math.max(1, Math.ceil((end - time) / 1000))) },
});
