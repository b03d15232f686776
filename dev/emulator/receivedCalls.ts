import type { Request } from 'express';
import type { Call } from './types';

/** A recorded call with its body, for the routes. */
interface ReceivedCall {
	call: Call;
	raw: Buffer;
	/** The parsed JSON or form; undefined if the body is neither. */
	body: unknown;
}

const receivedCalls = new WeakMap<Request, ReceivedCall>();

/** Returns the recorded call that belongs to this request. */
export function receivedCallOf(request: Request): ReceivedCall {
	const entry = receivedCalls.get(request);
	if (!entry) throw new Error('The request was not recorded.');
	return entry;
}

export function receive(request: Request, received: ReceivedCall): void {
	receivedCalls.set(request, received);
}
