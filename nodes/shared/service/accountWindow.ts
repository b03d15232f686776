/**
 * What this process knows about the rate limit of the account: the service counts calls in fixed windows of a minute (docs/service.md S233). Pure;
 * times in ms since the epoch. Other processes may use the same account without our knowledge.
 */
export interface AccountWindow {
	/** Calls of this process per window; undefined until a response shows a limit. */
	readonly limit?: number;
	/** Responses in this window. */
	readonly used: number;
	readonly endsAt: number;
}

const WINDOW_MS = 60_000;
/** The smallest published limit, calls (docs/service.md S220). A 429 after fewer calls shows that others use the account, not what its limit is. */
const LEAST_LIMIT = 5;

/** A new window. */
export function openedAt(now: number, limit?: number): AccountWindow {
	return { limit, used: 0, endsAt: now + WINDOW_MS };
}

/** The current window: a new one if the last has ended. */
export function at(window: AccountWindow, now: number): AccountWindow {
	return now < window.endsAt ? window : openedAt(now, window.limit);
}

/**
 * After a response. `remaining`: calls left, if the response says so. `inFlight`: other calls under way, whose responses may come in any order. If
 * more calls are left than that explains, a new window has begun.
 */
export function afterResponse(
	window: AccountWindow,
	now: number,
	{ remaining, inFlight }: { remaining?: number; inFlight: number },
): AccountWindow {
	const { limit = Infinity } = window;
	const used = window.used + 1;
	if (remaining === undefined)
		return { ...window, used, limit: window.limit && Math.max(limit, used) };
	const left = limit - window.used;
	if (remaining > left + inFlight + 1) return { ...openedAt(now, remaining + 1), used: 1 };
	return { ...window, used, limit: used + Math.min(remaining, left) };
}

/** After a 429: the number of responses so far is the limit. */
export function afterRefusal(window: AccountWindow): AccountWindow {
	return window.used < LEAST_LIMIT ? window : { ...window, limit: window.used };
}
