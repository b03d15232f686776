import type { IDataObject } from 'n8n-workflow';

import { CHARGE, SegmindFailure, notSent, stopped } from '../base/failure';
import { fingerprintOf, type JournalEntry } from '../journal/journal';
import { tell, type Session } from '../run/session';
import { assertBalance } from '../run/balance';
import { untilStopped } from '../run/untilStopped';
import type { HttpAnswer } from '../service/http';
import { excerpt } from '../service/errorBody';
import { SUBMIT_TIMEOUT_MS, sendOnce, type Sent } from '../service/send';
import { jsonOf, noAnswer, refusal, unusable, type CallSubject } from '../service/unusable';
import { findLost } from '../service/history';
import { refFromId, refFromSubmission, type RequestRef } from './requestRef';

/** A creating call of one item: what is bought. */
export interface Purchase {
	itemIndex: number;
	entry: JournalEntry;
	url: string;
	/** In the user's words: "model 'x'". */
	subject: string;
	purpose: CallSubject['purpose'];
	/** Goes into every output of the request: `{model: slug}` or `{workflow: slug}`. */
	label: IDataObject;
	/** Slug, to look a lost submission up by; undefined when it is not worth looking. */
	slug: string;
	/** The body: exact text, and its value for recognition. Made only when it is really sent, since making it may upload files. */
	makeBody: () => Promise<{ text: string; value: Record<string, unknown> }>;
	/** Limit of the call itself, ms. */
	callTimeoutMs?: number;
	/** How long 429 and 503 may be waited out before acceptance, ms. */
	patienceMs: number;
	resubmitWhenUnknown: boolean;
	/** Least balance to start with, USD. */
	minimumBalance?: number;
	/** Set for what is bought outside the inference API: an endpoint, a training. */
	managed?: ManagedPurchase;
}

/** A purchase that no request history knows, and for which no rollback is promised (specification, Errors, rule 2). */
export interface ManagedPurchase {
	/** What its id is the id of: "endpoint". */
	idOf: string;
	/** Where a person sees whether it was made after all. */
	whereToLook: string;
}

/**
 * Sends a purchase at most once and journals each step. Returns the accepted request, from the journal when it was bought before.
 * @throws SegmindFailure when it was refused, or when it is unknown whether it was accepted
 */
export async function submit(session: Session, purchase: Purchase): Promise<RequestRef> {
	const { ref } = await buy(session, purchase, (answer) => {
		const ref = refFromSubmission(jsonOf(answer));
		return ref ? { ref } : undefined;
	});
	return ref;
}

/**
 * The purchase itself. `read` takes what it needs from a success, or gives undefined when the answer is unusable; what it returns is also
 * what the journal keeps as the accepted request.
 */
export async function buy<T extends { ref: RequestRef }>(
	session: Session,
	purchase: Purchase,
	read: (answer: HttpAnswer) => T | undefined,
): Promise<T | { ref: RequestRef }> {
	const { entry } = purchase;
	if (entry.state === 'sending') {
		const found = await findAgain(session, purchase);
		if (found) return { ref: found };
		if (!purchase.resubmitWhenUnknown)
			throw unknownOutcome(purchase, 'an earlier try lost the connection while sending it');
	}
	if (session.halt) throw notSent(session.halt);
	await assertBalance(session, purchase.minimumBalance);
	const body = await purchase.makeBody();
	if (session.halt) throw notSent(session.halt);

	if (session.signal?.aborted) throw stopped();
	return await untilStopped(session, sendAndJournal(session, purchase, body, read));
}

async function sendAndJournal<T extends { ref: RequestRef }>(
	session: Session,
	purchase: Purchase,
	body: { text: string; value: Record<string, unknown> },
	read: (answer: HttpAnswer) => T | undefined,
): Promise<T | { ref: RequestRef }> {
	const { entry, subject, purpose } = purchase;
	const makeCall = async () => {
		entry.state = 'sending';
		entry.sentAt = session.clock.now();
		entry.fingerprint = fingerprintOf(body.value);
		return {
			method: 'POST' as const,
			url: purchase.url,
			headers: { 'content-type': 'application/json', accept: '*/*' },
			body: body.text,
			timeoutMs: purchase.callTimeoutMs ?? SUBMIT_TIMEOUT_MS,
		};
	};
	let sent: Sent | undefined;
	try {
		sent = await session.journal.whileUnderWay(
			entry,
			async () =>
				await sendOnce(session, makeCall, {
					lane: 'urgent',
					deadline: session.clock.now() + purchase.patienceMs,
					onRefused: () => session.journal.renew(entry),
				}),
		);
	} finally {
		// Stopped while it waited for its turn or for a limit: nothing of it is under way.
		if (sent === undefined) session.journal.renew(entry);
	}
	if (sent.kind === 'unknown')
		return await resolveUnknown(
			session,
			purchase,
			`no answer came, because ${excerpt(sent.fault.reason)}`,
		);
	if (sent.kind === 'answer' && purchase.managed && isServerFault(sent.answer.status)) {
		const { message } = refusal(session, sent.answer, { purpose, subject }).facts;
		throw unknownOutcome(purchase, message, sent.answer.status);
	}
	if (sent.kind !== 'answer' || sent.answer.status < 200 || sent.answer.status >= 300) {
		session.journal.renew(entry);
		const failure =
			sent.kind === 'answer'
				? refusal(session, sent.answer, { purpose, subject })
				: noAnswer(session, sent, { purpose, subject });
		if (failure.facts.haltsRun) session.halt ??= failure.facts;
		throw failure;
	}
	const bought = read(sent.answer);
	if (!bought) {
		const found = await findAgain(session, purchase);
		if (found) return { ref: found };
		throw unusable(
			session,
			sent.answer,
			{ purpose, subject },
			`The request may have been accepted and charged. A retry does not send it again unless Resubmit When Unknown is on; ${purchase.managed?.whereToLook ?? 'the request history in the Segmind console shows whether it ran'}.`,
		);
	}
	accepted(session, purchase, bought.ref);
	return bought;
}

async function resolveUnknown(
	session: Session,
	purchase: Purchase,
	why: string,
): Promise<{ ref: RequestRef }> {
	const found = await findAgain(session, purchase);
	if (found) return { ref: found };
	throw unknownOutcome(purchase, why);
}

/** Asks the request history for a submission whose answer was lost. */
async function findAgain(
	session: Session,
	{ entry, slug, ...purchase }: Purchase,
): Promise<RequestRef | undefined> {
	const { sentAt, fingerprint } = entry;
	if (sentAt === undefined || fingerprint === undefined || slug === '') return undefined;
	const requestId = await findLost(session, { model: slug, sentAt, fingerprint });
	if (requestId === undefined) return undefined;
	const ref = refFromId(requestId, session.urls.baseUrl);
	accepted(session, { ...purchase, entry, slug }, ref);
	return ref;
}

/** Journals and logs an accepted request. The id stands in the message itself: n8n prints no metadata (platform fact 40). */
function accepted(
	session: Session,
	{ entry, itemIndex, subject, managed }: Purchase,
	ref: RequestRef,
): void {
	entry.state = 'accepted';
	entry.request = ref;
	entry.acceptedAt = session.clock.now();
	if (ref.request_id === '') return;
	const named = `${managed?.idOf ?? 'request'} ${ref.request_id}`;
	session.requestIds.set(itemIndex, ref.request_id);
	session.context.logger.info(
		`Segmind accepted ${named} for ${subject} (execution ${session.context.getExecutionId()}, node "${session.node.name}", item ${itemIndex})`,
	);
	tell(session, itemIndex, `${named} accepted`);
}

function unknownOutcome(
	{ subject, managed }: Purchase,
	why: string,
	httpCode?: number,
): SegmindFailure {
	const looked = managed
		? `${managed.whereToLook.charAt(0).toUpperCase()}${managed.whereToLook.slice(1)}.`
		: 'It was looked for in the request history and not found there.';
	return new SegmindFailure({
		message: `The request for ${subject} may have been accepted: ${why}`,
		description: `${CHARGE.unknown} ${looked} A retry does not send it again, so that nothing is paid twice; turn on the option Resubmit When Unknown to send it again.`,
		httpCode,
		outcomeUnknown: true,
	});
}

/** 503 was waited out and says itself that nothing was done. */
export function isServerFault(status: number): boolean {
	return status >= 500 && status !== 503;
}
