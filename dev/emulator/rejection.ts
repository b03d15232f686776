/** An error response. Handlers throw it, and the error handler of the origin sends it. */
export class Rejection extends Error {
	constructor(
		readonly status: number,
		readonly body: unknown,
		readonly headers: Record<string, string> = {},
	) {
		super(`rejected with ${status}`);
	}
}

/** Rejects a call with the service's usual error body, {"error": text}. */
export function reject(status: number, error: string, headers: Record<string, string> = {}): never {
	throw new Rejection(status, { error }, headers);
}

/** Rejects a call to an unknown path with the inference gateway's message, which blames the host header (docs/service.md S10). */
export function rejectUnknownPath(): never {
	reject(400, 'Bad request: incorrect or missing host header.');
}
