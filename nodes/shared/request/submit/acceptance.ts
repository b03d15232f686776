import { isServicesOwnError } from '../../service/answers';
import { isSuccess, type HttpAnswer } from '../../service/http';
import { GATEWAY_GAVE_UP, mayBeCarriedOut, type Sent } from '../../service/retry';
import type { Submission } from './submission';

/** What is known of a call's acceptance after it was sent. */
export type Acceptance =
	| { kind: 'answered'; answer: HttpAnswer }
	/** Free: by the service's own words, or never sent. */
	| { kind: 'refused' }
	/** The connection broke or went silent after sending. */
	| { kind: 'lost' }
	/** A gateway answered in the place of the service. */
	| { kind: 'gateway'; status: number };

/** What an answer to a creating call says about its acceptance. By the published rule no 4xx or 5xx is charged (docs/service.md S40). */
export function acceptanceIn(sent: Sent, { managed }: Submission): Acceptance {
	if (sent.kind === 'lost') return { kind: 'lost' };
	if (sent.kind !== 'answer') return { kind: 'refused' };
	const { answer } = sent;
	const { status } = answer;
	if (isSuccess(status)) return { kind: 'answered', answer };
	// What did not end within its size says nothing.
	if (answer.exceeds !== undefined) return { kind: 'lost' };
	if (!mayBeCarriedOut(status)) return { kind: 'refused' };
	// Under 500 the service's own words say that it did not take it. What manages an endpoint or a training promises nothing of the kind.
	const isOwnWord =
		!GATEWAY_GAVE_UP.has(status) && managed === undefined && isServicesOwnError(answer);
	return isOwnWord ? { kind: 'refused' } : { kind: 'gateway', status };
}
