import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { oneLine } from '../base/readable';
import { calls } from '../journal/calls';
import {
	refOf,
	type Entry,
	type Policy,
	type RequestEvent,
	type RequestRef,
} from '../journal/entry';
import type { ItemJournal } from '../journal/journal';
import { CostLimit, type Reservation } from '../run/costLimit';
import { showProgress, type Session } from '../run/session';
import type { Attempts } from '../service/client';
import type { StatusWatch } from './poll/poll';
import { withAddresses } from './poll/requestRef';
import {
	evaluatedDigest,
	type Answered,
	type Loss,
	type PreparedRequest,
	type Submission,
} from './submission';

/**
 * All that is known of an item's request, and the only way to note what happens to it: one event goes to everybody who must know of it. The order
 * is a promise about money: journalled before it is sent, and at once when it is accepted or lost, whatever ends the execution after that.
 */
export class RequestRecord implements Attempts, StatusWatch {
	/** What this try sent. */
	prepared?: PreparedRequest;

	/** What a success answered to that. */
	answered?: Answered;

	/** How the answer to that was lost. */
	loss?: Loss;

	/** Set when that was sent although an earlier one may have been accepted. */
	isResend = false;

	/** Its place in the count of costs. */
	reservation?: Reservation;

	/** The call of this try, as soon as it goes out. */
	private callId?: string;

	private readonly journal: ItemJournal;

	constructor(
		readonly session: Session,
		readonly submission: Submission,
	) {
		this.journal = session.journal.of(submission.itemIndex);
	}

	get entry(): Entry | undefined {
		return this.journal.entry;
	}

	get requestId(): string | undefined {
		return refOf(this.entry)?.request_id;
	}

	/** What `decide` is asked with. */
	get policy(): Policy {
		return {
			isIdempotent: false,
			sendAgainIfUnsure: this.submission.presentation.options.sendAgainIfUnsure,
			credential: this.session.journal.credential,
			hasSent: this.callId !== undefined,
		};
	}

	/** Takes up what earlier tries left of the same request; gives what they left of others. */
	async resume(): Promise<Entry[]> {
		const { journal } = this;
		journal.takeSame();
		if (journal.entry || journal.others.length === 0) return [];
		return journal.takeEqual(await evaluatedDigest(this.session, this.submission));
	}

	/** Notes what has happened, in the journal and the memory of the process, the register of calls, the count of costs, and the log. */
	apply(event: RequestEvent): void {
		const before = this.entry;
		this.journal.apply(event);
		switch (event.kind) {
			case 'sent':
				// No row of the history belongs to what is sent again.
				if (before?.is === 'sent') calls.forget(before);
				return calls.begin(event.call);
			case 'notAccepted':
				return calls.forget(event);
			case 'lost':
				if (this.entry?.is === 'sent') calls.lose(this.entry);
				return;
			case 'accepted':
				calls.accept(event, event.ref?.request_id);
				if (event.ref) this.announce(event.ref);
				return;
			case 'finished':
				return this.reservation?.settle(event.cost);
			case 'failed':
				return this.reservation?.cancel();
			case 'expired':
				return this.reservation?.release();
			case 'completed':
			case 'delivered':
		}
	}

	/** An attempt to send it goes out now. */
	sending(): void {
		const { session, prepared } = this;
		const at = session.client.clock.now();
		const worksForMs = prepared?.worksForMs;
		this.callId = randomUUID();
		this.apply({
			kind: 'sent',
			call: {
				id: this.callId,
				at,
				by: session.journal.credential,
				evaluated: prepared?.evaluated,
				trace: prepared?.trace,
				runsUntil: worksForMs === undefined ? undefined : at + worksForMs,
			},
		});
	}

	/** That attempt certainly was not accepted. */
	notAccepted(): void {
		if (this.callId !== undefined) this.apply({ kind: 'notAccepted', id: this.callId });
	}

	/** Accepted by its answer, or by a row of the request history that is certainly its own. Without a reference it named no id. */
	accept(given: RequestRef | undefined, answered?: Answered): void {
		const at = this.session.client.clock.now();
		const { entry } = this;
		const sentAt = new Date((entry?.is === 'sent' ? entry.lostAt : undefined) ?? at);
		const isDated = given && this.submission.answers !== 'creation';
		const ref = isDated ? { ...given, submitted_at: sentAt.toISOString() } : given;
		this.answered = answered;
		this.apply({ kind: 'accepted', id: entry?.id ?? randomUUID(), at, ref });
	}

	/** The request history shows it, or its late answer does. */
	adopt(requestId: string | undefined): void {
		const { baseUrl } = this.session.client.urls;
		const isNamed = requestId !== undefined;
		this.accept(isNamed ? withAddresses({ request_id: requestId }, baseUrl) : undefined);
	}

	/** Its answer is lost: nobody knows whether it was accepted. */
	lose(loss: Loss): void {
		this.loss = loss;
		this.apply({ kind: 'lost', at: this.session.client.clock.now(), by: loss.by });
	}

	/** A status check showed this word. */
	saw(word: string): void {
		if (word === 'COMPLETED') this.apply({ kind: 'completed' });
		const { itemIndex } = this.submission;
		showProgress(this.session, itemIndex, `request ${this.requestId} is ${word}`);
	}

	/** It makes room for another one: the error of the item names it no longer. */
	makeRoom(kind: 'failed' | 'expired'): void {
		this.apply({ kind });
		this.reservation = undefined;
		this.session.requestIds.delete(this.submission.itemIndex);
	}

	/** Its output is an item, which a retry gives again. */
	deliver(item: INodeExecutionData, presentation?: string): INodeExecutionData {
		this.apply({ kind: 'delivered', output: this.journal.kept(item, presentation) });
		return item;
	}

	/** The error of the run names it, or counts it where it has no id. */
	mention(ref: RequestRef | undefined): void {
		if (ref || this.submission.answers !== 'creation')
			this.session.requestIds.set(this.submission.itemIndex, ref?.request_id);
	}

	/** An earlier try has counted it: only now its cost becomes known. */
	resumeReservation({ request_id }: RequestRef): void {
		const { context, client, signal } = this.session;
		if (this.submission.presentation.options.maximumCost !== undefined)
			this.reservation ??= new CostLimit(context, client.clock, signal).resume(request_id);
	}

	/** This try is over: nobody waits for its cost any longer. What was refused or never sent has none. */
	close(): void {
		const { entry } = this;
		const mayCost = entry !== undefined && (entry.is !== 'sent' || entry.id === this.callId);
		if (mayCost) this.reservation?.release();
		else this.reservation?.cancel();
	}

	/** Whatever ends the execution after that, its id is known. It stands in the message itself: n8n prints no metadata (docs/n8n.md N153). */
	private announce(ref: RequestRef): void {
		const { session, submission, reservation } = this;
		const { request_id } = ref;
		const { itemIndex, subject } = submission;
		const what = submission.answers === 'creation' ? submission.idOf : 'request';
		this.mention(ref);
		session.context.logger.info(
			oneLine(
				`Segmind accepted ${what} ${request_id} for ${session.client.redact(subject)} (execution ${session.context.getExecutionId()}, node "${session.node.name}", item ${itemIndex})`,
			),
		);
		showProgress(session, itemIndex, `${what} ${request_id} accepted`);
		reservation?.accepted(request_id);
	}
}
