import { wait } from '../base/clock';
import { stopped } from '../base/failure';
import { SEGMIND_API, type CallSession, type Session } from '../run/session';
import type { Lane } from './rateLimiter';
import {
	callService,
	type HttpAnswer,
	type HttpCall,
	type HttpOutcome,
	type NetworkFault,
} from './http';
import { retryAfterMs } from './rateLimitHeaders';

/** Limits of single calls, ms (design.md section 2, Options). */
export const SUBMIT_TIMEOUT_MS = 60_000;
export const READ_TIMEOUT_MS = 30_000;

const BACKOFF_FIRST_MS = 500;
const BACKOFF_LONGEST_MS = 15_000;
/** A creating call to an address that refuses the connection is tried so often in all. */
const REFUSED_TRIES = 4;

export type Sent =
	| { kind: 'answer'; answer: HttpAnswer }
	/** The deadline came first; `answer` is the last 429 or 5xx, if any. */
	| { kind: 'late'; answer?: HttpAnswer; fault?: NetworkFault }
	/** Certainly not accepted: nobody answered the connection, or n8n refused to send. */
	| { kind: 'unreachable'; fault: NetworkFault }
	/** May have been accepted: the connection was lost, or timed out, mid-request. */
	| { kind: 'unknown'; fault: NetworkFault };

export interface SendRules {
	lane: Lane;
	/** When to give up, ms since the epoch. */
	deadline: number;
	/** Called when a try certainly was not accepted and will be repeated. */
	onRefused?: () => void;
	/** Only known to make the text of a stop exact. */
	requestId?: string;
}

/** One attempt through the gate, `call` made when its turn has come; 429 is answered to the gate. Throws only when stopped. */
export async function attempt(
	session: CallSession,
	call: HttpCall | (() => Promise<HttpCall>),
	{ lane, deadline, requestId }: SendRules,
): Promise<Sent> {
	const turn = await session.gate.enter(lane, endOf(session, deadline), session.signal);
	if (turn === 'stopped') throw stopped(requestId);
	if (turn === 'late') return { kind: 'late' };
	let outcome: HttpOutcome | undefined;
	try {
		// Made only now: what it notes down is true from the moment it is sent.
		outcome = await callService(
			session.context,
			SEGMIND_API,
			withinTime(session, typeof call === 'function' ? await call() : call),
		);
	} finally {
		if (outcome === undefined) session.gate.done(lane, 0, {});
	}
	if ('fault' in outcome) {
		session.gate.done(lane, 0, {});
		if (outcome.fault.kind === 'lost') return { kind: 'unknown', fault: outcome.fault };
		return { kind: 'unreachable', fault: outcome.fault };
	}
	const { answer } = outcome;
	const serverTime = Date.parse(answer.headers.date ?? '');
	if (!Number.isNaN(serverTime)) session.serverOffsetMs = serverTime - session.clock.now();
	session.gate.done(lane, answer.status, answer.headers);
	return { kind: 'answer', answer };
}

/**
 * A creating call: sent again only when it certainly was not accepted (design.md section 4, Money). 429 and 503 are waited out until the
 * deadline; a refused connection is tried a few times.
 */
export async function sendOnce(
	session: Session,
	makeCall: () => Promise<HttpCall>,
	rules: SendRules,
): Promise<Sent> {
	for (let tries = 1; ; tries++) {
		const sent = await attempt(
			session,
			async () => ({ finishWhenStopped: true, ...(await makeCall()) }),
			rules,
		);
		const waitable =
			sent.kind === 'answer' && (sent.answer.status === 429 || sent.answer.status === 503);
		const refused =
			sent.kind === 'unreachable' && sent.fault.kind === 'refused' && tries < REFUSED_TRIES;
		if (!waitable && !refused) return sent;
		rules.onRefused?.();
		if (await waitedTooLong(session, sent, tries, rules)) return late(sent);
	}
}

/** A reading call: survives 429, 5xx and network faults until the deadline. */
export async function sendUntilAnswered(
	session: CallSession,
	call: HttpCall,
	rules: SendRules,
): Promise<Sent> {
	for (let tries = 1; ; tries++) {
		const sent = await attempt(session, call, rules);
		if (sent.kind === 'late' || !isPassing(sent)) return sent;
		if (await waitedTooLong(session, sent, tries, rules)) return late(sent);
	}
}

/** True for what a later call may well get past: 429, 5xx, network faults. */
export function isPassing(sent: Sent): boolean {
	if (sent.kind === 'answer') return sent.answer.status === 429 || sent.answer.status >= 500;
	return sent.kind === 'unknown' || (sent.kind === 'unreachable' && sent.fault.kind === 'refused');
}

async function waitedTooLong(
	session: CallSession,
	sent: Sent,
	tries: number,
	rules: SendRules,
): Promise<boolean> {
	const now = session.clock.now();
	// After a 429 the gate itself holds the next call back.
	const gated = sent.kind === 'answer' && sent.answer.status === 429;
	const asked = sent.kind === 'answer' ? retryAfterMs(sent.answer.headers, now) : undefined;
	const backoff =
		Math.min(BACKOFF_FIRST_MS * 2 ** (tries - 1), BACKOFF_LONGEST_MS) * (0.75 + Math.random() / 2);
	const pause = gated ? Math.max(session.gate.pauseEndsAt - now, 0) : (asked ?? backoff);
	if (now + pause >= endOf(session, rules.deadline)) return true;
	if (!gated) await wait(session.clock, pause, { signal: session.signal });
	if (session.signal?.aborted) throw stopped(rules.requestId);
	return false;
}

function endOf(session: CallSession, deadline: number): number {
	return Math.min(deadline, session.endsAt ?? Infinity);
}

/** A poll's call is cut to what is left of the poll's time, but never to nothing: a call just let through may still be answered. */
function withinTime(session: CallSession, call: HttpCall): HttpCall {
	if (session.endsAt === undefined) return call;
	const left = Math.max(session.endsAt - session.clock.now(), 1_000);
	return { ...call, timeoutMs: Math.min(call.timeoutMs, left) };
}

function late(sent: Sent): Sent {
	if (sent.kind === 'answer') return { kind: 'late', answer: sent.answer };
	return sent.kind === 'late' ? sent : { kind: 'late', fault: sent.fault };
}
