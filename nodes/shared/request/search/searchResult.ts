/** What the request history shows of a call whose response was lost. */
export type SearchResult =
	/** A row is certainly the call's own. With `isResponse`, the response arrived late instead; it may name no ID (v1). */
	| { readonly kind: 'one'; readonly requestId?: string; readonly isResponse?: boolean }
	/** Rows that may be the call's own, but may also be another item's. */
	| { readonly kind: 'several'; readonly candidates: string[] }
	/** The history was read completely and late enough: neither the request nor a candidate is there. */
	| { readonly kind: 'none' }
	/** The history wasn't read completely. `isLasting`: this key has no history, so no retry can read it either. */
	| { readonly kind: 'unread'; readonly isLasting: boolean }
	/** The call, or an equal one of this process, still waits for its response, or the service may still work on it. */
	| { readonly kind: 'underWay' };
