/**
 * What this process knows about the rate limit of the account: the service counts calls in fixed windows of a minute (docs/service.md S233). Pure;
 * times in ms since the epoch. Other processes may use the same account without our knowledge.
 */
export interface AccountWindow {
	/** Calls of this process per window; undefined until a response shows a limit. */
	readonly limit?: number;
	/** Responses in this window. */
	readonly used: number;
	/** When this window ends and the next one begins. */
	readonly endsAt: number;
}

const WINDOW_MS = 60_000;
/** The smallest published limit (docs/service.md S220). A 429 after fewer calls shows that others use the account, not what its limit is. */
const MIN_LIMIT_CALLS = 5;

/** Returns a new window that begins now. */
export function openWindow(now: number, limit?: number): AccountWindow {
	return { limit, used: 0, endsAt: now + WINDOW_MS };
}

/** Returns the window that contains `now`: a new one if the given one has ended. */
export function currentWindow(window: AccountWindow, now: number): AccountWindow {
	return now < window.endsAt ? window : openWindow(now, window.limit);
}

/**
 * Returns the window after a response. `remaining`: the calls that are left, if the response reports them. `inFlight`: the other calls under way, whose
 * responses may come in any order. If `remaining` is larger than both the known limit and these calls explain, a new window has begun.
 */
export function windowAfterResponse(
	window: AccountWindow,
	now: number,
	{ remaining, inFlight }: { remaining?: number; inFlight: number },
): AccountWindow {
	const { limit = Infinity } = window;
	const used = window.used + 1;
	if (remaining === undefined)
		return { ...window, used, limit: window.limit && Math.max(limit, used) };
	const callsLeft = limit - window.used;
	if (remaining > callsLeft + inFlight + 1) return { ...openWindow(now, remaining + 1), used: 1 };
	return { ...window, used, limit: used + Math.min(remaining, callsLeft) };
}

/** Returns the window after a 429: the number of responses so far is the limit. */
export function windowAfter429(window: AccountWindow): AccountWindow {
	return window.used < MIN_LIMIT_CALLS ? window : { ...window, limit: window.used };
}
