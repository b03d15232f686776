import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { toOneLine } from '../base/text';
import { callRegister } from '../journal/calls';
import { refOf, tracedCallOf, type Entry, type RequestRef, type SentEntry } from '../journal/entry';
import type { ItemJournal } from '../journal/journal';
import { CostLimit } from '../run/costLimit';
import { showProgress, type Session } from '../run/session';
import type { CallWatch } from '../service/client';
import type { StatusWatch } from './poll/poll';
import type { SearchResult } from './search/matchRows';
import type { Loss, PreparedRequest, SentCall, Submission, SubmissionResponse } from './submission';
import { leftHint, resendHint } from './submissionErrors';

/**
 * What is known of an item's request. The only writer of its entry, the register of calls, the cost count and the log: each method records one thing
 * that happened, and writes the entry and the register without an await in between. The client calls `sending` and `notAccepted` while a call is under
 * way, and even after Stop has ended the attempt, so they concern the call that went out last. An event never changes the entry of another call.
 */
export class RequestRecord implements CallWatch, StatusWatch {
	/** What this attempt sends, once it is prepared. */
	request?: PreparedRequest;

	sent?: SentCall;

	private readonly journal: ItemJournal;

	private costLimit?: CostLimit;

	/** ID of the call: that of the resumed entry or, for a new request, of the call that this attempt sends. Also the key of its reservation. */
	private id = randomUUID() as string;

	/** Entries that earlier attempts left for other parameters. */
	private unresumed: readonly Entry[] = [];

	/** For a resend: what the request history shows of the earlier request. */
	private searchResult?: SearchResult;

	constructor(
		private readonly session: Session,
		private readonly submission: Submission,
	) {
		this.journal = session.journal.ofItem(submission.itemIndex);
	}

	/** What n8n stores of the request. It's read from the journal, because another run of the same item may change it. */
	get entry(): Entry | undefined {
		return this.journal.entry;
	}

	/**
	 * Resumes the entry that earlier attempts left for the same unevaluated parameters, or else for the same evaluated request. Without one, remembers the
	 * others for a hint.
	 */
	async resume(digestOfRequest: () => Promise<string>): Promise<void> {
		const { sameEntry } = this.journal;
		if (sameEntry) this.take(sameEntry);
		else if (this.journal.otherEntries.length > 0) {
			const evaluated = await digestOfRequest();
			const { otherEntries } = this.journal;
			const entry = otherEntries.find((other) => other.evaluated === evaluated);
			this.unresumed = entry ? [] : otherEntries;
			if (entry) this.take(entry);
		}
	}

	/** Reserves the cost, if Max Cost is set. @throws SegmindFailure if the limit would be exceeded, or when stopped */
	async reserve(): Promise<void> {
		const { submission } = this;
		const limit = submission.presentation.options.maximumCost;
		// Nobody will report a cost of the lost request that this one resends.
		this.endReservation(false);
		this.id = randomUUID();
		if (limit === undefined) return;
		const { slug, publishedCost } = submission;
		await this.costs?.reserve(this.id, { slug, limit, publishedCost });
	}

	prepare(request: PreparedRequest, searchResult?: SearchResult): void {
		Object.assign(this, { request, searchResult });
	}

	/** The call goes out now. The register forgets the earlier call that this call resends, because that call's row in the history no longer matters. */
	sending(): void {
		const { entry, request, session } = this;
		const at = session.clock.now();
		const earlier = entry?.is === 'sent' ? { ...entry, earlier: undefined } : undefined;
		const timeoutMs = request?.oneCallTimeoutMs;
		const call: SentEntry = {
			is: 'sent',
			id: this.id,
			at,
			by: session.journal.credential,
			evaluated: request?.evaluated,
			trace: request?.trace,
			runsUntil: timeoutMs === undefined ? undefined : at + timeoutMs,
			earlier,
		};
		this.journal.write(call);
		if (earlier) callRegister.forget(earlier);
		callRegister.begin(call);
		this.sent = { id: call.id };
	}

	/** The call that went out last certainly wasn't accepted: it was rejected, or never went out. */
	notAccepted(): void {
		const { entry, sent } = this;
		if (!sent) return;
		if (entry?.is === 'sent' && entry.id === sent.id) this.journal.write(entry.earlier);
		callRegister.forget(sent);
		this.sent = undefined;
	}

	/** The response was lost: nobody can tell whether the request was accepted. */
	lost(loss: Loss): void {
		const { entry, sent } = this;
		if (entry?.is !== 'sent' || entry.id !== sent?.id) return;
		this.hintAtResend(entry);
		const lostEntry: SentEntry = {
			...entry,
			earlier: undefined,
			lostAt: this.session.clock.now(),
			...(loss.by === 'gateway' && { gateway: true as const }),
			// The service itself has responded, so it no longer works on the call.
			...(loss.by === 'unusableResponse' && { runsUntil: undefined }),
		};
		this.journal.write(lostEntry);
		callRegister.lose(lostEntry);
		this.sent = { ...sent, loss };
	}

	/** The response to this attempt's call shows that it was accepted. `ref` is undefined if the response named no ID. */
	accepted(ref: RequestRef | undefined, response: SubmissionResponse): void {
		if (!this.sent) return;
		this.hintAtResend(this.entry);
		this.sent = { ...this.sent, response };
		this.accept(this.sent.id, ref, 'sent');
	}

	/**
	 * Adopts the request that the request history, or a late response, shows for a lost call. Returns false if another item has claimed it meanwhile: two
	 * searches may find the same row. There is no await between checking and claiming.
	 */
	adopt(id: string, ref: RequestRef | undefined, isResponse = false): boolean {
		if (!isResponse && callRegister.isClaimed(ref?.request_id)) return false;
		this.accept(id, ref, isResponse ? (this.sent ? 'sent' : 'resumed') : 'found');
		return true;
	}

	/** Receives each new status of the request. COMPLETED is charged, whatever is seen later, so it's recorded before the result is read. */
	onStatus(word: string): void {
		if (word === 'COMPLETED') this.completed(this.entry?.id);
		const requestId = refOf(this.entry)?.request_id;
		showProgress(this.session, this.submission.itemIndex, `request ${requestId} is ${word}`);
	}

	/** The result has been fetched. `cost` is in USD; undefined if the service reported none. */
	finished(id: string, cost: number | undefined): void {
		this.completed(id);
		this.costs?.settle(id, cost);
	}

	/** The output item was made, and is kept so that a retry can deliver it again. Returns the item. */
	delivered(id: string, item: INodeExecutionData, presentation?: string): INodeExecutionData {
		const { entry } = this;
		if (entry?.id !== id) return item;
		const { at, evaluated } = entry;
		const output = this.journal.outputToKeep(item, presentation);
		this.journal.write({ is: 'done', id, at, evaluated, ref: refOf(entry), output });
		return item;
	}

	/**
	 * Drops the entry and ends its reservation: a failed request is free, and nobody will report the cost of an expired one. Returns false for a completed
	 * request, which stays, whatever is seen later.
	 */
	drop(id: string, why: 'failed' | 'expired'): boolean {
		const { entry, sent, session } = this;
		if (entry?.is !== 'accepted' || entry.id !== id) return false;
		this.journal.write(undefined);
		this.endReservation(why === 'failed');
		if (sent) return true;
		session.resumedItems.delete(this.submission.itemIndex);
		session.requestIds.delete(this.submission.itemIndex);
		return true;
	}

	/** The attempt ends, and with it the wait for a reported cost. A request that was rejected or not sent costs nothing. */
	close(): void {
		const { sent, session, unresumed } = this;
		this.endReservation(this.entry?.id !== this.id);
		if (unresumed.length > 0)
			session.hints.add(leftHint(this.submission.itemIndex, unresumed, sent !== undefined));
	}

	private take(entry: Entry): void {
		this.journal.take(entry);
		this.id = entry.id;
		this.costs?.reopen(entry.id);
		const call = tracedCallOf(entry);
		if (call) callRegister.restore(call);
		const requestId = refOf(entry)?.request_id;
		if (requestId !== undefined || entry.is === 'accepted') this.report(requestId, 'resumed');
	}

	private accept(
		id: string,
		receivedRef: RequestRef | undefined,
		how: 'sent' | 'resumed' | 'found',
	): void {
		const { entry, session, submission } = this;
		const at = session.clock.now();
		// It was submitted no later than when its response was lost, or now.
		const submittedAt = new Date((entry?.is === 'sent' ? entry.lostAt : undefined) ?? at);
		const ref = receivedRef && {
			...receivedRef,
			...submission.madeBy,
			submitted_at: submittedAt.toISOString(),
		};
		const requestId = ref?.request_id;
		if (entry === undefined || entry.id === id)
			this.journal.write({ is: 'accepted', id, at, evaluated: entry?.evaluated, ref });
		callRegister.accept({ id }, requestId);
		if (requestId !== undefined) this.logAcceptance(requestId);
		this.report(requestId, how);
	}

	private completed(id: string | undefined): void {
		const { entry } = this;
		if (entry?.is === 'accepted' && entry.id === id) this.journal.write({ ...entry, is: 'done' });
	}

	/** Created only if Max Cost is set, because n8n stores the cost count with the execution. */
	private get costs(): CostLimit | undefined {
		const { context, clock, signal } = this.session;
		if (this.submission.presentation.options.maximumCost === undefined) return undefined;
		return (this.costLimit ??= new CostLimit(context, clock, signal));
	}

	private endReservation(isFree: boolean): void {
		if (isFree) this.costs?.cancel(this.id);
		else this.costs?.keepExpectedCost(this.id);
	}

	/** Adds the hint that a request was resent. It's shown only once the call may have been accepted: otherwise, nothing was resent. */
	private hintAtResend(entry: Entry | undefined): void {
		if (entry?.is !== 'sent' || !entry.earlier) return;
		const { itemIndex, subject } = this.submission;
		this.session.hints.add(resendHint(itemIndex, subject, this.searchResult));
	}

	/** Makes the run's error list this request, or count it if it has no ID. If it was resumed, a hint says so. */
	private report(requestId: string | undefined, how: 'sent' | 'resumed' | 'found'): void {
		const { session } = this;
		const { itemIndex } = this.submission;
		session.requestIds.set(itemIndex, requestId);
		if (how === 'sent') session.resumedItems.delete(itemIndex);
		else session.resumedItems.set(itemIndex, how);
	}

	/** Logs the ID at once, in case the execution crashes later. The ID is in the message itself, because n8n prints no metadata (docs/n8n.md N153). */
	private logAcceptance(requestId: string): void {
		const { context, node } = this.session;
		const { itemIndex, subject } = this.submission;
		context.logger.info(
			toOneLine(
				`Segmind accepted request ${requestId} for ${this.session.redact(subject)} (execution ${context.getExecutionId()}, node "${node.name}", item ${itemIndex})`,
			),
		);
		showProgress(this.session, itemIndex, `request ${requestId} accepted`);
	}
}
