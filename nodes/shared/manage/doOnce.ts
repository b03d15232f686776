import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { digest, stableJson } from '../base/hash';
import {
	CHECK_STATE,
	failureFrom,
	resentHint,
	stoppedFailure,
	stoppedSending,
	withOpenOutcome,
} from '../errors/failures';
import { say, whole, type Said } from '../errors/say';
import { outputToKeep, type ItemJournal } from '../journal/journal';
import type { Entry, KeptOutput, SentEntry } from '../journal/entry';
import { raceWithStop, type NodeRun } from '../run/run';
import type { CallWatch } from '../service/repeat';

/** An action that isn't a request: an upload, a change, a creation. */
export type Action = DoneTwice & {
	/** In the user's words: "creating the API key". */
	subject: string;
	/** What is sent, for an action that must not be done twice: the same request counts as the same action, also for "Execute step" in the editor. */
	request?: unknown;
	/** Whether the user wants the action repeated after an unknown outcome. */
	sendAgainIfUnsure?: boolean;
};

/** Whether it does harm to do an action twice. A retry sends a harmless one again, although it may have been done. */
export type DoneTwice = { doneTwice: 'harmless' } | HarmfulAction;

export interface HarmfulAction {
	doneTwice: 'harmful';
	/** Where the user sees whether it was done, as a sentence. */
	whereToLook: string;
	/** What it costs if it was done, unless `whereToLook` says it. */
	charge?: 'unknown';
}

/**
 * Does an action once per execution: a retry returns the output of the earlier attempt. The money rules 1, 2, 4 and 8 (CONTRIBUTING.md) hold here. `work` passes `watch` to its call; an upload need not, because it's
 * free. `wasTried`: an earlier attempt may have done it.
 * @throws what `work` throws, or SegmindFailure if the action may have been done and must not be done twice, or as soon as the execution is stopped
 */
export async function doOnce(
	item: ActionItem,
	action: Action,
	work: ActionWork,
): Promise<INodeExecutionData> {
	const record = new ActionRecord(item, action);
	const { earlier, earlierOutput } = record;
	if (earlierOutput) return { json: earlierOutput.json };
	const decision = decide(earlier, action);
	if (decision === 'fail')
		throw failureFrom('unknownOutcome', {
			...unknownOutcomeOf(action),
			what: say`An earlier attempt at ${action.subject} may have succeeded, so it was not sent again`,
		});
	record.begin(decision);
	return await raceWithStop(item.run, perform(record, work), () => stoppedError(record));
}

/** The item whose action is done. */
interface ActionItem {
	run: NodeRun;
	index: number;
}

type ActionWork = (watch: CallWatch, wasTried: boolean) => Promise<INodeExecutionData>;

/**
 * Returns what to do about an action whose output isn't kept. `send`: it wasn't done, or doing it twice does no harm. `resend`: it may have been done, and
 * the user wants it repeated. `fail`: it may have been done, and must not be done twice. Pure.
 */
function decide(
	earlier: Entry | undefined,
	{ doneTwice, sendAgainIfUnsure }: Action,
): 'send' | 'resend' | 'fail' {
	if (earlier === undefined || doneTwice === 'harmless') return 'send';
	return sendAgainIfUnsure ? 'resend' : 'fail';
}

async function perform(record: ActionRecord, work: ActionWork): Promise<INodeExecutionData> {
	const output = await work(record, record.earlier !== undefined).catch((error: unknown) =>
		Promise.reject(record.failed(error)),
	);
	record.done(output);
	return output;
}

/** Returns the error of an action whose execution was stopped. */
function stoppedError({ action, earlier, isUnderWay }: ActionRecord): SegmindFailure {
	if (!isUnderWay && !earlier) return stoppedFailure();
	return stoppedSending(whereToLook(action));
}

/** What is known of an item's action, and the only writer of it. Each method records one thing that happened. */
class ActionRecord implements CallWatch {
	/** What earlier attempts left of the action; undefined if it certainly wasn't done. */
	readonly earlier: Entry | undefined;

	/** Whether a call of this attempt may be carried out. */
	isUnderWay = false;

	private readonly itemJournal: ItemJournal;

	/** The entry of this attempt's call. `requestDigest`: identifies an action that must not be done twice. */
	private readonly sent: SentEntry;

	private isResent = false;

	constructor(
		private readonly item: ActionItem,
		readonly action: Action,
	) {
		const { clock, journal } = item.run;
		const { request } = action;
		const requestDigest = request === undefined ? undefined : digest(stableJson(request));
		const { credentialId } = journal;
		this.sent = { is: 'sent', id: randomUUID(), at: clock.now(), requestDigest, credentialId };
		this.itemJournal = journal.ofItem(item.index);
		this.earlier = this.itemJournal.sameEntry ?? this.entryOfSameRequest();
		if (this.earlier) this.itemJournal.write(this.earlier);
	}

	/** The kept output of the attempt that did it. */
	get earlierOutput(): KeptOutput | undefined {
		return this.earlier?.is === 'accepted' ? this.earlier.output : undefined;
	}

	/** The call is about to wait for the rate limit, during which a second retry must not do the same. */
	begin(decision: 'send' | 'resend'): void {
		this.isResent = decision === 'resend';
		this.itemJournal.write(this.sent);
	}

	/** The call goes out now. */
	sending(): void {
		const { run, index } = this.item;
		const { action } = this;
		this.isUnderWay = true;
		if (!this.isResent) return;
		const text = resentHint(action.subject, whereToLook(action));
		run.events.addHint({ item: index, text });
	}

	/** The call that went out last certainly wasn't accepted. */
	notAccepted(): void {
		this.isUnderWay = false;
	}

	/** The action was done. */
	done(output: INodeExecutionData): void {
		const { id, at, requestDigest } = this.sent;
		this.itemJournal.write({ id, at, requestDigest, is: 'accepted', output: outputToKeep(output) });
	}

	/** The action failed, or may have been done. Returns the error, which says so if an earlier attempt may have done it. */
	failed(error: unknown): unknown {
		const { sent, earlier } = this;
		// Only our own errors say what the call did.
		const mayBeDone =
			error instanceof SegmindFailure ? error.facts.outcomeUnknown === true : this.isUnderWay;
		this.itemJournal.write(mayBeDone ? sent : earlier);
		return this.isResent ? withOpenOutcome(error) : error;
	}

	private entryOfSameRequest(): Entry | undefined {
		const { requestDigest } = this.sent;
		if (requestDigest === undefined) return undefined;
		return this.itemJournal.leftEntries.find((left) => left.requestDigest === requestDigest);
	}
}

/** Returns where the user sees whether the action was done, as a sentence. */
function whereToLook(action: DoneTwice): Said {
	return action.doneTwice === 'harmless' ? CHECK_STATE : whole(action.whereToLook);
}

/** Returns what an error says about an action that may have been done. */
export function unknownOutcomeOf(action: DoneTwice) {
	const charge = action.doneTwice === 'harmful' ? action.charge : undefined;
	return { charge, next: whereToLook(action), outcomeUnknown: true as const };
}
