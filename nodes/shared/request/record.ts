import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { toOneLine } from '../base/text';
import { callRegister } from '../journal/calls';
import { refOf, type RequestRef } from '../journal/entry';
import type { ItemJournal } from '../journal/journal';
import { CostLimit } from '../run/costLimit';
import { showProgress, type RunSession } from '../run/session';
import type { CallWatch } from '../service/client';
import type { StatusWatch } from './poll/poll';
import type { Event, State } from './rules/state';
import { step, type Effect } from './rules/step';
import type { Loss, SubmissionResponse } from './rules/submission';
import { leftHint, resendHint } from './submissionErrors';

/** The item and the request, or action, that a record is about. */
export interface RecordTarget {
	readonly itemIndex: number;
	/** In the user's words: "model 'x'". */
	readonly subject: string;
	/** What an ID in the response belongs to: "request", "endpoint". */
	readonly idOf: string;
}

/**
 * What is known of an item's request. `apply` is the only writer of the journal, the memory, the register of calls, the cost count and the log. The
 * client calls `sending` and `notAccepted` while a call is under way. It may still call them after Stop has ended the attempt, so they always concern
 * the call that went out last.
 */
export class RequestRecord implements CallWatch, StatusWatch {
	private readonly journal: ItemJournal;

	/** ID of the call that went out last. */
	private callId?: string;

	private costLimit?: CostLimit;

	private attemptState: Omit<State, 'entry'> = { attempt: { is: 'none' }, unresumedEntries: [] };

	constructor(
		private readonly session: RunSession,
		private readonly target: RecordTarget,
	) {
		this.journal = session.journal.ofItem(target.itemIndex);
	}

	/** What is known now. The entry is read from the journal, because another run of the same item may change it. */
	get state(): State {
		return { ...this.attemptState, entry: this.journal.entry };
	}

	get requestId(): string | undefined {
		return refOf(this.journal.entry)?.request_id;
	}

	/**
	 * Records an event: in the journal, the memory and the register of calls without an await in between, then in the cost count, the log and the
	 * report of the run.
	 */
	apply(event: Event): void {
		const { state, notes, effects } = step(this.state, event);
		if (event.kind !== 'resumed') this.journal.write(state.entry);
		else if (event.entry) this.journal.take(event.entry);
		for (const note of notes) callRegister.note(note);
		const { attempt, reservation, unresumedEntries } = state;
		this.attemptState = { attempt, reservation, unresumedEntries };
		for (const effect of effects) this.runEffect(effect);
	}

	/** Resumes the entry that earlier attempts left for the same unevaluated parameters. Returns false if they left only entries with other parameters. */
	resumeByParameters(): boolean {
		const { sameEntry, otherEntries } = this.journal;
		if (sameEntry) this.apply({ kind: 'resumed', entry: sameEntry, unresumedEntries: [] });
		return sameEntry !== undefined || otherEntries.length === 0;
	}

	/** Resumes an entry whose unevaluated parameters differ, but whose evaluated request is equal. Without one, remembers the others for a hint. */
	resumeByRequest(evaluated: string): void {
		const { otherEntries } = this.journal;
		const entry = otherEntries.find((other) => other.evaluated === evaluated);
		this.apply({ kind: 'resumed', entry, unresumedEntries: entry ? [] : otherEntries });
	}

	/** Resumes the reservation that an earlier attempt made for this request, so that this attempt settles it. */
	resumeReservation(): void {
		const key =
			this.requestId === undefined ? undefined : this.costs.findReservation(this.requestId);
		if (key !== undefined) this.apply({ kind: 'reserved', key });
	}

	/** Records that the call goes out now. Returns the ID of the call. */
	sending(): string {
		const { attempt } = this.state;
		const request = attempt.is === 'none' ? undefined : attempt.request;
		const at = this.session.clock.now();
		const runsUntil =
			request?.oneCallTimeoutMs === undefined ? undefined : at + request.oneCallTimeoutMs;
		this.callId = randomUUID();
		this.apply({
			kind: 'sent',
			call: {
				id: this.callId,
				at,
				by: this.session.journal.credential,
				evaluated: request?.evaluated,
				trace: request?.trace,
				runsUntil,
			},
		});
		return this.callId;
	}

	/** Records that the call that went out last certainly wasn't accepted. */
	notAccepted(): void {
		if (this.callId !== undefined) this.apply({ kind: 'notAccepted', id: this.callId });
	}

	/** Receives each new status of the request. Records COMPLETED before the result is read. */
	onStatus(word: string): void {
		const { entry } = this.state;
		if (word === 'COMPLETED' && entry) this.apply({ kind: 'completed', id: entry.id });
		showProgress(this.session, this.target.itemIndex, `request ${this.requestId} is ${word}`);
	}

	/** Records that the response was lost: nobody can tell whether the request was accepted. */
	recordLoss(loss: Loss): void {
		const { callId: id, session } = this;
		if (id !== undefined) this.apply({ kind: 'lost', id, at: session.clock.now(), loss });
	}

	/**
	 * Adopts the request that the request history, or a late response, shows for a lost call. Returns false if another item has claimed it meanwhile: two
	 * searches may find the same row. There is no await between checking and claiming.
	 */
	adopt(id: string, ref: RequestRef | undefined, isResponse = false): boolean {
		if (!isResponse && callRegister.isClaimed(ref?.request_id)) return false;
		this.recordAcceptance(id, ref, { isFound: !isResponse });
		return true;
	}

	/** Records that the request was accepted. `receivedRef` is undefined if the response named no ID. */
	recordAcceptance(
		id: string,
		receivedRef: RequestRef | undefined,
		more: { response?: SubmissionResponse; isFound?: boolean },
	): void {
		const at = this.session.clock.now();
		const { entry } = this.state;
		// It was submitted no later than when its response was lost, or now.
		const submittedAt = new Date((entry?.is === 'sent' ? entry.lostAt : undefined) ?? at);
		const isDated = receivedRef && this.target.idOf === 'request';
		const ref = isDated ? { ...receivedRef, submitted_at: submittedAt.toISOString() } : receivedRef;
		this.apply({ kind: 'accepted', id, at, ref, ...more });
	}

	/** Records the output item, so that a retry can deliver it again. Returns the item. */
	recordDelivery(id: string, item: INodeExecutionData, presentation?: string): INodeExecutionData {
		this.apply({ kind: 'delivered', id, output: this.journal.outputToKeep(item, presentation) });
		return item;
	}

	/** Created only if Max Cost is set, because n8n stores the cost count with the execution. */
	get costs(): CostLimit {
		const { context, clock, signal } = this.session;
		return (this.costLimit ??= new CostLimit(context, clock, signal));
	}

	private runEffect(effect: Effect): void {
		const { session } = this;
		const { itemIndex, subject } = this.target;
		switch (effect.do) {
			case 'addRequestId':
				return this.costs.addRequestId(effect.key, effect.requestId);
			case 'settle':
				return this.costs.settle(effect.key, effect.cost);
			case 'keepExpectedCost':
				return this.costs.keepExpectedCost(effect.key);
			case 'cancel':
				return this.costs.cancel(effect.key);
			case 'logAcceptance':
				return this.logAcceptance(effect.requestId);
			case 'listInReport':
				return this.listInReport(effect.how, effect.requestId);
			case 'removeFromReport':
				session.resumedItems.delete(itemIndex);
				return void session.requestIds.delete(itemIndex);
			case 'hintAtResend':
				return void session.hints.add(resendHint(itemIndex, subject, effect.searchResult));
			case 'hintAtUnresumed':
				return void session.hints.add(leftHint(itemIndex, effect.unresumedEntries, effect.hasSent));
		}
	}

	/** Makes the run's error list this request, or count it if it has no ID. If it was resumed, a hint says so. */
	private listInReport(how: 'sent' | 'resumed' | 'found', requestId: string | undefined): void {
		const { session, target } = this;
		if (requestId === undefined && target.idOf !== 'request') return;
		session.requestIds.set(target.itemIndex, requestId);
		if (how === 'sent') session.resumedItems.delete(target.itemIndex);
		else session.resumedItems.set(target.itemIndex, how);
	}

	/** Logs the ID at once, in case the execution crashes later. The ID is in the message itself, because n8n prints no metadata (docs/n8n.md N153). */
	private logAcceptance(requestId: string): void {
		const { context, node } = this.session;
		const { itemIndex, subject, idOf } = this.target;
		context.logger.info(
			toOneLine(
				`Segmind accepted ${idOf} ${requestId} for ${this.session.redact(subject)} (execution ${context.getExecutionId()}, node "${node.name}", item ${itemIndex})`,
			),
		);
		showProgress(this.session, itemIndex, `${idOf} ${requestId} accepted`);
	}
}
