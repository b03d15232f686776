import type { ErrorRow } from './errorTable';

/** The advice for inputs. A workflow run's 4xx without a row of its own means that an input is missing or wrong (docs/service.md S152). */
const CHECK_INPUTS = 'Check that no required input is missing and that each has the right type';
const FIX_DESCRIBED = 'Fix the problem described above, then run the node again.';
const NO_REASON = `Segmind gave no reason. ${CHECK_INPUTS}, then run the node again.`;
const CHECK_ADDRESSES = 'Check the addresses in the credential.';
const ADD_CREDITS = 'Add credits in the Segmind console, then run the node again.';
const RUN_LATER =
	"Run the node again later. https://status.segmind.com shows the service's status.";
const COPY_SLUG =
	"Copy the slug exactly from the URL of the model's or workflow's page on Segmind. Slugs are case-sensitive.";
const UNKNOWN_SLUG = { what: 'model or workflow not found', todo: COPY_SLUG };

/**
 * The errors that the service returns, by HTTP status (docs/service.md S190 to S204). Where it matters, a second word follows: the purpose of the
 * call, `request` if the call was about an existing request, or the cause that the service's message names (`CAUSES_OF_406`). The error adds "(HTTP …)"
 * and that message. An accepted request is charged if it completes; everything else is free (S40).
 */
export const STATUSES = {
	'3xx': {
		what: 'the service responded with a redirect, which was not followed because that would send the API key to another address',
		todo: CHECK_ADDRESSES,
	},
	'400': {
		what: 'the request was rejected as malformed',
		todo: `${CHECK_INPUTS}. Also check the Base URL in the credential.`,
	},
	'400 manage': { what: 'the values were rejected', todo: FIX_DESCRIBED },
	'401': {
		what: 'the API key is invalid or was deleted',
		todo: 'Check the key in the Segmind API credential. You manage your keys at https://platform.segmind.com/api-keys.',
		fatal: true,
	},
	'402': { what: "you're out of credits", todo: ADD_CREDITS, fatal: true },
	'403': {
		what: "this API key doesn't have access to it",
		todo: 'The key or the team is limited to certain models. Allow this model in the Segmind console, or use another key.',
	},
	'404': { what: 'not found', todo: CHECK_ADDRESSES },
	'404 submit': {
		what: UNKNOWN_SLUG.what,
		todo: `${COPY_SLUG} If the slug is right, turn on the option Answer in One Call, which some models require.`,
	},
	'404 workflow': UNKNOWN_SLUG,
	'404 runV1': UNKNOWN_SLUG,
	'404 credits': {
		what: 'Segmind has no credit balance for this account',
		todo: 'Add credits in the Segmind console. If the account has credits, check the addresses in the credential.',
	},
	'404 manage': {
		what: 'not found',
		todo: 'Choose the endpoint or the fine-tune from the list again. Only the account that created it can see it, and production and staging are separate.',
	},
	'406': { what: 'a parameter was rejected', todo: FIX_DESCRIBED, todoWithoutReason: NO_REASON },
	'406 spendLimit': {
		what: 'your team has reached its spend limit',
		todo: 'Ask the administrator of your Segmind team to increase the limit.',
		fatal: true,
	},
	'406 noCredits': { what: "you don't have enough credits", todo: ADD_CREDITS, fatal: true },
	'408': { what: 'the service timed out', todo: 'Run the node again.' },
	'410': { what: 'the model has been retired', todo: 'Choose its successor from the model list.' },
	'410 manage': {
		what: 'the service no longer supports this call',
		todo: 'Segmind has deprecated fine-tuning and accepts no new jobs. You can still read, share, download and run existing fine-tuned models.',
	},
	'413': {
		what: 'the data sent is too large',
		todo: 'Make the files smaller, send each in its own item, or send them as URLs (option Send Files As).',
	},
	'422': { what: 'the inputs were rejected', todo: FIX_DESCRIBED, todoWithoutReason: NO_REASON },
	'429': {
		what: 'the rate limit was still exceeded when the node timed out',
		todo: 'Run the node again in a minute. If this keeps happening, lower Max Items at Once, increase Timeout (Seconds), or ask Segmind for a higher limit.',
	},
	'502': { what: "Segmind's gateway could not reach the service", todo: RUN_LATER },
	'503': { what: 'the service was still unavailable when the node timed out', todo: RUN_LATER },
	'504': { what: "the service did not respond to Segmind's gateway in time", todo: RUN_LATER },
	'5xx': {
		what: 'Segmind had an internal error',
		todo: 'Check the parameters, since an invalid one often causes this, then run the node again.',
	},
	'5xx request': {
		what: 'Segmind had an internal error',
		todo: "Get the result by its request ID later. https://status.segmind.com shows the service's status.",
	},
	'5xx manage': { what: 'Segmind had an internal error', todo: 'Run the node again later.' },
	other: {
		what: 'unexpected response',
		todo: `${CHECK_INPUTS}. Also check the addresses in the credential.`,
	},
} as const satisfies Record<string, ErrorRow>;

/** A 406 has three causes that matter; the service's message shows which (docs/service.md S196). The first match counts. */
export const CAUSES_OF_406: ReadonlyArray<[cause: string, words: RegExp]> = [
	// The word "limit" alone is as likely to be about a parameter, and only a team's limit affects the other items too.
	[
		'spendLimit',
		/^(?!.*credit).*(spend|quota|budget|(team|account|workspace|plan|monthly|daily|usage)\W.*limit)/i,
	],
	['noCredits', /credit|balance|fund|payment/i],
];
