import type { Clock } from '../../base/clock';
import { callRegister } from '../../journal/callRegister';
import type { ItemJournal } from '../../journal/journal';
import type { RequestRef } from '../../service/requestRef';
import { timeOf } from '../../service/serviceTime';

/** The status of an accepted request before its first check. */
export const FIRST_STATUS = 'QUEUED';

/** How long after submission the service keeps a record of a request (docs/service.md S126). */
const REQUEST_KEPT_MS = 3_600_000;

/** What is known of a request at first, and who else hears of it. */
interface RequestSettings {
	/** The last known status. */
	status?: string;
	/** Whether the service has reported COMPLETED before. */
	hasCompleted?: boolean;
	/** Whether an earlier attempt sent the request, or the request history showed it. */
	isResumed?: boolean;
	/** Shows the progress. */
	show?: (text: string) => void;
	/** Stores that the request has completed. */
	journal?: Pick<ItemJournal, 'noteCompletion'>;
}

/**
 * An accepted request, and all that is known of it now. There is one object for it: polling tells it what the service reports, and the item, its error and
 * the events of the run read it. `Ref`: undefined if the response named no ID.
 */
export class AcceptedRequest<Ref extends RequestRef | undefined = RequestRef> {
	/** The last known status; undefined if none is known. COMPLETED stays, because it was charged. */
	status?: string;

	/** Whether the service has reported COMPLETED. A status that the user gave doesn't count. */
	hasCompleted: boolean;

	/** In USD; undefined if the service hasn't reported it. */
	cost?: number;

	readonly isResumed: boolean;

	constructor(
		/** With the URLs that the credential calls. */
		readonly ref: Ref,
		private readonly settings: RequestSettings = {},
	) {
		const { status, hasCompleted = false, isResumed = false } = settings;
		this.isResumed = isResumed;
		this.hasCompleted = hasCompleted;
		this.status = hasCompleted ? 'COMPLETED' : status;
	}

	get id(): string | undefined {
		return this.ref?.request_id;
	}

	/** Whether the request can be looked up. */
	hasId(): this is AcceptedRequest {
		return this.ref !== undefined;
	}

	/** When the request was accepted, in ms since the epoch, according to its `submitted_at` or the register of calls; undefined if it's unknown. */
	get acceptedAt(): number | undefined {
		const { ref } = this;
		return ref && (timeOf(ref.submitted_at) ?? callRegister.acceptedAt(ref.request_id));
	}

	/** Whether the service must still have its record of the request. */
	isStillKept(clock: Clock): boolean {
		const { acceptedAt } = this;
		return acceptedAt !== undefined && clock.now() - acceptedAt < REQUEST_KEPT_MS;
	}

	/** The service reports a status, which is shown if it's new or final. COMPLETED is stored before the result is read. */
	statusSeen(word: string): void {
		const isNew = word !== this.status;
		if (word === 'COMPLETED') this.noteCompletion();
		else if (!this.hasCompleted) this.status = word;
		if (isNew || word === 'COMPLETED' || word === 'FAILED')
			this.settings.show?.(`request ${this.id} is ${word}`);
	}

	/** The result has been read. `cost`: in USD; undefined if the service reported none. */
	resultFetched(cost: number | undefined): void {
		this.noteCompletion(cost);
		this.cost = cost;
	}

	private noteCompletion(cost?: number): void {
		this.settings.journal?.noteCompletion(cost);
		this.hasCompleted = true;
		this.status = 'COMPLETED';
	}
}
