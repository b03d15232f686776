import type { Output } from '../journal/entry';
import { dropUndefined, type ResultFields } from '../output/outputFields';
import type { OutputSpec } from '../output/presentation';
import { FIRST_STATUS, type AcceptedRequest } from './poll/acceptedRequest';

/**
 * Makes the output of an unfinished request. It has everything that Get Result needs later, in any process. A loop in the user's workflow ends on
 * COMPLETED, so a request whose result could not be read yet doesn't show that.
 */
export function unfinishedOutput(
	{ madeBy }: Pick<OutputSpec, 'madeBy'>,
	{ ref, status = FIRST_STATUS }: AcceptedRequest,
): Output {
	const { request_id, submitted_at, poll_url, status_url, response_url } = ref;
	const addresses = { poll_url, status_url, response_url };
	const shownStatus = status.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : status;
	const json: ResultFields = {
		request_id,
		status: shownStatus,
		submitted_at,
		...madeBy,
		...addresses,
	};
	return { json: dropUndefined(json) };
}
