import { say, type Said } from './say';

/** Returns the hint about a resent request. `found`: a sentence about the earlier request, which Segmind may have accepted. */
export function resentHint(subject: string, found: Said): Said {
	return say`the request for ${subject} was resent, although the request of an earlier attempt may have been accepted. ${found}`;
}
