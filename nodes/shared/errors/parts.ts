/** Texts that are combined with an error or a hint of the tables. Values replace the names in braces. */

const NEVER_TWICE =
	"so that you don't pay twice. To resend the request, turn on the option Send Again If Unsure.";

/** What the request history shows of an accepted request that Segmind can't find. */
export const HISTORY_SAYS = {
	none: "It isn't in the request history either.",
	outOfReach: 'The request history, which may still have its file, could not be read.',
	unfinished: 'The request history shows it as unfinished.',
	completedWithoutFile: 'The request history shows it as completed, without a file.',
} as const;

/** What a search of the request history shows of a request whose response was lost. */
export const SEARCH_SAYS = {
	notSearched: "The request history doesn't list such calls.",
	none: 'The node searched the request history and did not find the request.',
	outOfReach: 'The node could not read the request history to search for the request.',
	noHistory: 'This API key has no request history to search.',
	expired: 'Request {id} expired before its result was read.',
	underWay: "An earlier call for it still waits for Segmind's response.",
	candidates:
		"The request history shows requests that may be this one: {ids}. To get a result, use Get Result with the request's ID.",
} as const;

/** What a retry does about a request whose outcome is unknown. */
export const RETRY = {
	/** Comes first in the editor, after a timeout. */
	executeStep: 'Click Execute step again: it waits for the same request, free.',
	searches:
		'A retry searches the request history again, and resends the request only if it is not listed there.',
	/** Used if n8n offers no retry of the execution. */
	sendsAnew:
		'If your workflow runs this node again, the node sends a new request. To avoid paying twice, {known}.',
	useGetResult: 'use Get Result with the request ID instead',
	seeHistory: 'check the request history in the Segmind console first',
	toolSendsAnew: 'Calling this tool again is not a retry: it sends a new request.',
	afterwards: 'Run the node again when that call has ended.',
	holds: `A retry does not resend the request, ${NEVER_TWICE}`,
	holdsWhileThere: `A retry does not resend the request while the request history shows these candidates, ${NEVER_TWICE}`,
	/** Comes after what a retry does, in the editor. */
	sameProcess:
		'In the editor, a retry resumes requests for one hour, and only in the same n8n process. In queue mode, another worker sends new ones.',
} as const;

/** The parts of the error for several items, and of errors that aren't ours. */
export const PARTS = {
	/** The description of an item whose error is not ours. */
	nothingKnown: 'As far as the node knows, nothing was sent for this item.',
	/** The parts of the error for several items. Items are counted from 1. */
	allFailed: 'All {count} items failed. {first}',
	someFailed:
		'{succeeded} of {count} items succeeded{cost}, and {failed} failed. Item {item} of {count}: {first}',
	costOfSucceeded: ' and cost {cost} USD',
	leastCostOfSucceeded: ' and cost at least {cost} USD',
	moreFailed: '{count} more failed. The details below list all request IDs.',
	continueInEditor:
		"Set On Error to Continue in Settings, then click Execute step: what succeeded isn't charged again.",
	succeededBefore: "A retry with the same inputs doesn't charge again for what succeeded.",
	succeededInCalled: 'Items that succeeded: {ids}. To get their results again, use Get Result.',
} as const;
