/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ClientRequest } from 'node:http';

/** The header that contains the name of the caller. */
const HEADER = 'x-test-caller';

/** A class of its own, because dev/test/environment.ts replaces the plain one. */
class Callers extends AsyncLocalStorage<string> {}

const callers = new Callers();

/** Marks every call that the work makes, now or later, to distinguish the calls of simultaneous executions. */
export function asCaller<T>(caller: string, work: () => T): T {
	return callers.run(caller, work);
}

/** Returns who made a call, or undefined if the call isn't marked. */
export function callerOf({ headers }: { headers: Record<string, string> }): string | undefined {
	return headers[HEADER];
}

/** The internal method that Node calls before it sends the headers of a call. */
interface Sending {
	_implicitHeader(): void;
}

/** Marks calls as long as the test file runs. */
export function useCallerMarks(): void {
	const prototype = ClientRequest.prototype as ClientRequest & Sending;
	const { _implicitHeader: sendHeaders } = prototype;
	beforeAll(() => {
		prototype._implicitHeader = function (this: ClientRequest) {
			const caller = callers.getStore();
			if (caller !== undefined) this.setHeader(HEADER, caller);
			sendHeaders.call(this);
		};
	});
	afterAll(() => {
		prototype._implicitHeader = sendHeaders;
	});
}
