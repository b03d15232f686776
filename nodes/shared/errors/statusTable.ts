import type { Row } from './errorTable';

/** Holds for a model as for a workflow, whose other 4xx all say that (docs/service.md S152). */
const CHECK_INPUTS = 'Check that no required input is missing and that each has the right type';
const NAMED = 'Change what the text names, then run it again.';
const UNNAMED = `Segmind gave no reason. ${CHECK_INPUTS}, then run it again.`;
const ADDRESSES = 'Check the addresses in the credential.';
const ADD_CREDITS = 'Add credits in the Segmind console, then run this again.';
const LATER = 'Run it again later; https://status.segmind.com shows the state of the service.';
const COPY_SLUG = 'Copy the slug from its page at Segmind exactly, capitals included.';
const UNKNOWN_SLUG = { what: 'no such name', todo: COPY_SLUG };
const LIMITED = 'the rate limit was still exhausted when the time was up';

/**
 * Refusals by status (docs/service.md S190 to S204), and where it matters by what the call was for: its purpose, `request` when it was about one,
 * or the cause that the service's words name. "(HTTP …)" and those words follow. What was accepted is charged if it completes; all else is free (S40).
 */
export const STATUSES = {
	'3xx': {
		what: 'the service answered with a redirect, which was not followed because the API key would be sent along',
		todo: ADDRESSES,
	},
	'400': {
		what: 'the request was refused as malformed',
		todo: `${CHECK_INPUTS}, and the Base URL in the credential.`,
	},
	'400 manage': { what: 'the values were refused', todo: NAMED },
	'401': {
		what: 'the API key was not accepted',
		todo: 'Check the key in the Segmind API credential; keys are managed at https://platform.segmind.com/api-keys.',
		fatal: true,
	},
	'402': { what: 'the balance is used up', todo: ADD_CREDITS, fatal: true },
	'403': {
		what: 'this key may not use it',
		todo: 'The key or the team is limited to certain models. Allow this one in the console, or use another key.',
	},
	'404': { what: 'nothing found', todo: ADDRESSES },
	'404 submit': {
		what: UNKNOWN_SLUG.what,
		todo: `${COPY_SLUG} If it is right, turn on the option Answer in One Call: some models answer only in one call.`,
	},
	'404 workflow': UNKNOWN_SLUG,
	'404 runV1': UNKNOWN_SLUG,
	'404 request': {
		what: 'the service does not know it',
		todo: 'A request is kept for one hour after submission, visible only to the account that submitted it.',
	},
	'404 credits': {
		what: 'the account has no credit record',
		todo: 'Add credits in the Segmind console. If it has some, check the addresses in the credential.',
	},
	'404 manage': {
		what: 'it was not found',
		todo: 'Choose it from the list again. Only the account that made it sees it, and production and staging are separate.',
	},
	'405': { what: 'the address does not take this method', todo: ADDRESSES },
	'406': { what: 'a parameter was not accepted', todo: NAMED, silent: UNNAMED },
	'406 contentType': {
		what: 'the content type was not accepted',
		todo: 'This comes from a proxy between n8n and Segmind that changes headers; check it.',
	},
	'406 spendLimit': {
		what: 'a spend limit of the team is reached',
		todo: 'Ask whoever manages the team at Segmind to raise it.',
		fatal: true,
	},
	'406 noCredits': { what: 'there are not enough credits', todo: ADD_CREDITS, fatal: true },
	'408': { what: 'the service gave up waiting', todo: 'Run it again.' },
	'410': { what: 'the model has been retired', todo: 'Choose its successor from the model list.' },
	'410 manage': {
		what: 'the service no longer takes this call',
		todo: 'Segmind has deprecated fine-tuning and takes no new jobs. Existing jobs can still be read, shared, downloaded and run.',
	},
	'413': {
		what: 'the data sent is too large',
		todo: 'Send large files as URL (option Send Files As), or make them smaller.',
	},
	'413 upload': {
		what: 'the data sent is too large',
		todo: 'Make the file smaller, or send each file in its own item.',
	},
	'422': { what: 'the inputs were refused', todo: NAMED, silent: UNNAMED },
	'429': {
		what: LIMITED,
		todo: 'Run it again in a minute. If that keeps happening, lower Max Items at Once, raise Timeout (Seconds), or ask Segmind for a higher limit.',
	},
	'429 manage': { what: LIMITED, todo: 'Lower Max Items at Once, or run it again later.' },
	'502': { what: 'the service could not be reached behind its gateway', todo: LATER },
	'503': { what: 'the service was still unavailable when the time was up', todo: LATER },
	'504': { what: 'the service did not answer its gateway in time', todo: LATER },
	'5xx': {
		what: 'the service failed',
		todo: 'Run it again; often a wrong parameter is the cause.',
	},
	'5xx request': {
		what: 'the service failed',
		todo: 'Ask for it again later; https://status.segmind.com shows the state of the service.',
	},
	'5xx manage': { what: 'the service failed', todo: 'Run it again later.' },
	other: {
		what: 'unexpected answer',
		todo: `${CHECK_INPUTS}, and the addresses in the credential.`,
	},
} as const satisfies Record<string, Row>;

/** 406 has four causes, told apart by the service's words (docs/service.md S196). The first that fits holds. */
export const CAUSES_OF_406: ReadonlyArray<[cause: string, words: RegExp]> = [
	['contentType', /content[- ]type/i],
	// A bare "limit" is as likely that of a parameter, and only a limit of the team stops the other items too.
	[
		'spendLimit',
		/^(?!.*credit).*(spend|quota|budget|(team|account|workspace|plan|monthly|daily|usage)\W.*limit)/i,
	],
	['noCredits', /credit|balance|fund|payment/i],
];
