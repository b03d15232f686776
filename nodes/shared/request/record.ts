import { randomUUID } from 'node:crypto';

import { resentHint } from '../errors/failures';
import { say, type Said } from '../errors/say';
import { callRegister } from '../journal/callRegister';
import type { Entry, KeptOutput, Output } from '../journal/entry';
import { callableRef, type RequestRef } from '../service/requestRef';
import { outputToKeep, type ItemJournal } from '../journal/journal';
import { CostLimit } from '../run/costLimit';
import { logAcceptance, showProgress, type Run } from '../run/run';
import type { CallWatch } from '../service/repeat';
import { AcceptedRequest, FIRST_STATUS } from './poll/acceptedRequest';
import type { Loss, PreparedRequest, Submission } from './submission';

/**
 * What is known of an item's request, and the only writer of it. Each method records one thing that happened: in the journal first, then in the register of
 * calls, the cost count and the log. The client calls `sending` and `notAccepted` while a call is under way, even after Stop.
 */
export class RequestRecord implements CallWatch {
	/** The accepted request, unless another one may replace it. */
	request?: AcceptedRequest<RequestRef | undefined>;

	/** Whether this attempt has sent a call, unless that certainly wasn't accepted. */
	hasSent = false;

	/** How the response to that call was lost. */
	loss?: Loss;

	/** What this attempt sends, once it's ready. */
	prepared?: PreparedRequest;

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

	/** What n8n stores of the request; undefined if nothing was sent, or what was sent is free. */
	get entry(): Entry | undefined {
		return this.itemJournal.entry;
	}

	/** The output that an earlier attempt made. */
	get keptOutput(): KeptOutput | undefined {
		return this.entry?.is === 'accepted' ? this.entry.output : undefined;
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
	readyToSend(prepared: PreparedRequest): void {
		const { run, submission } = this;
		this.prepared = prepared;
		run.events.readyToSend(submission.itemIndex, submission.publishedCost);
	}

	/** The call goes out now. */
	sending(): void {
		const { entry, prepared, run, callId: id } = this;
		if (!prepared) return;
		const earlier = entry?.is === 'sent' ? { ...entry, earlier: undefined } : undefined;
		const { requestDigest, callDigest, fingerprint } = prepared;
		const { credentialId } = run.journal;
		const at = run.clock.now();
		const digests = { requestDigest, callDigest, fingerprint };
		this.itemJournal.write({ is: 'sent', id, at, credentialId, ...digests, earlier });
		callRegister.begin(id, callDigest);
		this.hasSent = true;
	}

	/** The call that went out last certainly wasn't accepted: it was rejected, or never went out. */
	notAccepted(): void {
		const { entry } = this;
		if (!this.hasSent || entry?.is !== 'sent') return;
		this.itemJournal.write(entry.earlier);
		callRegister.forget(entry.id);
		this.hasSent = false;
	}

	/** The response was lost: nobody can tell whether the request was accepted. */
	lost(loss: Loss): void {
		const { entry, run } = this;
		if (entry?.is !== 'sent') return;
		const { isFree, refusal } = loss;
		const lostAt = run.clock.now();
		this.hintAtResend();
		this.itemJournal.write({ ...entry, earlier: undefined, lostAt, isFree, refusal });
		// The row of a call that was answered with an error is no other item's.
		if (refusal) callRegister.accept(entry.id, refusal.requestId, lostAt);
		else callRegister.lose(entry.id);
		this.loss = loss;
	}

	/** The response to this attempt's call shows that it was accepted. `ref` is undefined if the response named no ID. */
	accepted(ref: RequestRef | undefined): void {
		this.hintAtResend();
		this.accept(ref);
	}

	/** A lost call was accepted, as a late response or the request history shows. A late response may name no ID. */
	adopt(requestId: string | undefined, shownBy: 'response' | 'history'): void {
		const { urls } = this.run.client;
		const ref = requestId === undefined ? undefined : callableRef({ request_id: requestId }, urls);
		this.accept(ref, shownBy === 'history' || !this.hasSent);
	}

	/** The result has been fetched. `cost` is in USD; undefined if the service reported none. */
	resultFetched(cost: number | undefined): void {
		this.request?.resultFetched(cost);
		this.costs?.costReported(this.callId, cost);
	}

	/** The output was made. It's kept so that a retry can deliver it again. */
	delivered(made: Output): void {
		const { entry, run } = this;
		if (entry?.is !== 'accepted') return;
		const output = outputToKeep(made, entry.ref, run.journal.presentationDigest);
		this.itemJournal.write({ ...entry, output });
	}

	/** The request ended without a result, so it isn't resumed again. A failed one is free; nobody will report the cost of an expired one. */
	forgetAsReplaceable({ ref }: AcceptedRequest, why: 'failed' | 'expired'): void {
		this.aboutEarlier = why === 'expired' ? expiredSentence(ref) : undefined;
		this.itemJournal.write(undefined);
		this.followEntry();
		if (why === 'failed') this.costs?.cancel(this.callId);
		else this.costs?.keepExpectedCost(this.callId);
		this.callId = randomUUID();
	}

	/** The attempt ends, and with it the wait for a reported cost. A request that was rejected or not sent costs nothing. */
	close(): void {
		if (this.entry?.id === this.callId) this.costs?.keepExpectedCost(this.callId);
		else this.costs?.cancel(this.callId);
	}

	private take(entry: Entry): void {
		this.itemJournal.write(entry);
		this.callId = entry.id;
		this.costs?.reopen(entry.id, this.submission);
		if (entry.is === 'sent') return;
		// Its output may be kept, so that no result reports the cost again.
		if (entry.cost !== undefined) this.costs?.costReported(entry.id, entry.cost);
		this.followEntry(true);
	}

	private accept(receivedRef: RequestRef | undefined, isResumed = false): void {
		const { entry, run, submission, callId: id } = this;
		const at = run.clock.now();
		// It was submitted no later than when its response was lost, or now.
		const submittedAt = new Date((entry?.is === 'sent' ? entry.lostAt : undefined) ?? at);
		const ref: RequestRef | undefined = receivedRef && {
			...receivedRef,
			...submission.madeBy,
			submitted_at: submittedAt.toISOString(),
		};
		this.itemJournal.write({ is: 'accepted', id, at, requestDigest: entry?.requestDigest, ref });
		callRegister.accept(id, ref?.request_id, submittedAt.getTime());
		this.followEntry(isResumed);
		if (!ref) return;
		const { itemIndex, subject } = submission;
		logAcceptance(run, itemIndex, `request ${ref.request_id} for ${run.redact(subject)}`);
		showProgress(run, itemIndex, `request ${ref.request_id} accepted`);
	}

	/** From now on, the request is that of the entry. The events of the run keep it until the run ends, so they must not keep this record, whose inputs can be large. */
	private followEntry(isResumed = false): void {
		const { run, entry, itemJournal } = this;
		const { itemIndex } = this.submission;
		this.request =
			entry?.is === 'accepted'
				? new AcceptedRequest(entry.ref && callableRef(entry.ref, run.client.urls), {
						// The journal doesn't keep the status of a request that was running.
						status: isResumed ? undefined : FIRST_STATUS,
						hasCompleted: entry.hasCompleted,
						isResumed,
						show: (text) => showProgress(run, itemIndex, text),
						journal: itemJournal,
					})
				: undefined;
		run.events.follow(itemIndex, this.request);
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
		run.events.addHint({ item, text: resentHint(subject, aboutEarlier) });
	}
}

function expiredSentence({ request_id: id }: RequestRef): Said {
	return say`Request ${id} expired before its result was read.`;
}
