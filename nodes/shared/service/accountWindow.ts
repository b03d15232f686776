/**
 * What this process knows of the window in which the service counts the account's calls. Pure; times in ms since the epoch.
 * Windows are fixed, of a minute (docs/service.md S233); other processes may use the same account unseen.
 */
export interface AccountWindow {
	/** Calls of this process that a window allows; undefined until the service tells. */
	readonly limit?: number;
	/** Calls answered in this window. */
	readonly used: number;
	readonly endsAt: number;
}

const WINDOW_MS = 60_000;
/** The smallest published limit, calls (docs/service.md S220): a refusal after fewer says that others use the account, not how much it allows. */
const LEAST_LIMIT = 5;

/** A window that begins now. */
export function openedAt(now: number, limit?: number): AccountWindow {
	return { limit, used: 0, endsAt: now + WINDOW_MS };
}

/** The window of this moment: a new one when the last is over. */
export function at(window: AccountWindow, now: number): AccountWindow {
	return now < window.endsAt ? window : openedAt(now, window.limit);
}

/**
 * A call was answered. `remaining`: calls left, when the answer says so. `inFlight`: other calls under way. Their answers may come in any order; when
 * more is left than that explains, a new window has begun.
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

/** A call was refused: what was answered before is what the window allowed. */
export function afterRefusal(window: AccountWindow): AccountWindow {
	return window.used < LEAST_LIMIT ? window : { ...window, limit: window.used };
}
