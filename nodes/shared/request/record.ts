import { randomUUID } from 'node:crypto';

import { toOneLine } from '../base/text';
import { resentHint } from '../errors/errorRows';
import { say, type Said } from '../errors/say';
import { callRegister } from '../journal/callRegister';
import { refOf, type Entry, type Output } from '../journal/entry';
import { callableRef, type RequestRef } from '../service/requestRef';
import { outputToKeep, type ItemJournal } from '../journal/journal';
import { CostLimit } from '../run/costLimit';
import { showProgress, type Run } from '../run/run';
import type { CallWatch } from '../service/repeat';
import { FIRST_STATUS, type StatusWatch } from './poll/poll';
import type { Loss, PreparedRequest, OwnCall, Submission } from './submission';

/**
 * What is known of an item's request, and the only writer of it. Each method records one thing that happened: in the journal first, then in the register of
 * calls, the cost count, the report of the run and the log. The client calls `sending` and `notAccepted` while a call is under way, even after Stop.
 */
export class RequestRecord implements CallWatch, StatusWatch {
	/** What n8n stores of the request; undefined if nothing was sent, or what was sent is free. */
	entry?: Entry;

	/** The call that this attempt has sent, unless it certainly wasn't accepted. */
	ownCall?: OwnCall;

	/** What this attempt sends, once it's ready. */
	request?: PreparedRequest;

	/** A sentence about the earlier request, if this attempt sends another one that may be charged as well. */
	aboutEarlier?: Said;

	private readonly itemJournal: ItemJournal;

	private costLimit?: CostLimit;

	/** ID of the call: that of the resumed entry or, for a new request, of the call that this attempt sends. Also the key of its reservation. */
	private callId = randomUUID() as string;

	constructor(
		readonly run: Run,
		readonly submission: Submission,
	) {
		this.itemJournal = run.journal.ofItem(submission.itemIndex);
	}

	/** Resumes the entry that earlier attempts left for the same unevaluated parameters, or else for the same evaluated request. */
	async resume(digestOfRequest: () => Promise<string>): Promise<void> {
		const { sameEntry } = this.itemJournal;
		if (sameEntry) {
			this.take(sameEntry);
			return;
		}
		if (this.itemJournal.leftEntries.length === 0) return;
		const requestDigest = await digestOfRequest();
		// Read again, and taken without an await in between: otherwise, two runs in the editor could resume the same request.
		const entry = this.itemJournal.leftEntries.find((left) => left.requestDigest === requestDigest);
		if (entry) this.take(entry);
	}

	/** The earlier request is to be resent. `finding`: a sentence about what the search for it showed. */
	toBeResent(finding: Said): void {
		this.aboutEarlier = finding;
	}

	/** Reserves the cost, if Max Cost is set. @throws SegmindFailure if the limit would be exceeded, or when stopped */
	async reserve(): Promise<void> {
		// An earlier call that is resent may be charged, too.
		if (this.entry) this.costs?.keepExpectedCost(this.callId);
		this.callId = randomUUID();
		await this.costs?.reserve(this.callId, this.submission);
	}

	/** The request is ready to be sent. */
	readyToSend(request: PreparedRequest): void {
		const { run, submission } = this;
		this.request = request;
		run.report.readyToSend(submission.itemIndex, submission.publishedCost);
	}

	/** The call goes out now. */
	sending(): void {
		const { entry, request, run, callId: id } = this;
		if (!request) return;
		const earlier = entry?.is === 'sent' ? { ...entry, earlier: undefined } : undefined;
		const { requestDigest, trace } = request;
		const { credentialId } = run.journal;
		const at = run.clock.now();
		this.write({ is: 'sent', id, at, credentialId, requestDigest, trace, earlier });
		callRegister.begin(id, trace.likeness);
		this.ownCall = {};
	}

	/** The call that went out last certainly wasn't accepted: it was rejected, or never went out. */
	notAccepted(): void {
		const { entry, ownCall } = this;
		if (!ownCall || entry?.is !== 'sent') return;
		this.write(entry.earlier);
		callRegister.forget(entry.id);
		this.ownCall = undefined;
	}

	/** The response was lost: nobody can tell whether the request was accepted. */
	lost(loss: Loss): void {
		const { entry, run, submission } = this;
		if (entry?.is !== 'sent') return;
		const { refusal } = loss;
		const lostAt = run.clock.now();
		this.hintAtResend();
		// The first call to version 1 may still be running, whoever responded.
		const isFree = loss.by === 'gateway' && submission.responds === 'reference';
		this.write({
			...entry,
			earlier: undefined,
			lostAt,
			...(isFree && { isFree: true as const }),
			refusal,
		});
		// The row of a call that was answered with an error is no other item's.
		if (refusal) callRegister.accept(entry.id, refusal.requestId, lostAt);
		else callRegister.lose(entry.id);
		this.ownCall = { loss };
	}

	/** The response to this attempt's call shows that it was accepted. `ref` is undefined if the response named no ID. `result`: see `OwnCall`. */
	accepted(ref: RequestRef | undefined, result: OwnCall['result']): void {
		this.hintAtResend();
		this.ownCall = { result };
		this.accept(ref);
	}

	/** A lost call was accepted, as a late response or the request history shows. A late response may name no ID. */
	adopt(requestId: string | undefined, shownBy: 'response' | 'history'): void {
		const { run, submission, ownCall } = this;
		const { urls } = run.client;
		this.accept(requestId === undefined ? undefined : callableRef({ request_id: requestId }, urls));
		const shownId = refOf(this.entry)?.request_id;
		if (shownBy === 'history') run.report.found(submission.itemIndex, shownId);
		else if (!ownCall) run.report.resumed(submission.itemIndex, shownId);
	}

	/** Receives each new status of the request. COMPLETED is charged, whatever is seen later, so it's recorded before the result is read. */
	onStatus(word: string): void {
		if (word === 'COMPLETED') this.completed();
		else this.noteStatus(word);
		const requestId = refOf(this.entry)?.request_id;
		showProgress(this.run, this.submission.itemIndex, `request ${requestId} is ${word}`);
	}

	/** The result has been fetched. `cost` is in USD; undefined if the service reported none. */
	resultFetched(cost: number | undefined): void {
		this.completed(cost);
		this.costs?.costReported(this.callId, cost);
		// An earlier run reported the cost of a resumed request, or at least its ID.
		if (!this.ownCall || cost === undefined) return;
		this.run.report.charged(this.submission.itemIndex, cost);
	}

	/** The output was made. It's kept so that a retry can deliver it again. */
	delivered(made: Output): void {
		const { entry, run } = this;
		if (entry?.is !== 'accepted') return;
		const output = outputToKeep(made, entry.ref, run.journal.presentationDigest);
		this.write({ ...entry, output });
	}

	/** The request ended without a result, so it isn't resumed again. A failed one is free; nobody will report the cost of an expired one. */
	forgetAsReplaceable(ref: RequestRef, why: 'failed' | 'expired'): void {
		this.aboutEarlier = why === 'expired' ? expiredSentence(ref) : undefined;
		this.write(undefined);
		if (why === 'failed') this.costs?.cancel(this.callId);
		else this.costs?.keepExpectedCost(this.callId);
		this.callId = randomUUID();
		this.run.report.replaceable(this.submission.itemIndex);
	}

	/** The attempt ends, and with it the wait for a reported cost. A request that was rejected or not sent costs nothing. */
	close(): void {
		if (this.entry?.id === this.callId) this.costs?.keepExpectedCost(this.callId);
		else this.costs?.cancel(this.callId);
	}

	private write(entry: Entry | undefined): void {
		this.entry = entry;
		this.itemJournal.write(entry);
	}

	private take(entry: Entry): void {
		this.write(entry);
		this.callId = entry.id;
		this.costs?.reopen(entry.id, this.submission);
		if (entry.is === 'sent') return;
		// Its output may be kept, so that no result reports the cost again.
		if (entry.cost !== undefined) this.costs?.costReported(entry.id, entry.cost);
		const { run, submission } = this;
		run.report.resumed(submission.itemIndex, entry.ref?.request_id);
		this.noteStatus(FIRST_STATUS);
	}

	private accept(receivedRef: RequestRef | undefined): void {
		const { entry, run, submission, callId: id } = this;
		const at = run.clock.now();
		// It was submitted no later than when its response was lost, or now.
		const submittedAt = new Date((entry?.is === 'sent' ? entry.lostAt : undefined) ?? at);
		const ref: RequestRef | undefined = receivedRef && {
			...receivedRef,
			...submission.madeBy,
			submitted_at: submittedAt.toISOString(),
		};
		this.write({ is: 'accepted', id, at, requestDigest: entry?.requestDigest, ref });
		callRegister.accept(id, ref?.request_id, submittedAt.getTime());
		run.report.accepted(submission.itemIndex, ref?.request_id);
		this.noteStatus(FIRST_STATUS);
		if (ref) this.logAcceptance(ref.request_id);
	}

	private completed(cost?: number): void {
		const { entry } = this;
		if (entry?.is === 'accepted')
			this.write({ ...entry, hasCompleted: true, cost: cost ?? entry.cost });
		this.noteStatus('COMPLETED');
	}

	/** Notes the last known status, for the item's error. COMPLETED stays, because it was charged. */
	private noteStatus(status: string): void {
		const { entry, run, submission } = this;
		const hasCompleted = entry?.is === 'accepted' && entry.hasCompleted === true;
		run.report.statusSeen(submission.itemIndex, hasCompleted ? 'COMPLETED' : status);
	}

	/** Created only if Max Cost is set, because n8n stores the cost count with the execution. */
	private get costs(): CostLimit | undefined {
		const { context, clock, signal } = this.run;
		const { maximumCost: limit } = this.submission.options;
		if (limit === undefined) return undefined;
		this.costLimit ??= new CostLimit(context, limit, clock, signal);
		return this.costLimit;
	}

	/** Adds the hint that a request was resent, once the resend may have been accepted. */
	private hintAtResend(): void {
		const { aboutEarlier, run, submission } = this;
		const { itemIndex: item, subject } = submission;
		if (aboutEarlier === undefined) return;
		run.report.addHint({ item, text: resentHint(subject, aboutEarlier) });
	}

	/** Logs the ID at once, in case the execution crashes later. The ID is in the message itself, because n8n prints no metadata (docs/n8n.md N153). */
	private logAcceptance(requestId: string): void {
		const { context, node } = this.run;
		const { itemIndex, subject } = this.submission;
		context.logger.info(
			toOneLine(
				`Segmind accepted request ${requestId} for ${this.run.redact(subject)} (execution ${context.getExecutionId()}, node "${node.name}", item ${itemIndex})`,
			),
		);
		showProgress(this.run, itemIndex, `request ${requestId} accepted`);
	}
}

function expiredSentence({ request_id: id }: RequestRef): Said {
	return say`Request ${id} expired before its result was read.`;
}
