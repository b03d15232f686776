import type { Orders } from './orders';
import { Refusal } from './refusal';

/** Counts in fixed windows, one after the other from the first counted call on (docs/service.md S233). */
export interface Window {
	/** Counts one call, and tells how many are left; undefined, and nothing counted, when there were none. */
	take(now: number, limit: number): { left: number } | undefined;
	/** When the window ends that the last call fell into. */
	end(): number;
	reset(): void;
}

/** The length of a window in ms; a function where it may change. */
export function createWindow(length: number | (() => number)): Window {
	const lengthMs = () => (typeof length === 'function' ? length() : length);
	let start: number | undefined;
	let used = 0;
	return {
		take(now, limit) {
			start ??= now;
			if (now - start >= lengthMs()) {
				start += Math.floor((now - start) / lengthMs()) * lengthMs();
				used = 0;
			}
			if (used >= limit) return undefined;
			used += 1;
			return { left: limit - used };
		},
		end: () => (start ?? 0) + lengthMs(),
		reset() {
			start = undefined;
			used = 0;
		},
	};
}

export interface RateLimiter {
	/** Counts one call and returns the headers its answer carries, or throws the 429. */
	count(): Record<string, string>;
	reset(): void;
}

export function createRateLimiter(now: () => number, orders: Orders): RateLimiter {
	const window = createWindow(() => orders.rateLimit?.windowMs ?? 60_000);
	return {
		count() {
			const { rateLimit } = orders;
			if (!rateLimit) return {};
			const { perMinute, sendRemaining = false, sendReset = false, reset = 'iso' } = rateLimit;
			const time = now();
			const taken = window.take(time, perMinute);
			const remaining = sendRemaining && { 'x-rate-limit-remaining': String(taken?.left ?? 0) };
			const told = {
				...((sendReset || !taken) && resetHeader(reset, window.end(), time)),
				...remaining,
			};
			if (taken) return told;
			throw new Refusal(429, { error: 'Rate limit exceeded. Please try again later.' }, told);
		},
		reset: window.reset,
	};
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
