import type { ErrorRow } from './errorTable';

export const SIGN_IN_AGAIN =
	'Sign in to the Segmind console, open https://cloud.segmind.com/api/auth/profile in the same browser, and paste its refresh_token into the Segmind Session API credential.';
export const NEW_VERIFICATION_TOKEN =
	'Get a new verification token from the sign-in page of the Segmind console: your browser creates it there, and it works once.';
const CORRECT_ADDRESS =
	'Correct Account URL in the Segmind Session API credential; the web console does not serve the account API.';

/** The rejections of the account API, by error code or, without one, by what the status means (docs/service.md S203, S392). None is charged. */
export const ACCOUNT = {
	invalid_token: {
		what: 'the session is invalid or has expired',
		todo: `A refresh token is valid for 30 days or until a newer one replaces it. ${SIGN_IN_AGAIN}`,
		fatal: true,
	},
	invalid_api_key: {
		what: 'API key not found',
		todo: "Enter the full key. It must belong to the account that is signed in. If an earlier attempt already deleted the key, there's nothing left to do.",
	},
	insufficient_scope: {
		what: 'this session has no permission to do this',
		todo: 'Sign in with the account that owns the keys, or ask the administrator of your Segmind team for permission.',
	},
	rate_limit_exceeded: {
		what: 'too many requests',
		todo: 'Segmind allows five authentication calls a minute per IP address and ten token refreshes an hour per user. Try again later with fewer items at a time.',
	},
	invalid_request: {
		what: 'the request was rejected',
		todo: 'Nothing was changed. Fix the problem described above. A verification token works only once: if the operation uses one, get a new one from the sign-in page of the Segmind console.',
	},
	wrong_address: {
		what: 'the account API is not at this address',
		todo: CORRECT_ADDRESS,
		fatal: true,
	},
	redirect: {
		what: 'the address responded with a redirect, which was not followed because that would send the session to another address',
		todo: CORRECT_ADDRESS,
		fatal: true,
	},
	server_error: {
		what: 'Segmind had an internal error',
		todo: "If this call was to change something, the change may have been made: check the account before you run the node again. https://status.segmind.com shows the service's status.",
	},
	unexpected: { what: 'unexpected response', todo: CORRECT_ADDRESS },
} as const satisfies Record<string, ErrorRow>;

/** The other errors of the account API. */
export const ACCOUNT_CAUSES = {
	noResponse: {
		what: 'No response from Segmind when {subject}{why}',
		charge: 'none',
		todo: 'Check the network of the n8n host and the addresses in the credential, then run the node again.',
	},
	/** For a call that changes something. */
	unknown: {
		what: 'No response from Segmind when {subject}{why}',
		todo: 'The change may have been made. Check the account before you run the node again.',
	},
	unusable: {
		what: 'Segmind returned an unusable response when {subject} (HTTP {status})',
		todo: 'Check the account before you run the node again, and check Account URL in the credential.',
	},
	noRefreshToken: {
		what: 'The Segmind Session API credential has no refresh token',
		todo: SIGN_IN_AGAIN,
		fatal: true,
	},
	noRefresh: {
		what: 'No response from Segmind when refreshing the session: {why}',
		todo: 'Check the network of the n8n host, and Account URL and Allowed Domains in the credential.',
		fatal: true,
	},
	noAccessToken: {
		what: 'The response to the token refresh has no access_token (HTTP {status})',
		todo: 'Check Account URL in the credential. The attempt counts toward the limit of ten refreshes an hour.',
		fatal: true,
	},
} as const satisfies Record<string, ErrorRow>;
