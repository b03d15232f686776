/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ClientRequest } from 'node:http';

/** Header that names the caller of a call. */
const HEADER = 'x-test-caller';

const callers = new AsyncLocalStorage<string>();

/** Marks every call that the work makes, now or later, so that calls of executions that run at the same time can be told apart. */
export function asCaller<T>(caller: string, work: () => T): T {
	return callers.run(caller, work);
}

/** Who made a call that arrived with these headers; undefined for an unmarked one. */
export function callerOf({ headers }: { headers: Record<string, string> }): string | undefined {
	return headers[HEADER];
}

/** What Node calls before it sends the head of a call. */
interface Sending {
	_implicitHeader(): void;
}

/** Marks calls as long as the test file runs. */
export function useCallerMarks(): void {
	const prototype = ClientRequest.prototype as ClientRequest & Sending;
	const { _implicitHeader: sendHead } = prototype;
	beforeAll(() => {
		prototype._implicitHeader = function (this: ClientRequest) {
			const caller = callers.getStore();
			if (caller !== undefined) this.setHeader(HEADER, caller);
			sendHead.call(this);
		};
	});
	afterAll(() => {
		prototype._implicitHeader = sendHead;
	});
}
