import { tracedCallOf, refOf, type Entry, type SentEntry } from '../../journal/entry';
import type { RegisterNote } from '../../journal/calls';
import type { SearchResult } from '../search/searchResult';
import { hasSent } from './next';
import type { Event, State } from './state';

/** The state after an event, and what else has to be written. */
export interface Step {
	readonly state: State;
	/** For the register of calls. */
	readonly notes: readonly RegisterNote[];
	readonly effects: readonly Effect[];
}

/** What has to be written besides the entry: in the cost count, the log and the report of the run. */
export type Effect =
	/**
	 * In the cost count: `addRequestId` adds the request ID to a reservation, `settle` ends it with the reported cost, `keepExpectedCost` ends it
	 * with the expected cost because nobody will report one, and `cancel` removes the reservation of a free request.
	 */
	| { readonly do: 'addRequestId'; readonly key: string; readonly requestId: string }
	| { readonly do: 'settle'; readonly key: string; readonly cost?: number }
	| { readonly do: 'keepExpectedCost' | 'cancel'; readonly key: string }
	| { readonly do: 'logAcceptance'; readonly requestId: string }
	/** The report of the run lists the request of the item, or counts it if it has no ID. */
	| {
			readonly do: 'listInReport';
			readonly requestId?: string;
			readonly how: 'sent' | 'resumed' | 'found';
	  }
	/** The report no longer lists the item's request, because a new request replaces it. */
	| { readonly do: 'removeFromReport' }
	| { readonly do: 'hintAtResend'; readonly searchResult?: SearchResult }
	| {
			readonly do: 'hintAtUnresumed';
			readonly unresumedEntries: readonly Entry[];
			readonly hasSent: boolean;
	  };

/** Returns the state after an event. Pure, and the only function that decides it. */
export function step(state: State, event: Event): Step {
	const { entry, attempt } = state;
	switch (event.kind) {
		case 'resumed':
			return stepResumed(state, event);
		case 'reserved':
			return stepTo({ ...state, reservation: event.key });
		case 'prepared': {
			const { request, searchResult } = event;
			return stepTo({ ...state, attempt: { is: 'prepared', request, searchResult } });
		}
		case 'sent':
			return stepSent(state, event.call);
		case 'notAccepted': {
			const { id } = event;
			const isCallOfAttempt = attempt.is === 'underWay' && attempt.id === id;
			return {
				state: {
					...state,
					entry: entry?.is === 'sent' && entry.id === id ? entry.earlier : entry,
					attempt: isCallOfAttempt ? { ...attempt, is: 'prepared' } : attempt,
				},
				notes: [{ note: 'forget', id }],
				effects: [],
			};
		}
		case 'lost':
			return stepLost(state, event);
		case 'accepted':
			return stepAccepted(state, event);
		case 'completed':
			return stepTo({ ...state, entry: completeEntry(entry, event.id) });
		case 'finished': {
			const effects: Effect[] = effectsOnReservation(state, (key) => ({
				do: 'settle',
				key,
				cost: event.cost,
			}));
			return { ...stepTo({ ...state, entry: completeEntry(entry, event.id) }), effects };
		}
		case 'delivered':
			return stepTo({ ...state, entry: deliverEntry(entry, event) });
		case 'failed':
		case 'expired':
			return stepEnded(state, event);
		case 'closed':
			return stepClosed(state);
	}
}

const stepTo = (state: State): Step => ({ state, notes: [], effects: [] });

function effectsOnReservation({ reservation }: State, effect: (key: string) => Effect): Effect[] {
	return reservation === undefined ? [] : [effect(reservation)];
}

/** This attempt resumes the entry of an earlier attempt. */
function stepResumed(
	state: State,
	{ entry, unresumedEntries }: Extract<Event, { kind: 'resumed' }>,
): Step {
	const call = tracedCallOf(entry);
	const requestId = refOf(entry)?.request_id;
	const isListed = requestId !== undefined || entry?.is === 'accepted';
	return {
		state: { ...state, entry, unresumedEntries },
		notes: call ? [{ note: 'restore', call }] : [],
		effects: isListed ? [{ do: 'listInReport', requestId, how: 'resumed' }] : [],
	};
}

/** Makes the entry before the call goes out. The register forgets the earlier call that this call resends, because that call's row in the history no longer matters. */
function stepSent(state: State, call: Extract<Event, { kind: 'sent' }>['call']): Step {
	const { entry, attempt } = state;
	const earlier = entry?.is === 'sent' ? { ...entry, earlier: undefined } : undefined;
	const forget: RegisterNote[] = earlier ? [{ note: 'forget', id: earlier.id }] : [];
	return {
		state: {
			...state,
			entry: { is: 'sent', ...call, earlier },
			attempt: attempt.is === 'none' ? attempt : { ...attempt, is: 'underWay', id: call.id },
		},
		notes: [...forget, { note: 'begin', call }],
		effects: [],
	};
}

function stepLost(state: State, { id, at, loss }: Extract<Event, { kind: 'lost' }>): Step {
	const { entry, attempt } = state;
	if (entry?.is !== 'sent' || entry.id !== id) return stepTo(state);
	const lostEntry: SentEntry = {
		...entry,
		earlier: undefined,
		lostAt: at,
		...(loss.by === 'gateway' && { gateway: true as const }),
		// The service itself has responded, so it no longer works on the call.
		...(loss.by === 'unusableResponse' && { runsUntil: undefined }),
	};
	return {
		state: {
			...state,
			entry: lostEntry,
			attempt: attempt.is === 'underWay' ? { ...attempt, is: 'lost', loss } : attempt,
		},
		notes: [{ note: 'lose', call: lostEntry }],
		effects: resendHints(state),
	};
}

function stepAccepted(state: State, event: Extract<Event, { kind: 'accepted' }>): Step {
	const { id, at, ref, response, isFound } = event;
	const { entry, attempt } = state;
	const requestId = ref?.request_id;
	const isEntryOfCall = entry === undefined || entry.id === id;
	const evaluated = entry?.evaluated;
	const costEffects: Effect[] =
		requestId === undefined
			? []
			: effectsOnReservation(state, (key) => ({ do: 'addRequestId', key, requestId }));
	const log: Effect[] = requestId === undefined ? [] : [{ do: 'logAcceptance', requestId }];
	const how = isFound ? 'found' : hasSent(attempt) ? 'sent' : 'resumed';
	return {
		state: {
			...state,
			entry: isEntryOfCall ? { is: 'accepted', id, at, evaluated, ref } : entry,
			attempt:
				response && attempt.is === 'underWay' ? { ...attempt, is: 'responded', response } : attempt,
		},
		notes: [{ note: 'accept', id, requestId }],
		effects: [
			...log,
			{ do: 'listInReport', requestId, how },
			...costEffects,
			...(response ? resendHints(state) : []),
		],
	};
}

/** Returns the hint that a request was resent. It's shown only once the call may have been accepted: otherwise, nothing was resent. */
function resendHints({ entry, attempt }: State): Effect[] {
	const isResend = entry?.is === 'sent' && entry.earlier !== undefined;
	return isResend && attempt.is === 'underWay'
		? [{ do: 'hintAtResend', searchResult: attempt.searchResult }]
		: [];
}

function completeEntry(entry: Entry | undefined, id: string): Entry | undefined {
	return entry?.is === 'accepted' && entry.id === id ? { ...entry, is: 'done' } : entry;
}

function deliverEntry(
	entry: Entry | undefined,
	{ id, output }: Extract<Event, { kind: 'delivered' }>,
): Entry | undefined {
	if (entry?.id !== id) return entry;
	const { at, evaluated } = entry;
	return { is: 'done', id, at, evaluated, ref: refOf(entry), output };
}

/**
 * Drops the entry and ends its reservation: a failed request is free, and nobody will report the cost of an expired one. A completed request stays,
 * whatever is seen later.
 */
function stepEnded(
	state: State,
	{ kind, id }: Extract<Event, { kind: 'failed' | 'expired' }>,
): Step {
	const { entry, attempt } = state;
	if (entry?.is !== 'accepted' || entry.id !== id) return stepTo(state);
	const costEffects: Effect[] = effectsOnReservation(state, (key) => ({
		do: kind === 'failed' ? 'cancel' : 'keepExpectedCost',
		key,
	}));
	const reportEffects: Effect[] = hasSent(attempt) ? [] : [{ do: 'removeFromReport' }];
	return {
		state: { ...state, entry: undefined, reservation: undefined },
		notes: [],
		effects: [...costEffects, ...reportEffects],
	};
}

/** Ends the attempt, and with it the wait for a reported cost. A request that was rejected or not sent costs nothing. */
function stepClosed(state: State): Step {
	const { entry, attempt, unresumedEntries } = state;
	const hasSentRequest = hasSent(attempt);
	const mayCost = entry !== undefined && (entry.is !== 'sent' || hasSentRequest);
	const costEffects: Effect[] = effectsOnReservation(state, (key) => ({
		do: mayCost ? 'keepExpectedCost' : 'cancel',
		key,
	}));
	const hint: Effect[] =
		unresumedEntries.length > 0
			? [{ do: 'hintAtUnresumed', unresumedEntries, hasSent: hasSentRequest }]
			: [];
	return { state, notes: [], effects: [...costEffects, ...hint] };
}
