import type { RequestAnswer } from '../service/schemas';
import { reasonIn } from '../service/errorBody';

/** What an answer about a request means. A word we do not know means still running (design.md section 2, Requests). */
export type RequestState = 'running' | 'completed' | 'failed';

/** Reads the state from the body first and the HTTP status second: a failed job answers 422, some clients saw 200 (service-facts 4.4). */
export function stateOf(httpStatus: number, answer: RequestAnswer): RequestState {
	const word = (answer.status ?? '').toUpperCase();
	if (word === 'FAILED' || word === 'ERROR') return 'failed';
	if (httpStatus === 422) return 'failed';
	return word === 'COMPLETED' || word === 'SUCCESS' || word === 'SUCCEEDED'
		? 'completed'
		: 'running';
}

/** The reason of a failed request in the service's words. */
export function failureReason(answer: RequestAnswer): string {
	return (
		reasonIn({
			error: answer.error,
			error_message: answer.error_message,
			message: answer.message,
			msg: answer.msg,
			detail: answer.detail,
		}) || 'the service gave no reason'
	);
}
