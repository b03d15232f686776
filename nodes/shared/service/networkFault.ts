/** The beginning of a response. Header names are lower-case. */
export interface ResponseHead {
	status: number;
	headers: Record<string, string>;
}

/** How a call ended without a response. */
export interface NoResponse {
	/**
	 * `refused`: the call was certainly not accepted, and repeating it may help. `lost`: it may have been accepted. `unsent`: it was never sent completely,
	 * and repeating it doesn't help. `deadlinePassed`: the rate limiter didn't allow it in time.
	 */
	kind: 'refused' | 'lost' | 'unsent' | 'deadlinePassed';
	/** '' if the kind says it all. */
	reason: string;
	/** Only of a lost response whose body was cut short. */
	head?: ResponseHead;
}

/** Codes that mean that the connection was never made. With any other code, the system call decides (docs/n8n.md N109). */
const NEVER_CONNECTED_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);
/** System calls that fail before there is a connection. */
const CONNECTING_CALLS = new Set(['connect', 'getaddrinfo']);
/** Codes that mean that the certificate was rejected. */
const TLS_REJECTION = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_)/;

/** The message of the proxy agent, which has no code, if the proxy closed the connection before it had passed anything on. */
const PROXY_CLOSED = /before receiving CONNECT response/;

/**
 * Classifies an error of the HTTP library by its code. n8n wraps the error, so the code is in the chain of causes. From 1.102 to 2.33 n8n drops the
 * cause and keeps the code in `httpCode`. An error of the library without any code counts as `lost`, because the call may have been sent.
 */
export function faultOf(error: unknown): NoResponse {
	let reason = '';
	let maybeSent = false;
	let current: unknown = error;
	for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
		const link = current as Error & FaultLink;
		reason ||= link.message;
		maybeSent ||= isOfLibrary(link);
		if (PROXY_CLOSED.test(link.message))
			return { kind: 'refused', reason: 'the proxy closed the connection' };
		const code = systemCode(link.code) || systemCode(link.httpCode);
		if (code !== '' && isNeverConnected(code, link))
			return { kind: 'refused', reason: describeFault(code) };
		if (TLS_REJECTION.test(code)) return { kind: 'unsent', reason: describeFault(code) };
		if (code !== '' && code !== 'ERR_BAD_REQUEST') {
			reason = describeFault(code);
			maybeSent = true;
		}
		current = link.cause;
	}
	return { kind: maybeSent ? 'lost' : 'unsent', reason: reason || 'unknown reason' };
}

/** What an error in the chain of causes may have. */
interface FaultLink {
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	isAxiosError?: boolean;
}

/** Whether an error is the HTTP library's, or n8n's for one whose cause it dropped. */
function isOfLibrary({ isAxiosError, name, cause }: Error & FaultLink): boolean {
	if (isAxiosError === true) return true;
	return (
		name === 'AxiosError' ||
		name === 'CanceledError' ||
		(name === 'NodeApiError' && cause === undefined)
	);
}

function isNeverConnected(code: string, { syscall, message }: Error & FaultLink): boolean {
	if (NEVER_CONNECTED_CODES.has(code)) return true;
	return typeof syscall === 'string'
		? CONNECTING_CALLS.has(syscall)
		: message.startsWith(`connect ${code}`);
}

/** Returns a code of the system or of the HTTP library; '' for anything else, such as an HTTP status. */
function systemCode(value: unknown): string {
	return typeof value === 'string' && /^[A-Z]/.test(value) ? value : '';
}

export const TIMED_OUT_REASON = 'it took too long';

const FAULT_TEXTS: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'the host name is unknown',
	EAI_AGAIN: 'the host name could not be looked up',
	EHOSTUNREACH: 'the host is unreachable',
	ENETUNREACH: 'the network is unreachable',
	ECONNRESET: 'the connection was closed',
	ECONNABORTED: TIMED_OUT_REASON,
	ETIMEDOUT: TIMED_OUT_REASON,
	EPIPE: 'the connection was closed',
	ERR_CANCELED: 'it was cancelled',
};

/** Describes a fault without the system's codes, because n8n replaces a message that contains such a code by a general sentence. */
function describeFault(code: string): string {
	if (TLS_REJECTION.test(code)) return `its certificate was not accepted: ${code.toLowerCase()}`;
	return FAULT_TEXTS[code] ?? code.toLowerCase();
}
