/** What the error for a response with an error status says. */
export interface StatusRow {
	what: string;
	/** What to do. Doesn't mention a retry, because n8n doesn't always offer one. */
	todo: string;
	/** Replaces `todo` if the service gave no reason. */
	todoWithoutReason?: string;
	/** True if every other item would fail in the same way. */
	fatal?: true;
}

/** What a call is for. Decides what an error status means and what the request costs. */
export type CallPurpose =
	| 'submit'
	| 'workflow'
	| 'oneCall'
	| 'upload'
	| 'status'
	| 'result'
	| 'credits'
	| 'read'
	/** Calls the account API. `apiKey`: about a key that isn't the credential's. */
	| 'account'
	| 'apiKey'
	/** Reads or changes what an account owns: nothing is generated. */
	| 'manage';

export const SIGN_IN_AGAIN =
	'Sign in to the Segmind console, open https://cloud.segmind.com/api/auth/profile in the same browser, and paste its refresh_token into the Segmind Session API credential.';
const ENTER_KEY =
	"Enter the full key. It must belong to the account that is signed in. If an earlier attempt already deleted the key, there's nothing left to do.";
/** The advice for inputs. A workflow run's 4xx without a row of its own means that an input is missing or wrong (docs/service.md S152). */
const CHECK_INPUTS = 'Check that no required input is missing and that each has the right type';
const REJECTED_INPUTS = {
	what: 'the inputs were rejected',
	todo: 'Correct what is described above, then run the node again.',
	todoWithoutReason: `Segmind gave no reason. ${CHECK_INPUTS}, then run the node again.`,
};
const CHECK_ADDRESSES = 'Check the addresses in the credential.';
const CHECK_CALL = `${CHECK_INPUTS}. ${CHECK_ADDRESSES}`;
const ADD_CREDITS =
	'Add credits in the Segmind console, https://platform.segmind.com, then run the node again.';
const RUN_LATER =
	"Run the node again later. https://status.segmind.com shows the service's status.";
const TIMED_OUT = { what: 'the service timed out', todo: RUN_LATER };
/** The 406 for a call that is charged, whatever its text (docs/service.md S196). */
const NOT_ENOUGH_CREDITS = {
	what: "you don't have enough credits",
	todo: `${ADD_CREDITS} If Segmind's message names another cause, correct that instead.`,
	todoWithoutReason: ADD_CREDITS,
	fatal: true,
} as const;
const COPY_SLUG =
	"Copy the slug exactly from the URL of the model's or workflow's page on Segmind. Slugs are case-sensitive.";
const COPY_MODEL = `${COPY_SLUG} Some listed models aren't open to every account.`;

/** A cause that the service's own words name better than a status does. */
interface NamedCause extends StatusRow {
	words: RegExp;
}

/** The causes with words of their own (docs/service.md S67, S173, S205 to S207). */
export const NAMED_CAUSES = {
	refusedContent: {
		words: /\b(moderation_blocked|content_policy_violation|No images were generated)\b/,
		what: 'the content was refused',
		todo: 'Change the prompt or the input files, then run the node again.',
	},
	oneCallTooSlow: {
		words: /\bInternal Polling Error\b/,
		what: 'the model took too long for one call',
		todo: 'Turn off the option Answer in One Call, then run the node again. If it is off, check the names of the inputs.',
	},
	faultOfModel: {
		words: /\bfailed to get the token\b/i,
		what: 'the model had an internal fault',
		todo: "The inputs aren't the cause. Run the node again later, or choose another model.",
	},
	needsUrls: {
		words: /\bReference media rejected\b/,
		what: 'the model could not use a file',
		todo: 'This model takes only public URLs. Set the option Send Files As to URL, then run the node again.',
	},
	exclusiveInputs: {
		words: /\bmutually exclusive\b/i,
		what: 'the inputs exclude each other',
		todo: 'Leave one of them empty, then run the node again.',
	},
} as const satisfies Record<string, NamedCause>;

/** Returns the cause that a message or a body of the service names; undefined if there is none. */
export function namedCauseIn(text: string): StatusRow | undefined {
	return Object.values(NAMED_CAUSES).find(({ words }) => words.test(text));
}

/**
 * The errors that the service returns, by HTTP status (docs/service.md S190 to S204, S392). Where it matters, a second word follows: the purpose of the
 * call, or `request` if the call was about an existing request. The error adds "(HTTP …)" and the service's message. An accepted request is charged if it
 * completes; everything else is free (S40).
 */
export const STATUSES = {
	'3xx': {
		what: 'the response was a redirect, which was not followed because that would send the credential to another address',
		todo: 'Check the addresses in the credential, and whether a proxy or firewall between n8n and Segmind asks for a sign-in.',
	},
	'400': { what: 'the request was rejected as malformed', todo: CHECK_CALL },
	'400 manage': REJECTED_INPUTS,
	/** A body with an error. */
	'2xx manage': REJECTED_INPUTS,
	'401': {
		what: 'the API key is invalid or was deleted',
		todo: 'Check the key in the Segmind API credential. You manage your keys at https://platform.segmind.com/api-keys.',
		fatal: true,
	},
	'401 request': {
		what: 'the API key is invalid or was deleted',
		todo: 'Check the key in the Segmind API credential, then get the result with Get Result and the request ID, within one hour of submission.',
		fatal: true,
	},
	'401 account': {
		what: 'the session is invalid or has expired',
		todo: `A refresh token is valid for 30 days or until a newer one replaces it. ${SIGN_IN_AGAIN}`,
		fatal: true,
	},
	'401 apiKey': { what: 'API key not found', todo: ENTER_KEY },
	'402': { what: "you're out of credits", todo: ADD_CREDITS, fatal: true },
	'403': {
		what: "this API key doesn't have access to it",
		todo: 'The key or the team is limited to certain models. Allow this model in the Segmind console, or use another key.',
	},
	'403 manage': {
		what: "this API key doesn't have access to it",
		todo: 'Use a key of the account that owns it, or ask the administrator of your Segmind team for access.',
	},
	'403 account': {
		what: 'this session has no permission to do this',
		todo: 'Sign in with the account that owns the keys, or ask the administrator of your Segmind team for permission.',
	},
	'404': { what: 'not found', todo: CHECK_ADDRESSES },
	'404 submit': {
		what: 'model not found',
		todo: `${COPY_MODEL} If the slug is right, turn on the option Answer in One Call, which some models require.`,
	},
	'404 workflow': { what: 'workflow not found', todo: COPY_SLUG },
	'404 oneCall': { what: 'model not found', todo: COPY_MODEL },
	'404 credits': {
		what: 'Segmind has no credit balance for this account',
		todo: 'Add credits in the Segmind console, https://platform.segmind.com. If the account has credits, check the addresses in the credential.',
	},
	'404 account': {
		what: 'API key not found, or not the address of the account API',
		todo: `${ENTER_KEY} If no call works, correct Account URL in the Segmind Session API credential; the web console does not serve the account API.`,
	},
	'404 manage': {
		what: 'not found',
		todo: 'Check the ID and the addresses in the credential. Only the account that created it can see it, and only at the address where it was created.',
	},
	'406': REJECTED_INPUTS,
	'406 submit': NOT_ENOUGH_CREDITS,
	'406 workflow': NOT_ENOUGH_CREDITS,
	'406 oneCall': NOT_ENOUGH_CREDITS,
	'407': {
		what: 'the proxy between n8n and Segmind requires a login, so nothing reached Segmind',
		todo: 'In the environment variable HTTPS_PROXY of the n8n host, check the user and the password, which come before the address of the proxy and an @. Then restart n8n.',
		fatal: true,
	},
	'408': TIMED_OUT,
	'499': TIMED_OUT,
	'410': { what: 'the model has been retired', todo: 'Choose its successor from the model list.' },
	'410 manage': {
		what: 'the service no longer supports this call',
		todo: 'Check for an update to this package.',
	},
	'413': {
		what: 'the data sent is too large',
		todo: 'Make the files smaller, send each in its own item, or send them as URLs (option Send Files As).',
	},
	'422': REJECTED_INPUTS,
	'429': {
		what: 'the rate limit was exceeded, and there was no time left to wait',
		todo: 'Run the node again in a minute. If this keeps happening, lower Max Items at Once, increase Timeout (Seconds), or ask Segmind for a higher limit.',
	},
	'429 account': {
		what: 'too many requests',
		todo: 'Segmind allows five authentication calls a minute per IP address and ten token refreshes an hour per user. Try again later with fewer items at a time.',
	},
	'502': { what: 'a gateway could not reach the service', todo: RUN_LATER },
	'503': {
		what: 'the service was unavailable, and there was no time left to wait',
		todo: RUN_LATER,
	},
	'504': { what: 'the service did not respond to a gateway in time', todo: RUN_LATER },
	'5xx': {
		what: 'Segmind had an internal fault',
		todo: 'Check the parameters, since an invalid one often causes this, then run the node again.',
	},
	'5xx request': {
		what: 'Segmind had an internal fault',
		todo: "Get the result by its request ID later. https://status.segmind.com shows the service's status.",
	},
	'5xx manage': { what: 'Segmind had an internal fault', todo: 'Run the node again later.' },
	other: { what: 'unexpected response', todo: CHECK_CALL },
} as const satisfies Record<string, StatusRow>;
