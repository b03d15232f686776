/** A response that ends a call early. Thrown by handlers, written by the origin's error handler. */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		readonly body: unknown,
		readonly headers: Record<string, string> = {},
	) {
		super(`refused with ${status}`);
	}
}

/** The service's usual error body, {"error": text}. */
export function refuse(status: number, error: string, headers: Record<string, string> = {}): never {
	throw new Refusal(status, { error }, headers);
}

/** The inference gateway blames the host header for a path it does not route (docs/service.md S10). */
export function refuseUnknownPath(): never {
	refuse(400, 'Bad request: incorrect or missing host header.');
}
