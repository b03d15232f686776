import { SegmindFailure } from '../../base/failure';
import { CAUSES } from '../../errors/errorTable';
import { failureOf } from '../../errors/failures';
import {
	decide,
	type Entry,
	type KeptOutput,
	type RequestRef,
	type Searched,
	type SentEntry,
} from '../../journal/entry';
import { requestIdOf } from '../../journal/journal';
import type { Session } from '../../run/session';
import { findLost } from '../recover/findLost';
import { acceptFound } from './accept';
import { evaluatedDigest, journalOf, likenessOf, policyOf, type Submission } from './submission';
import { refused, searchedWords } from './submissionErrors';

/** What comes next for an item. */
type Step =
	| { do: 'give'; output: KeptOutput; ref?: RequestRef }
	| { do: 'ask'; ref: RequestRef }
	| { do: 'send' };

/**
 * Decides what an item needs before anything is sent: its entry in the journal, what this process remembers, and, for a call that may have been
 * accepted, the request history.
 * @throws SegmindFailure when nothing may be sent and nothing can be asked for
 */
export async function nextStep(session: Session, submission: Submission): Promise<Step> {
	const journal = journalOf(session, submission);
	const left = await journal.find(async () => await evaluatedDigest(submission));
	hintAtLeft(session, submission, left);
	const { entry } = journal;
	const policy = policyOf(session, submission);
	let searched: Searched | undefined;
	let decision = decide(entry, policy);
	if (decision.do === 'search' && entry?.is === 'sent') {
		searched = await search(session, submission, entry);
		decision = decide(entry, policy, searched);
	}
	switch (decision.do) {
		case 'accept':
			return { do: 'ask', ref: acceptFound(session, submission, decision.requestId) };
		case 'send':
			if (entry?.is === 'sent') hintAtResend(session, submission, searched);
			return { do: 'send' };
		case 'give':
		case 'ask': {
			// The error of a run names the requests of earlier tries too.
			const id = requestIdOf(entry);
			if (id !== '') session.requestIds.set(submission.itemIndex, id);
			const ref = entry?.is === 'done' ? entry.ref : undefined;
			return decision.do === 'give' ? { ...decision, ref } : decision;
		}
		case 'refuse':
			throw refused(submission, decision.why, entry, searched);
		case 'search':
			throw new Error('A search was decided on twice');
	}
}

/** Searches the request history for a call that may have been accepted. @throws SegmindFailure when stopped */
export async function search(
	session: Session,
	submission: Submission,
	entry: SentEntry,
): Promise<Searched> {
	const { client } = session;
	const searching = findLost(client, {
		entry,
		model: submission.slug ?? '',
		likeness: likenessOf(submission, entry.fingerprint ?? {}),
		endsAt: client.clock.now() + submission.options.timeoutMs,
	});
	return await searching.catch((error: unknown) => {
		const isStop = error instanceof SegmindFailure && error.facts.kind === 'stopped';
		return Promise.reject(
			isStop ? failureOf('stopped', CAUSES.stoppedSearching, {}, { outcomeUnknown: true }) : error,
		);
	});
}

/** Whatever is sent again says so. */
function hintAtResend(
	session: Session,
	{ itemIndex, subject }: Submission,
	searched: Searched | undefined,
): void {
	session.hints.add(
		`Item ${itemIndex}: the request for ${subject} was sent again, although an earlier try of it may have been accepted. ${searchedWords(searched)}`,
	);
}

/** Requests of an earlier try, or of an earlier run in the editor, that asked for something else. */
function hintAtLeft(session: Session, { itemIndex }: Submission, left: Entry[]): void {
	if (left.length === 0) return;
	const ids = left.map(requestIdOf).filter((id) => id !== '');
	const [was, where] =
		ids.length > 0
			? [`was accepted as request ${ids.join(', ')}`, 'Get Result fetches it by its ID.']
			: ['may have been accepted', 'If it was, Get Many shows its request.'];
	session.hints.add(
		`Item ${itemIndex}: an earlier ${session.isManual ? 'run of this step' : 'try'} asked for something else and ${was}. It was left, and a new request is made. The operation ${where}`,
	);
}
