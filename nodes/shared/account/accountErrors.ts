import type { Failing } from '../base/failure';
import { capital } from '../base/text';
import { isObject } from '../service/schemas';
import { originOf } from '../service/origins';
import { mayBeCarriedOut } from '../service/retry';
import type { Sentence } from '../service/statusMessages';

interface AccountRefusal {
	status: number;
	/** The parsed body, or undefined. */
	body: unknown;
	/** The service's own words, cleaned; '' when it gave none. */
	reason: string;
	/** What was asked for, in the user's words: "renaming the API key". */
	subject: string;
	/** When the rate limit ends, ms since the epoch, if known. */
	retryAt?: number;
	/** True when the call carried no session. */
	signedOut?: boolean;
	/** True when the call names an API key. */
	namesKey?: boolean;
	accountUrl: string;
	consoleUrl: string;
}

/** The account's own error body: `error`, `error_description`, `status_code` (docs/service.md S203). */
export function isAccountError(
	body: unknown,
): body is { error: string; error_description?: string } {
	return (
		isObject(body) &&
		typeof body.error === 'string' &&
		(typeof body.error_description === 'string' || typeof body.status_code === 'number')
	);
}

/** True for a 401 that a new access token may cure, unlike a wrong API key in the body. */
export function isAboutSession(status: number, body: unknown): boolean {
	return status === 401 && !(isAccountError(body) && body.error === 'invalid_api_key');
}

/** The sentence for an answer of the account API that is not a success (docs/service.md S392). Pure. */
export function explainAccount(refusal: AccountRefusal): Failing & { description: string } {
	const { status, reason, body, accountUrl } = refusal;
	if (status === 404 && !isAccountError(body))
		return { ...addressIsWrong(accountUrl, status), fatal: true };
	const { what, todo, fatal } = sentence(refusal);
	const why = reason === '' || what.includes(reason) ? '' : `: ${reason}`;
	return {
		message: `${capital(refusal.subject)}: ${what} (HTTP ${status})${why}`,
		description: todo,
		httpCode: status,
		...(fatal ? { fatal: true as const } : {}),
	};
}

function sentence(refusal: AccountRefusal): Sentence {
	const { status, body, retryAt, consoleUrl, namesKey, signedOut } = refusal;
	const code = isAccountError(body) ? body.error : '';
	if (status >= 300 && status < 400) {
		return {
			what: 'the account address answered with a redirect, which was not followed because the session would be sent along',
			todo: 'Correct Account URL in the Segmind Session API credential.',
			fatal: true,
		};
	}
	if (code === 'invalid_api_key' || (status === 404 && namesKey)) {
		return {
			what: 'Segmind does not know this API key',
			todo: 'Check the key: it must be the whole key, and belong to the account that is signed in. API Key: Get Many with Show Full Keys on lists them. If an earlier try deleted it, nothing is left to do.',
		};
	}
	if (code === 'insufficient_scope' || status === 403) {
		return {
			what: 'the session may not do this',
			todo: 'Sign in with the account that owns the keys, or ask whoever manages the team at Segmind for the permission.',
		};
	}
	if (code === 'rate_limit_exceeded' || status === 429) {
		return {
			what: 'too many requests',
			todo: `Five authentication calls a minute are allowed from one IP address. ${retryAt === undefined ? 'Try again in a few minutes' : `Try again at ${inMinutes(retryAt)}`}, with fewer items at a time.`,
		};
	}
	if (status === 401) {
		return signedOut
			? {
					what: 'the sign-in was not accepted',
					todo: 'Take a new verification token from the sign-in page: each works once.',
				}
			: {
					what: 'the session was not accepted, not even with a new access token',
					todo: signInAgain(consoleUrl),
					fatal: true,
				};
	}
	if (status === 400 || status === 422) {
		return {
			what: 'the request was refused',
			todo: 'Nothing was changed. Correct what the text names; a verification token works once, so take a new one from the sign-in page for each try.',
		};
	}
	if (status >= 500 || mayBeCarriedOut(status)) {
		return {
			what: 'the service failed',
			todo: 'Whether anything was changed is unknown. Look at the account, then run it again; https://status.segmind.com shows the state of the service.',
		};
	}
	return {
		what: 'unexpected answer',
		todo: 'Check Account URL in the Segmind Session API credential.',
	};
}

/** A 404 that does not come from the account API, as the console's origin gives it (docs/service.md S9). */
export function addressIsWrong(
	accountUrl: string,
	status?: number,
): Failing & { description: string } {
	const origin = originOf(accountUrl);
	return {
		message:
			origin === undefined
				? 'Account URL in the Segmind Session API credential is not an http(s) address'
				: `The account address is wrong: the account API is not at ${origin}${new URL(accountUrl).pathname.replace(/\/+$/, '')}${status === undefined ? '' : ` (HTTP ${status})`}`,
		description:
			'Correct Account URL in the Segmind Session API credential. By what Segmind publishes it is https://cloud.segmind.com/api; the web console does not serve the account API.',
		...(status === undefined ? {} : { httpCode: status }),
	};
}

export function signInAgain(consoleUrl: string): string {
	const page =
		originOf(consoleUrl) === undefined
			? 'the Segmind console'
			: `${consoleUrl.trim().replace(/\/+$/, '')}/auth/login`;
	return `Sign in again at ${page}, open https://cloud.segmind.com/api/auth/profile in the same browser, and paste its refresh_token into the Segmind Session API credential.`;
}

/** A point in time as people read it, rounded up to the minute: "2027-01-31 14:05 UTC". */
export function inMinutes(at: number): string {
	const minute = new Date(Math.ceil(at / 60_000) * 60_000).toISOString();
	return `${minute.slice(0, 10)} ${minute.slice(11, 16)} UTC`;
}
