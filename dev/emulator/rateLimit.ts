import type { Orders, RateLimit } from './orders';
import { Refusal } from './refusal';

/** Counts in fixed windows, one after the other from the first counted call on (docs/service.md S233). `length` in ms. */
export function createWindow(length: () => number) {
	let start: number | undefined;
	let used = 0;
	return {
		/** Counts one call and returns how many are left. Returns undefined and counts nothing if none were left. */
		take(now: number, limit: number): { left: number } | undefined {
			start ??= now;
			if (now - start >= length()) {
				start += Math.floor((now - start) / length()) * length();
				used = 0;
			}
			if (used >= limit) return undefined;
			used += 1;
			return { left: limit - used };
		},
		/** End of the last call's window. */
		end: () => (start ?? 0) + length(),
		reset(): void {
			start = undefined;
			used = 0;
		},
	};
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export function createRateLimiter(now: () => number, orders: Pick<Orders, 'rateLimit'>) {
	const window = createWindow(() => orders.rateLimit?.windowMs ?? 60_000);
	return {
		/** Counts one call and returns the headers for its response, or throws the 429. */
		count(): Record<string, string> {
			const { rateLimit } = orders;
			if (!rateLimit) return {};
			const { perMinute, sendRemaining, reset = 'iso' } = rateLimit;
			const time = now();
			const taken = window.take(time, perMinute);
			const remaining = sendRemaining && { 'x-rate-limit-remaining': String(taken?.left ?? 0) };
			if (taken) return { ...remaining };
			const told = { ...resetHeaders(window.end(), time)[reset], ...remaining };
			throw new Refusal(429, { error: 'Rate limit exceeded. Please try again later.' }, told);
		},
		reset: window.reset,
	};
}

// Seconds are rounded up, so that the next window is open for a client that returns exactly then.
const resetHeaders = (
	end: number,
	time: number,
): Record<NonNullable<RateLimit['reset']>, Record<string, string>> => ({
	iso: { 'x-rate-limit-reset-at-utc': new Date(end).toISOString() },
	epoch: { 'x-rate-limit-reset-at-utc': String(Math.ceil(end / 1000)) },
	retryAfter: { 'retry-after': String(Math.max(1, Math.ceil((end - time) / 1000))) },
	none: {},
});
