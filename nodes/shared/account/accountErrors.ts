import type { FailureInput } from '../base/failure';
import { capitalize } from '../base/text';
import { ACCOUNT } from '../errors/accountTable';
import { type ErrorRow } from '../errors/errorTable';
import { mayHaveBeenCarriedOut } from '../service/retry';
import { isObject } from '../service/schemas';

type ErrorCode = keyof typeof ACCOUNT;

/** Returns the key of the table's row for a response. Pure. */
export function errorCodeOf(status: number, body: unknown): ErrorCode {
	const error = isObject(body) ? body.error : undefined;
	if (typeof error === 'string' && Object.hasOwn(ACCOUNT, error)) return error as ErrorCode;
	// The account API sends a 404 only for a key; other servers send one without a description (docs/service.md S9).
	if (status === 404)
		return isObject(body) && 'error_description' in body ? 'invalid_api_key' : 'wrong_address';
	if (status === 401) return 'invalid_token';
	if (status === 403) return 'insufficient_scope';
	if (status === 429) return 'rate_limit_exceeded';
	if (status < 300 || status === 400 || status === 422) return 'invalid_request';
	if (status < 400) return 'redirect';
	return mayHaveBeenCarriedOut(status) || status === 503 ? 'server_error' : 'unexpected';
}

/** Returns the error for an unsuccessful response. `subject`: the action in the user's words ("renaming the API key"); `reason`: the service's message. */
export function explainAccount(
	status: number,
	body: unknown,
	subject: string,
	reason: string,
): FailureInput {
	const { what, todo, fatal }: ErrorRow = ACCOUNT[errorCodeOf(status, body)];
	return {
		message: `${capitalize(subject)}: ${what} (HTTP ${status})${reason === '' ? '' : `: ${reason}`}`,
		description: todo,
		httpCode: status,
		...(fatal && { fatal }),
	};
}
