/** What the error for a response with an error status says. */
export interface StatusRow {
	/** Why the call failed. */
	what: string;
	/** The next step. Doesn't mention a retry, because n8n doesn't always offer one. */
	next: string;
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
	'Sign in to the Segmind console, open https://cloud.segmind.com/api/auth/profile, and paste its refresh_token into the Segmind Session API credential.';
const REJECTED_INPUTS = {
	what: 'Segmind rejected the inputs',
	next: 'Correct the inputs: one may be missing or not allowed.',
};
const NO_CREDITS = {
	what: "the account doesn't have enough credits",
	next: 'Add credits in the Segmind console, https://platform.segmind.com, then run the node again.',
	fatal: true,
} as const;
const RUN_LATER = 'Run the node again later: https://status.segmind.com shows how the service is.';
const TIMED_OUT = { what: 'the service did not respond in time', next: RUN_LATER };
const FAULT = 'Segmind had an internal fault';
const NOT_FOUND = 'Segmind did not find it';

/** A cause that the service's own words name better than a status does. */
interface NamedCause extends StatusRow {
	words: RegExp;
}

/** The causes with words of their own (docs/service.md S67, S173, S205 to S207). */
export const NAMED_CAUSES = {
	refusedContent: {
		words: /\b(moderation_blocked|content_policy_violation|No images were generated)\b/,
		what: 'the content was refused',
		next: 'Change the prompt or the input files, then run the node again.',
	},
	oneCallTooSlow: {
		words: /\bInternal Polling Error\b/,
		what: 'the model took too long for one call',
		next: 'Turn off the option Answer in One Call or, if it is off, check the names of the inputs.',
	},
	faultOfModel: {
		words: /\bfailed to get the token\b/i,
		what: 'the model had an internal fault',
		next: "Run the node again later, or choose another model: the inputs aren't the cause.",
	},
	needsUrls: {
		words: /\bReference media rejected\b/,
		what: 'the model takes files only as public URLs',
		next: 'Add them as files, with the option Send Files As set to URL, then run the node again.',
	},
	exclusiveInputs: {
		words: /\bmutually exclusive\b/i,
		what: 'the inputs exclude each other',
		next: 'Leave one of them empty, then run the node again.',
	},
} as const satisfies Record<string, NamedCause>;

/** Returns the cause that a message or a body of the service names; undefined if there is none. */
export function namedCauseIn(text: string): StatusRow | undefined {
	return Object.values(NAMED_CAUSES).find(({ words }) => words.test(text));
}

/**
 * The errors that the service returns, by HTTP status (docs/service.md S152, S190 to S204, S392). Where it matters, a second word follows: the purpose of the
 * call, `paid` for a call that is charged, or `request` for one about an existing request. The error adds "(HTTP …)" and the service's message. An accepted
 * request is charged if it completes; everything else is free (S40).
 */
export const STATUSES = {
	'3xx': {
		what: 'it was redirected to an address that must not get the API key',
		next: 'Check the addresses in the credential, and whether a proxy or firewall asks for a sign-in.',
	},
	/** A body with an error. */
	'2xx manage': REJECTED_INPUTS,
	'400': REJECTED_INPUTS,
	'401': {
		what: 'the API key is invalid or was deleted',
		next: 'Check the key in the credential (your keys: https://platform.segmind.com/api-keys).',
		fatal: true,
	},
	'401 account': {
		what: 'the session is invalid or has expired',
		next: SIGN_IN_AGAIN,
		fatal: true,
	},
	'401 apiKey': {
		what: 'Segmind knows no such API key of this account',
		next: 'Enter the full key of the account that is signed in, unless an earlier attempt has already deleted it.',
	},
	'402': NO_CREDITS,
	'403': {
		what: 'this key or session has no access to it',
		next: 'Use one that has access, or allow it in the Segmind console or your Segmind team.',
	},
	'404': { what: NOT_FOUND, next: 'Check the addresses in the credential.' },
	'404 workflow': {
		what: 'the workflow was not found',
		next: "Copy the slug from the URL of the workflow's page on Segmind.",
	},
	'404 paid': {
		what: 'the model was not found',
		next: "Copy the slug from the URL of the model's page or, if it is right, turn on Answer in One Call.",
	},
	'404 credits': {
		what: 'Segmind has no credit balance for this account',
		next: 'Add credits in the Segmind console or, if there are some, check the addresses in the credential.',
	},
	'404 account': {
		what: 'Segmind has no such API key, or this is not the address of the account API',
		next: 'Enter the full key or, if no call works, correct Account URL in the credential.',
	},
	'404 manage': {
		what: NOT_FOUND,
		next: 'Check the ID and the addresses in the credential: only the account that created it sees it, and only where it was created.',
	},
	'406': REJECTED_INPUTS,
	/** Whatever its text (docs/service.md S196). */
	'406 paid': NO_CREDITS,
	'407': {
		what: 'the proxy between n8n and Segmind requires a login',
		next: 'Check user and password before the @ in HTTPS_PROXY on the n8n host, then restart n8n.',
		fatal: true,
	},
	'408': TIMED_OUT,
	'410': {
		what: 'Segmind no longer offers it',
		next: 'Choose another model or workflow or, for any other call, check for an update to this package.',
	},
	'413': {
		what: 'the data sent is too large',
		next: 'Make the files smaller, send each in its own item, or send them as URLs (option Send Files As).',
	},
	'422': REJECTED_INPUTS,
	'429': {
		what: 'the rate limit was exceeded for too long',
		next: 'Run the node again in a minute, with a lower Max Items at Once or a longer Timeout (Seconds).',
	},
	'429 account': {
		what: 'there were too many calls',
		next: 'Try again later with fewer items: Segmind allows five authentication calls a minute and ten token refreshes an hour.',
	},
	'499': TIMED_OUT,
	'502': { what: 'a gateway could not reach the service', next: RUN_LATER },
	'503': {
		what: 'the service was unavailable for too long',
		next: RUN_LATER,
	},
	'504': TIMED_OUT,
	'5xx': { what: FAULT, next: RUN_LATER },
	'5xx paid': {
		what: FAULT,
		next: 'Check the parameters, since an invalid one often causes this, then run the node again.',
	},
	'4xx workflow': REJECTED_INPUTS,
	other: {
		what: 'Segmind sent an unexpected response',
		next: 'Check the inputs, and the addresses in the credential.',
	},
} as const satisfies Record<string, StatusRow>;

/** Calls that are charged. */
const PAID_PURPOSES: readonly CallPurpose[] = ['submit', 'workflow', 'oneCall'];

export function isPaid(purpose: CallPurpose): boolean {
	return PAID_PURPOSES.includes(purpose);
}

/** Returns the row for an error status of a call. */
export function rowOfStatus(status: number, purpose: CallPurpose): StatusRow {
	const rows: Record<string, StatusRow | undefined> = STATUSES;
	const group = isPaid(purpose) ? 'paid' : 'manage';
	const isGrouped = isPaid(purpose) || ['manage', 'account', 'apiKey'].includes(purpose);
	const rowKey = [String(status), `${Math.floor(status / 100)}xx`]
		.flatMap((key) => [`${key} ${purpose}`, isGrouped ? `${key} ${group}` : key, key])
		.find((key) => rows[key]);
	return rows[rowKey ?? 'other'] as StatusRow;
}
