import type { Charge } from '../base/failure';

/**
 * The text of an error: what happened, what it costs, what to do. Values replace the names in braces of the rows below.
 */
export interface ErrorRow {
	what: string;
	/** What it costs; comes before `todo`. If it is missing, `todo` says what is known about the cost. */
	charge?: Charge;
	/** What to do. Doesn't mention a retry, because n8n doesn't always offer one. */
	todo: string;
	/** Replaces `todo` if the service gave no reason. */
	todoWithoutReason?: string;
	/** What a retry of the execution does; shown only if n8n offers one. */
	retry?: string;
	/** True if every other item would fail in the same way. */
	fatal?: true;
}

/** What a call is for. Decides what an error status means and what the request costs. */
export type CallPurpose =
	| 'submit'
	| 'workflow'
	| 'runV1'
	| 'upload'
	| 'status'
	| 'result'
	| 'credits'
	| 'read'
	/** Calls the account API. `apiKey`: about a key that isn't the credential's. */
	| 'account'
	| 'apiKey'
	/** Reads or changes endpoints or fine-tunes: nothing is generated. */
	| 'manage';

const CHECK_NETWORK = 'Check the network of the n8n host and the addresses in the credential';
const GET_RESULT =
	'To get the result, use Get Result with the request ID within one hour of submission.';
const NEW_REQUEST = 'To send a new request, change an input or run the workflow again.';
/** What a retry does about an accepted request. */
export const RESUMES =
	'A retry resumes this request instead of sending a new one, unless you change the inputs.';
const UNUSABLE = 'The response for {subject} could not be used (HTTP {status}): {why}';
const TRUSTED_ONLY = 'The node sends the API key only to the addresses in the credential, so';

/** The errors that don't depend on an HTTP status. */
export const CAUSES = {
	noResponse: {
		what: 'No response from Segmind for {subject}{why}',
		charge: 'none',
		todo: `${CHECK_NETWORK}, then run the node again.`,
	},
	noResponseForRequest: {
		what: 'No response from Segmind for {subject}{why}',
		charge: 'chargedIfCompletes',
		todo: `${CHECK_NETWORK}, then get the result by its request ID with Get Result, which sends no new request.`,
	},
	unusable: { what: UNUSABLE, charge: 'none', todo: 'Run the node again.' },
	unreadableRows: {
		what: 'None of the {rows} rows of the request history could be read',
		todo: "The request history isn't part of the published API, and its format may have changed. Check for an update to this package.",
	},
	unusableStatus: {
		what: UNUSABLE,
		charge: 'chargedIfCompletes',
		todo: 'You can get the result by its request ID with Get Result.',
		retry: RESUMES,
	},
	/** The response to a request that may have been charged, or was. */
	unusableOutput: {
		what: UNUSABLE,
		charge: 'completed',
		todo: '{found}',
		retry: 'A retry searches the request history again and does not resend the request.',
	},
	resultUnread: {
		what: 'Request {request} completed, but its result could not be read: {why}',
		charge: 'completed',
		todo: GET_RESULT,
		retry: RESUMES,
	},
	resultTooLarge: {
		what: 'Request {request} completed, but its result is larger than {megabytes} MB',
		charge: 'completed',
		todo: 'For one hour after submission, you can download the result from {address} with the HTTP Request node and this credential.',
		retry: RESUMES,
	},
	contradicted: {
		what: 'Request {request} completed, but its result says that it failed: {why}',
		todo: 'It may have been charged. The request history in the Segmind console shows what it cost.',
		retry: RESUMES,
	},
	requestFailed: {
		what: 'Request {request} failed: {why}',
		charge: 'none',
		todo: 'Correct what is described above, then run the node again.',
		todoWithoutReason: 'Check the inputs, then run the node again.',
	},
	missingNow: {
		what: 'Segmind accepted request {request}, but cannot find it at the moment',
		charge: 'chargedIfCompletes',
		todo: '{found} Check the credential: only the account that sent a request can see it.',
		retry: RESUMES,
	},
	missing: {
		what: 'Request {request} was not found: it has expired, belongs to another account, or is a workflow run',
		todo: `Segmind keeps a request for one hour after submission. {found} If it completed, it was charged, and its file may still be in the console, which keeps files for 7 days. For a workflow run, enter its poll_url instead of the request ID. ${NEW_REQUEST}`,
	},
	resultExpired: {
		what: 'Request {request} completed, but its result has expired',
		charge: 'completed',
		todo: `Segmind keeps results other than files, such as texts, for one hour after submission. ${NEW_REQUEST}`,
		retry: 'A retry does not resend the request, unless you change the inputs.',
	},
	unknownOutcome: {
		what: 'The request for {subject} may have been accepted: {why}',
		charge: 'unknown',
		todo: '{found}',
	},
	sentByAnother: {
		what: 'An earlier attempt sent the request for {subject} with another credential, and it may have been accepted',
		charge: 'unknown',
		todo: 'To find out, choose the earlier credential again, or check the request history of its account. To send the request again with the current credential, turn on the option Send Again If Unsure.',
		retry: 'A retry with the earlier credential searches its request history.',
	},
	changeUnknown: {
		what: 'The change may have been made: {why}',
		todo: 'You can check the current state, or run the node again: making the same change twice does no harm.',
	},
	/** The response to a call that must not be made twice was lost, or can't be used. */
	creationUnknown: { what: 'It is unknown whether {subject} succeeded: {why}', todo: '{found}' },
	maybeDone: {
		what: 'Not sent again: an earlier attempt at {subject} may have succeeded',
		todo: '{found}',
	},
	outputLost: {
		what: 'An earlier attempt completed and was charged, but its output could not be kept, and it has no request ID',
		charge: 'completed',
		todo: 'Look for the request in the request history in the Segmind console. To generate the output again, change an input slightly. If you turn off the option Answer in One Call, every request has an ID, so you can get its result again.',
	},
	foreignOrigin: {
		what: "The URL points to {origin}, which isn't one of the addresses in the credential ({trusted})",
		todo: `${TRUSTED_ONLY} it sent nothing. If you trust this address, enter it as Base URL in the credential.`,
	},
	foreignRequest: {
		what: "Request {request} points to {origin}, which isn't one of the addresses in the credential ({trusted})",
		todo: `${TRUSTED_ONLY} it didn't call this one. The request was accepted, and is charged if it completes. To get the result, use Get Result with the request ID. If you trust this address, you can instead enter it as Base URL in the credential.`,
	},
	stoppedAtStart: {
		what: 'The execution was stopped before this item was sent',
		todo: 'This attempt sent nothing. If an earlier attempt sent a request that Segmind accepted, its ID is in the n8n log: that request may still be running on Segmind, and is charged if it completes.',
	},
	stoppedBefore: {
		what: 'The execution was stopped before this item was sent',
		charge: 'none',
		todo: 'Run the workflow again to send it.',
	},
	stoppedSending: {
		what: 'The execution was stopped while the node was sending a request',
		todo: 'If Segmind accepts the request, its ID appears in the n8n log, and it is charged if it completes.',
	},
	stoppedSearching: {
		what: 'The execution was stopped while the node was searching for a request from an earlier attempt',
		charge: 'unknown',
		todo: 'If the request was accepted, the request history in the Segmind console shows it.',
	},
	stoppedRunning: {
		what: 'The execution was stopped before the node had the result of request {request}',
		charge: 'chargedIfCompletes',
		todo: GET_RESULT,
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
		what: 'Not sent: of the {limit} USD that Max Cost allows, {spent} USD is already spent or reserved for running requests{why}',
		charge: 'none',
		todo: 'Increase the option Max Cost, or run the remaining items in another execution. Max Cost counts the costs that Segmind has reported, and published averages for the other requests.',
	},
	unpriced: {
		what: "Not sent: the cost of a request to '{slug}' is unknown, so Max Cost cannot be applied",
		charge: 'none',
		todo: "Segmind publishes no price for '{slug}' and did not report the cost of the first request. To send requests without a limit, remove the option Max Cost.",
	},
	bug: {
		what: 'The node could not finish the request for {subject}, because of a bug in this package',
		charge: 'unknown',
		todo: 'Please report the bug. The request history in the Segmind console shows what was accepted.',
	},
	selfStart: {
		what: "This workflow would start itself again and again: the node '{node}' sends requests that this trigger watches. Set Model to another model, set Watch to Listed Requests, move the node to a workflow of its own, or turn on the option Allow Self-Start",
		charge: 'none',
		todo: 'Each run of that node would start the workflow again, and Segmind would charge for each run.',
	},
	notUploaded: {
		what: "The dataset '{name}' could not be uploaded to {host}: {why}",
		charge: 'none',
		todo: 'Run the node again. The node then gets a new upload URL.',
	},
	noWeights: {
		what: "There are no weights: the Cloud Storage URL is '{url}'{why}",
		charge: 'none',
		todo: 'Weights are available only after the training has ended.',
	},
	fileNotFetched: {
		what: 'The file could not be fetched from {host}: {why}',
		charge: 'none',
		todo: 'Check that the URL is publicly accessible.',
	},
	noHistory: {
		what: 'Segmind has no request history at this address (HTTP 404)',
		todo: "The request history isn't part of the published API and may have been moved or withdrawn. Check Endpoint Admin URL in the credential, or set Watch to Listed Requests, which doesn't need the request history.",
	},
	nothingToShow: {
		what: 'There is no {thing} to show',
		todo: 'Fetch the test event again when there is one.',
	},
	historyTooLong: {
		what: 'The request history is too long to read in one poll',
		todo: 'The first poll records all requests of the last 3 hours. Publish the workflow again at a quieter time, or set Model, so that the trigger watches fewer requests.',
	},
	requestsMissed: {
		what: 'The account made more requests than one poll can read ({rows} rows of the request history, one row per file), or the trigger did not poll for a month: some requests may have been missed',
		todo: 'Choose a model, poll more often, or use a trigger with Watch set to Listed Requests for the requests that matter. That trigger checks each request by its ID.',
	},
	noStatus: {
		what: 'Segmind returned no status for request {request}',
		todo: 'Segmind may be unreachable. The next poll checks again. If this keeps happening, see https://status.segmind.com.',
	},
	fileChanged: {
		what: "A file in n8n's storage has {bytes} bytes instead of {expected}",
		charge: 'none',
		todo: 'Run the node that created the file again.',
	},
} as const satisfies Record<string, ErrorRow>;
