import type { Failing } from '../base/failure';
import { capital } from '../base/text';

/** What a call was for; decides what a status means and what it costs. */
export type CallPurpose =
	| 'submit'
	| 'runV1'
	| 'upload'
	| 'status'
	| 'result'
	| 'credits'
	| 'read'
	/** Endpoints and fine-tunes: nothing is generated. */
	| 'manage';

export interface StatusCase {
	purpose: CallPurpose;
	status: number;
	/** The service's own words, '' when it gave none. */
	reason: string;
	/** What was called, in the user's words: "model 'x'", "workflow 'y'", "request z". */
	subject: string;
	requestId?: string;
}

/**
 * The sentence for an answer that is not a success (docs/service.md S190 to S204). Pure.
 * The service's own text always comes along; charging follows docs/service.md S40: only HTTP 200 is charged.
 */
export function explainStatus(found: StatusCase): Failing {
	const { status, reason, subject, requestId, purpose } = found;
	const { what, todo, fatal } = sentence(found);
	const id = requestId && !subject.includes(requestId) ? ` (request ${requestId})` : '';
	const accepted = requestId !== undefined && (purpose === 'status' || purpose === 'result');
	return {
		message: `${capital(subject)}: ${what}${id}${reason && !what.includes(reason) ? `: ${reason}` : ''}`,
		charge: accepted ? 'acceptedIfCompletes' : 'none',
		advice: todo,
		httpCode: status,
		requestId,
		...(fatal ? { fatal: true as const } : {}),
	};
}

/** What happened and what to do; `fatal` when no later item can do better. */
export interface Sentence {
	what: string;
	todo: string;
	fatal?: true;
}

const ADD_CREDITS = 'Add credits in the Segmind console, then run this again.';

function sentence({ status, purpose, reason, requestId }: StatusCase): Sentence {
	if (status >= 300 && status < 400) {
		return {
			what: `the service answered with a redirect (HTTP ${status}), which was not followed because the API key would be sent along`,
			todo: 'Check the addresses in the credential.',
		};
	}
	const managing = purpose === 'manage' ? managed(status) : undefined;
	if (managing) return managing;
	switch (status) {
		case 400:
			return {
				what: 'the request was refused as malformed (HTTP 400)',
				todo: 'Check the inputs against the page of the model, and the Base URL in the credential.',
			};
		case 401:
			return {
				what: 'the API key was not accepted (HTTP 401)',
				todo: 'Check the key in the Segmind API credential; keys are managed at https://platform.segmind.com/api-keys.',
				fatal: true,
			};
		case 402:
			return {
				what: 'the balance is used up (HTTP 402)',
				todo: ADD_CREDITS,
				fatal: true,
			};
		case 403:
			return {
				what: 'this key may not use it (HTTP 403)',
				todo: 'The key or the team is limited to certain models. Allow this one in the console, or use another key.',
			};
		case 404:
			return notFound(purpose, requestId);
		case 405:
			return {
				what: 'the address does not take this method (HTTP 405)',
				todo: 'Check the addresses in the credential.',
			};
		case 406:
			return notAcceptable(reason);
		case 408:
			return { what: 'the service gave up waiting (HTTP 408)', todo: 'Run it again.' };
		case 410:
			return {
				what: 'the model has been retired (HTTP 410)',
				todo: 'Choose its successor from the model list.',
			};
		case 413:
			return {
				what: 'the data sent is too large (HTTP 413)',
				todo:
					purpose === 'upload'
						? 'Make the file smaller, or send each file in its own item.'
						: 'Send large files as URL (Send As: URL) or make them smaller.',
			};
		case 422:
			return {
				what: 'the inputs were refused (HTTP 422)',
				todo: changeInputs(reason),
			};
		case 429:
			return {
				what: 'the rate limit was still exhausted when the time was up (HTTP 429)',
				todo: 'Run it again in a minute. If that keeps happening, lower Max Concurrency, raise Timeout, or ask Segmind for a higher limit.',
			};
		case 503:
			return {
				what: 'the service was still unavailable when the time was up (HTTP 503)',
				todo: 'Run it again later; https://status.segmind.com shows the state of the service.',
			};
		case 502:
		case 504:
			return {
				what:
					status === 502
						? 'the service could not be reached behind its gateway (HTTP 502)'
						: 'the service did not answer its gateway in time (HTTP 504)',
				todo: 'Run it again later; https://status.segmind.com shows the state of the service.',
			};
		default:
			if (status >= 500)
				return {
					what: `the service failed (HTTP ${status})`,
					todo:
						requestId === undefined
							? 'Run it again; often a wrong parameter is the cause.'
							: 'Ask for it again later; https://status.segmind.com shows the state of the service.',
				};
			return {
				what: `unexpected answer (HTTP ${status})`,
				todo: 'Check the inputs and the addresses in the credential.',
			};
	}
}

/** Where managing an endpoint or a fine-tune asks for other advice than generating. */
function managed(status: number): Sentence | undefined {
	switch (status) {
		case 400:
			return {
				what: 'the values were refused (HTTP 400)',
				todo: 'Change what the text names, then run it again.',
			};
		case 404:
			return {
				what: 'it was not found (HTTP 404)',
				todo: 'Choose it from the list again. Only the account that made it sees it, and production and staging are separate.',
			};
		case 410:
			return {
				what: 'the service no longer takes this call (HTTP 410)',
				todo: 'Segmind has deprecated fine-tuning and takes no new jobs. Existing jobs can still be read, shared, downloaded and run.',
			};
		case 429:
			return {
				what: 'the rate limit was still exhausted when the time was up (HTTP 429)',
				todo: 'Lower Max Concurrency, or run it again later.',
			};
		default:
			return status >= 500 && status !== 503
				? { what: `the service failed (HTTP ${status})`, todo: 'Run it again later.' }
				: undefined;
	}
}

function notFound(purpose: CallPurpose, requestId?: string): Sentence {
	if (requestId) {
		return {
			what: 'the service does not know it (HTTP 404)',
			todo: 'A request is kept for one hour after submission, visible only to the account that submitted it.',
		};
	}
	if (purpose === 'submit' || purpose === 'runV1')
		return {
			what: 'no such name (HTTP 404)',
			todo: 'Copy the slug from its page at Segmind exactly, capitals included.',
		};
	if (purpose === 'credits')
		return {
			what: 'the account has no credit record (HTTP 404)',
			todo: 'Add credits in the Segmind console. If it has some, check the addresses in the credential.',
		};
	return { what: 'nothing found (HTTP 404)', todo: 'Check the addresses in the credential.' };
}

/** 406 has four causes, told apart by the service's words (docs/service.md S196). */
function notAcceptable(reason: string): Sentence {
	if (/content[- ]type/i.test(reason))
		return {
			what: 'the content type was not accepted (HTTP 406)',
			todo: 'This comes from a proxy between n8n and Segmind that changes headers; check it.',
		};
	// A bare "limit" is as likely that of a parameter, and only a limit of the team stops the other items too.
	if (
		/spend|quota|budget|(team|account|workspace|plan|monthly|daily|usage)\W.*limit/i.test(reason) &&
		!/credit/i.test(reason)
	) {
		return {
			what: 'a spend limit of the team is reached (HTTP 406)',
			todo: 'Ask whoever manages the team at Segmind to raise it.',
			fatal: true,
		};
	}
	if (/credit|balance|fund|payment/i.test(reason))
		return {
			what: 'there are not enough credits (HTTP 406)',
			todo: ADD_CREDITS,
			fatal: true,
		};
	return {
		what: 'a parameter was not accepted (HTTP 406)',
		todo: changeInputs(reason),
	};
}

function changeInputs(reason: string): string {
	return reason === ''
		? 'Segmind gave no reason. Check the inputs against the page of the model, then run it again.'
		: 'Change what the text names, then run it again.';
}
