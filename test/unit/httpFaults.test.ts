/** How a call that got no answer is read: whether it may have been accepted decides what a retry may send. */
import { AxiosError } from 'axios';
import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { VirtualClock } from '../../dev/simulation/virtualClock';
import { callService } from '../../nodes/shared/service/http';
import type { NetworkFault } from '../../nodes/shared/service/networkFault';
import { TimeLimits } from '../../nodes/shared/service/timeLimits';

interface SystemFault {
	code: string;
	/** undefined: the library made the error itself. */
	syscall?: string;
}

/** What the HTTP library throws for a fault of the system. */
function libraryError({ code, syscall }: SystemFault): AxiosError {
	const system = Object.assign(new Error(syscall ? `${syscall} ${code} 192.0.2.1:443` : code), {
		code,
		...(syscall && { syscall }),
	});
	return AxiosError.from(system, code, {} as never, {});
}

const node = { name: 'Segmind', type: 'segmind' } as INode;

/** As n8n hands it to a node. */
const WRAPPED: Record<string, (fault: SystemFault) => Error> = {
	'as the library throws it': libraryError,
	'wrapped, with its cause': (fault) => {
		const error = libraryError(fault);
		const wrapped = new NodeApiError(node, error as never);
		return Object.assign(wrapped, { cause: error });
	},
	'wrapped twice': (fault) => {
		const inner = Object.assign(new Error('inner'), { cause: libraryError(fault) });
		return Object.assign(new Error('outer'), { cause: inner });
	},
};

async function faultOf(error: Error): Promise<NetworkFault> {
	const clock = new VirtualClock();
	const context = {
		helpers: {
			httpRequestWithAuthentication: async () => {
				throw error;
			},
		},
	} as unknown as IExecuteFunctions;
	const outcome = await callService(
		context,
		'segmindApi',
		{ method: 'POST', url: 'https://api.segmind.com/v2/a-model', body: '{}', limitMs: 1_000 },
		{ clock, limits: new TimeLimits(clock) },
	);
	await clock.advance(1_000);
	return (outcome as { fault: NetworkFault }).fault;
}

const BEFORE_SENDING: SystemFault[] = [
	{ code: 'ECONNREFUSED', syscall: 'connect' },
	{ code: 'EHOSTUNREACH', syscall: 'connect' },
	{ code: 'ENETUNREACH', syscall: 'connect' },
	{ code: 'ETIMEDOUT', syscall: 'connect' },
	{ code: 'ENOTFOUND', syscall: 'getaddrinfo' },
	{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
];
const PERHAPS_SENT: SystemFault[] = [
	{ code: 'EHOSTUNREACH', syscall: 'read' },
	{ code: 'ENETUNREACH', syscall: 'read' },
	{ code: 'ETIMEDOUT', syscall: 'read' },
	{ code: 'ECONNRESET', syscall: 'read' },
	{ code: 'EHOSTUNREACH', syscall: 'write' },
	{ code: 'ENETDOWN', syscall: 'write' },
	{ code: 'EPIPE', syscall: 'write' },
	{ code: 'ECONNRESET' },
	{ code: 'ECONNABORTED' },
	{ code: 'ERR_BAD_RESPONSE' },
	{ code: 'HPE_INVALID_CONSTANT' },
];

describe.each(Object.entries(WRAPPED))('%s', (_name, wrap) => {
	it.each(BEFORE_SENDING)('$syscall $code: certainly not accepted', async (fault) => {
		expect((await faultOf(wrap(fault))).kind).toBe('refused');
	});

	it.each(PERHAPS_SENT)('$syscall $code: may have been accepted', async (fault) => {
		expect((await faultOf(wrap(fault))).kind).toBe('lost');
	});
});

/** From 1.102 to 2.33 n8n keeps neither the cause nor the system call, only the code and the message. */
describe('without its cause', () => {
	const bare = (code: string | null, message: string) =>
		Object.assign(new NodeApiError(node, { message }), {
			httpCode: code,
			cause: undefined,
			message,
		});

	it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])(
		'%s: certainly not accepted',
		async (code) => {
			expect((await faultOf(bare(code, code))).kind).toBe('refused');
		},
	);

	it('a message that says that the connection never was: certainly not accepted', async () => {
		const error = bare('EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:443');
		expect((await faultOf(error)).kind).toBe('refused');
	});

	it.each([
		['EHOSTUNREACH', 'read EHOSTUNREACH'],
		['EHOSTUNREACH', 'The connection cannot be established'],
		['ENETUNREACH', 'read ENETUNREACH'],
		['ETIMEDOUT', 'The connection timed out'],
		['ECONNRESET', 'The connection to the server was closed unexpectedly'],
		[null, 'The service was not able to process your request'],
	])('%s, "%s": may have been accepted', async (code, message) => {
		expect((await faultOf(bare(code, message))).kind).toBe('lost');
	});
});
