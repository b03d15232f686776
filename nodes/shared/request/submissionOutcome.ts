import type { Cause } from '../journal/lifecycle';
import { jsonOf } from '../service/answers';
import { isSuccess, type HttpAnswer } from '../service/http';
import { GATEWAY_GAVE_UP, mayBeCarriedOut, type Sent } from '../service/retry';
import { isObject } from '../service/schemas';
import type { CreatingCall } from './creatingCall';

/** What is known of a call's acceptance after it was sent. */
type Outcome =
	| { kind: 'answered'; answer: HttpAnswer }
	/** Free: by the service's own words, or never sent. */
	| { kind: 'refused' }
	| { kind: Extract<Cause, 'connection'> }
	| { kind: Extract<Cause, 'gateway'>; status: number };

/** What an answer to a creating call says about its acceptance. */
export function outcomeOf(sent: Sent, { managed }: CreatingCall): Outcome {
	if (sent.kind === 'lost') return { kind: 'connection' };
	if (sent.kind !== 'answer') return { kind: 'refused' };
	const { answer } = sent;
	const { status } = answer;
	if (isSuccess(status)) return { kind: 'answered', answer };
	// By the published rule no 4xx or 5xx is charged.
	if (GATEWAY_GAVE_UP.has(status)) return { kind: 'gateway', status };
	// The service's own JSON under 500 says that it did not take it. What manages an endpoint or a training promises nothing of the kind.
	const isOwnWord = isObject(jsonOf(answer)) && managed === undefined;
	if (mayBeCarriedOut(status) && !isOwnWord) return { kind: 'gateway', status };
	return { kind: 'refused' };
}
