import type { Charge } from '../base/failure';

/**
 * What an error says: what happened, what it costs, what to do. A text is changed here and nowhere else: docs/error-list.md is made of these rows
 * (`npm run errors`), and tests compare with them. What stands in braces is filled in.
 */
export interface Row {
	what: string;
	/** What it costs in general, told before `todo`; where it is missing, `todo` says what can be said. */
	charge?: Charge;
	/** Nothing of a retry: n8n does not offer one everywhere. */
	todo: string;
	/** The same where the service gave no reason. */
	silent?: string;
	/** What a retry of the execution does; told only where n8n offers one. */
	retry?: string;
	/** No later item can do better. */
	fatal?: true;
}

/** What a call was for; decides what a status means and what it costs. */
export type CallPurpose =
	| 'submit'
	| 'workflow'
	| 'runV1'
	| 'upload'
	| 'status'
	| 'result'
	| 'credits'
	| 'read'
	/** Endpoints and fine-tunes: nothing is generated. */
	| 'manage';

export const SIGN_IN_AGAIN =
	'Sign in at the Segmind console, open https://cloud.segmind.com/api/auth/profile in the same browser, and paste its refresh_token into the Segmind Session API credential.';
export const NEW_VERIFICATION_TOKEN =
	'Take a new verification token from the sign-in page of the Segmind console: it is made in the browser there, and works once.';
const CORRECT_ADDRESS =
	'Correct Account URL in the Segmind Session API credential; the web console does not serve the account API.';

/** Every refusal of the account API, where nothing is charged, by its error code or what its status means (docs/service.md S203, S392). */
export const ACCOUNT = {
	invalid_token: {
		what: 'the session was not accepted',
		todo: `A refresh token is valid for 30 days, or until a newer one replaces it. ${SIGN_IN_AGAIN}`,
		fatal: true,
	},
	invalid_api_key: {
		what: 'Segmind does not know this API key',
		todo: 'It must be the whole key, and belong to the account that is signed in. If an earlier try deleted it, nothing is left to do.',
	},
	insufficient_scope: {
		what: 'the session may not do this',
		todo: 'Sign in with the account that owns the keys, or ask whoever manages the team at Segmind for the permission.',
	},
	rate_limit_exceeded: {
		what: 'too many requests',
		todo: 'Five authentication calls a minute are allowed from one IP address, and ten token refreshes an hour for a user. Try again later, with fewer items at a time.',
	},
	invalid_request: {
		what: 'the request was refused',
		todo: `Nothing was changed. Correct what the text names. ${NEW_VERIFICATION_TOKEN}`,
	},
	wrong_address: {
		what: 'the account API is not at this address',
		todo: CORRECT_ADDRESS,
		fatal: true,
	},
	redirect: {
		what: 'the address answered with a redirect, which was not followed because the session would be sent along',
		todo: CORRECT_ADDRESS,
		fatal: true,
	},
	server_error: {
		what: 'the service failed',
		todo: 'Whether anything was changed is unknown. Look at the account, then run it again; https://status.segmind.com shows the state of the service.',
	},
	unexpected: { what: 'unexpected answer', todo: CORRECT_ADDRESS },
} as const satisfies Record<string, Row>;

const CHECK_NETWORK = 'Check the network of the n8n host and the addresses in the credential';
const GET_RESULT = 'Get Result with its request ID fetches it for one hour after submission.';
const NEW_REQUEST = 'To send a new request, change an input or run the workflow again.';
const ASKS_AGAIN =
	'A retry asks for it again and does not submit it again, as long as the node asks for the same.';
const NEVER_TWICE =
	'so that nothing is paid twice; turn on the option Send Again If Unsure to send it again.';
const STOPPED_SENDING = 'The execution was stopped while a request was being sent';
const MAY_BE_MADE =
	'The change may have been made or not. Look at its state first; sending the same change again does no harm.';
const UNUSABLE = "Segmind's answer for {subject} could not be used (HTTP {status}): {why}";
const TRUSTED_ONLY = 'The API key is only sent to the origins of the credential, so';

/** Everything that no status says. */
export const CAUSES = {
	noAnswer: {
		what: 'No answer from Segmind for {subject}{why}',
		charge: 'none',
		todo: `${CHECK_NETWORK}, then run it again.`,
	},
	noAnswerOfRequest: {
		what: 'No answer from Segmind for {subject}{why}',
		charge: 'acceptedIfCompletes',
		todo: `${CHECK_NETWORK}, then fetch the request by its ID with Get Result: nothing is sent again by that.`,
	},
	unusable: { what: UNUSABLE, charge: 'none', todo: 'Run it again.' },
	unusableStatus: {
		what: UNUSABLE,
		charge: 'acceptedIfCompletes',
		todo: 'Get Result with its request ID asks for it too.',
		retry: ASKS_AGAIN,
	},
	/** An answer to what may be, or was, charged. */
	unusableOutput: {
		what: UNUSABLE,
		charge: 'completed',
		todo: '{found}',
		retry: 'A retry looks for it in the request history again, and does not send it again.',
	},
	resultUnread: {
		what: 'Request {request} completed, but its result could not be read: {why}',
		charge: 'completed',
		todo: GET_RESULT,
		retry: ASKS_AGAIN,
	},
	resultTooLarge: {
		what: 'Request {request} completed, but its result is larger than {megabytes} MB',
		charge: 'completed',
		todo: 'It lies at {address} for one hour after submission: the HTTP Request node with this credential can fetch it.',
		retry: ASKS_AGAIN,
	},
	contradicted: {
		what: 'Request {request} completed, but its result says that it failed: {why}',
		todo: 'Whether it was charged is unknown. The request history in the Segmind console shows what it cost.',
		retry: ASKS_AGAIN,
	},
	requestFailed: {
		what: 'Request {request} failed: {why}',
		charge: 'none',
		todo: 'Change what the text names, then send it as a new request.',
		silent: 'Check the inputs, then send it as a new request.',
	},
	stillRunning: {
		what: 'Request {request} was still {state} after {seconds} s',
		todo: `It runs on at Segmind. It is charged if it completes. ${GET_RESULT} Raise the option Timeout (Seconds) for slow models.`,
		retry:
			'A retry goes on waiting for it and does not submit it again, as long as the node asks for the same.',
	},
	stillInHistory: {
		what: 'Request {request} was still running when the time was up',
		charge: 'ifCompletes',
		todo: 'The request history in the Segmind console shows how it ends.',
		retry: 'A retry looks for it again and does not send it again.',
	},
	missingNow: {
		what: 'Request {request} is not known to the service now, although it was accepted',
		charge: 'acceptedIfCompletes',
		todo: '{found} Another credential may have made it: only the account that submitted it sees it.',
		retry: ASKS_AGAIN,
	},
	missing: {
		what: 'Request {request} is not known to the service: it has expired, or it belongs to another account or is a workflow run',
		todo: `Segmind keeps the record of a request for one hour after submission. {found} If it completed, it was charged and its file may still be found in the console (files are kept for 7 days). For a workflow run, give the poll_url it came with instead of the bare ID. ${NEW_REQUEST}`,
	},
	resultExpired: {
		what: 'Request {request} completed, but its result has expired',
		charge: 'completed',
		todo: `Segmind keeps what is no file, such as a text, for one hour after submission. ${NEW_REQUEST}`,
		retry: 'A retry does not submit it again, as long as the node asks for the same.',
	},
	unknownOutcome: {
		what: 'The request for {subject} may have been accepted: {why}',
		charge: 'unknown',
		todo: '{found}',
	},
	sentByAnother: {
		what: 'The request for {subject} may have been accepted by an earlier try, which used another credential',
		charge: 'unknown',
		todo: `Whether it was can only be seen with that credential: choose that one again, or look at the request history of its account. To send it again with this one, turn on the option Send Again If Unsure.`,
		retry: 'A retry with that credential looks for it there.',
	},
	changeUnknown: { what: 'The change may have been made: {why}', todo: MAY_BE_MADE },
	maybeDone: {
		what: 'Not sent again: whether an earlier try of {subject} succeeded is unknown',
		todo: '{found}',
	},
	outputLost: {
		what: 'An earlier try completed and was charged, but its output could not be kept and it carried no request ID',
		charge: 'completed',
		todo: 'Look for it in the request history of the Segmind console. To make another one, change an input slightly. With Answer in One Call off each request has an ID by which it can be fetched again.',
	},
	foreignOrigin: {
		what: 'The address points to {origin}, which is not an origin of the credential ({trusted})',
		todo: `${TRUSTED_ONLY} nothing was called. If you trust that origin, set it as Base URL in the credential.`,
	},
	foreignRequest: {
		what: 'Request {request} points to {origin}, which is not an origin of the credential ({trusted})',
		todo: `${TRUSTED_ONLY} the address was not called. The request was accepted; it is charged if it completes. If you trust that origin, set it as Base URL in the credential, or use Get Result with the bare request ID.`,
	},
	stoppedAtStart: {
		what: 'The execution was stopped before this item was sent',
		todo: 'This try sent nothing. If an earlier try sent a request, its ID is in the n8n log: it continues at Segmind and is charged if it completes.',
	},
	stoppedBefore: {
		what: 'The execution was stopped before this item was sent',
		charge: 'none',
		todo: 'Run the workflow again to send it.',
	},
	stoppedSending: {
		what: STOPPED_SENDING,
		todo: 'If Segmind accepts it, its request ID appears in the n8n log; it runs on and is charged if it completes.',
	},
	stoppedUploading: {
		what: STOPPED_SENDING,
		todo: 'Nothing was charged. Run the workflow again to send it.',
	},
	stoppedChanging: { what: STOPPED_SENDING, todo: MAY_BE_MADE },
	stoppedAccount: {
		what: STOPPED_SENDING,
		todo: 'What was sent may be done: look at the account.',
	},
	stoppedSearching: {
		what: 'The execution was stopped while an earlier try of this item was being looked for',
		charge: 'unknown',
		todo: 'The request history in the Segmind console shows it if it was accepted.',
	},
	stoppedRunning: {
		what: 'The execution was stopped while request {request} was running',
		charge: 'ifCompletes',
		todo: `It runs on at Segmind. ${GET_RESULT}`,
	},
	notSent: {
		what: 'Not sent, because an earlier item failed: {why}',
		charge: 'none',
		todo: '{found}',
	},
	belowMinBalance: {
		what: 'Not sent: the balance of {balance} USD is below the Min Balance of {limit} USD',
		charge: 'none',
		todo: 'Add credits in the Segmind console, or lower Min Balance.',
	},
	overMaxCost: {
		what: 'Not sent: {spent} of the {limit} USD of Max Cost is spent or reserved{why}',
		charge: 'none',
		todo: 'Raise the option Max Cost, or run the rest in another execution. The limit counts the prices that Segmind reported, and published averages where it reported none.',
	},
	unpriced: {
		what: "Not sent: what a request to '{slug}' costs is not known, so Max Cost cannot be kept",
		charge: 'none',
		todo: 'Segmind publishes no price for it and did not report what the first request cost. Clear the option Max Cost to send it without a limit.',
	},
	fileChanged: {
		what: "A file in n8n's store has {bytes} bytes instead of {expected}",
		charge: 'none',
		todo: 'Run the node that made the file again.',
	},
} as const satisfies Record<string, Row>;

/** What the request history says of a request that was accepted and is not known; `{found}` of a cause. */
export const HISTORY_SAYS = {
	none: 'The request history does not have it either.',
	outOfReach: 'The request history, which may still have its file, could not be read.',
	unfinished: 'The request history has it as unfinished.',
	withoutFile: 'The request history shows that it completed, and has no file of it.',
} as const;

/** What a search of the request history says of a call whose answer was lost; `{found}` of a cause. */
export const SEARCH_SAYS = {
	notSearched: 'The request history does not show such calls.',
	none: 'The request history was searched and does not show it.',
	outOfReach: 'The request history, which would show it, could not be read.',
	noHistory: 'There is no request history for this key, which would show it.',
	candidates:
		"The request history shows requests that may be this one or another's: {ids}. Get Result fetches each by its ID.",
} as const;

/** What a retry does about a request of unknown outcome. */
export const RETRY = {
	searches: 'A retry searches it once more, and sends the request again unless it may be there.',
	holds: `A retry does not send it again, ${NEVER_TWICE}`,
	holdsWhileThere: `A retry does not send it again while they are there, ${NEVER_TWICE}`,
} as const;

/** Words that other parts of an error are made of. */
export const PARTS = {
	earlierTry: 'an earlier try got no answer after sending it',
	noAnswerBecause: 'no answer came, because {why}',
	noReason: 'the service gave no reason',
	noAddress: 'no address of it is known',
	emptyAnswer: 'it was empty',
	largeAnswer: 'it was larger than {megabytes} MB',
	needs: ', and this request is expected to cost {cost}',
	/** In front of the advice of what an earlier try may have sent as well. */
	stillOpen:
		'An earlier try of the request for {subject} may have been accepted; whether it is charged is unknown. {advice}',
	/** After what is said of a refusal. */
	nearest: 'Known models of a similar slug: {slugs}.',
	contradictions: 'What was sent contradicts what is known of the model: {found}',
} as const;
