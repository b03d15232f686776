import { say, type Said } from './say';

/** Returns the hint that a request was sent although an earlier one may have been accepted. `found`: what is known of the earlier one, in a sentence. */
export function resentHint(subject: string, found: Said): Said {
	return say`the request for ${subject} was resent, although the request of an earlier attempt may have been accepted. ${found}`;
}
