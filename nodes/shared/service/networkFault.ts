/** How a call failed before there was a response. */
export interface NetworkFault {
	/** `refused`: certainly not accepted, but a repetition may be. `lost`: may have been accepted. `notSent`: never sent completely, and repeating it doesn't help. */
	kind: 'refused' | 'lost' | 'notSent';
	reason: string;
}

/** Codes of a connection that was never made. For other codes the system call shows it (docs/n8n.md N109). */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);
const CONNECTING = new Set(['connect', 'getaddrinfo']);
const TLS_REFUSED = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_)/;

/**
 * Finds the code of an error of the HTTP library. n8n wraps the error, so the code is in the chain of causes. From 1.102 to 2.33 n8n drops the cause
 * and keeps the code in `httpCode`. Without any code the call may have been sent.
 */
export function faultOf(error: unknown): NetworkFault {
	let reason = '';
	let maybeSent = false;
	let current: unknown = error;
	for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
		const link = current as Error & FaultLink;
		reason ||= link.message;
		maybeSent ||=
			link.isAxiosError === true ||
			['AxiosError', 'CanceledError'].includes(link.name) ||
			(link.name === 'NodeApiError' && link.cause === undefined);
		const code = systemCode(link.code) || systemCode(link.httpCode);
		if (code !== '' && neverConnected(code, link))
			return { kind: 'refused', reason: inWords(code) };
		if (TLS_REFUSED.test(code)) return { kind: 'notSent', reason: inWords(code) };
		if (code !== '' && code !== 'ERR_BAD_REQUEST') {
			reason = inWords(code);
			maybeSent = true;
		}
		current = link.cause;
	}
	return { kind: maybeSent ? 'lost' : 'notSent', reason: reason || 'unknown error' };
}

interface FaultLink {
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	isAxiosError?: boolean;
}

function neverConnected(code: string, { syscall, message }: Error & FaultLink): boolean {
	if (NEVER_CONNECTED.has(code)) return true;
	return typeof syscall === 'string'
		? CONNECTING.has(syscall)
		: message.startsWith(`connect ${code}`);
}

/** A code of the system or the HTTP library; '' for anything else, such as an HTTP status. */
function systemCode(value: unknown): string {
	return typeof value === 'string' && /^[A-Z]/.test(value) ? value : '';
}

export const TIMED_OUT_REASON = 'it took too long';

const WORDS: Record<string, string> = {
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

/** A fault as text, without the system's codes: n8n replaces any message that contains one by a general sentence. */
function inWords(code: string): string {
	if (TLS_REFUSED.test(code)) return `its certificate was not accepted: ${code.toLowerCase()}`;
	return WORDS[code] ?? code.toLowerCase();
}
