/** What the request history shows of a call whose response was lost. */
export type Searched =
	/** A row that is certainly its own; or its response came after all, which may name no ID (v1). */
	| { readonly kind: 'one'; readonly requestId?: string; readonly isResponse?: boolean }
	/** Requests that may be it, and may be another's. */
	| { readonly kind: 'several'; readonly candidates: string[] }
	/** Read completely, late enough for a row to have appeared: neither it nor a candidate is there. */
	| { readonly kind: 'none' }
	/** Not read completely. `isLasting`: this key has no history, so no retry can read it either. */
	| { readonly kind: 'unread'; readonly isLasting: boolean }
	/** It, or an equal call of this process, still waits for its response, which will tell; or the service may still work on it. */
	| { readonly kind: 'underWay' };
