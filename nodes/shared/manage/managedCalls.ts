/** Calls that manage endpoints, fine-tune jobs and accounts (docs/service.md). Their responses are hardly documented. */
import type { INodeExecutionData } from 'n8n-workflow';

import { textOfMember } from '../base/text';
import type { SegmindFailure } from '../base/failure';
import { readItemLimit } from '../descriptions/limit';
import { readOptions, RUN_OPTIONS } from '../descriptions/options';
import { CHECK_STATE, failureFrom, stoppedSending } from '../errors/failures';
import { say, whole } from '../errors/say';
import { listedItems } from '../output/managedItems';
import type { Item } from '../run/item';
import { logAcceptance, raceWithStop, type Run } from '../run/run';
import { assertBalance } from '../run/balance';
import { READ_TIMEOUT_MS, SUBMIT_TIMEOUT_MS, type Client } from '../service/client';
import { isSuccess, type CallOutcome, type HttpResponse, type HttpCall } from '../service/http';
import { callFailure, unusableFailure, type CallSubject } from '../service/responseErrors';
import { mayHaveBeenCarriedOut } from '../service/loss';
import type { CallWatch } from '../service/repeat';
import {
	doOnce,
	unknownOutcomeOf,
	type Action,
	type DoneTwice,
	type HarmfulAction,
} from './doOnce';

/** How long a call is repeated after 429 and 503; a reading call, after any transient fault. */
const PATIENCE_MS = 120_000;

export type ManagedCall = Omit<HttpCall, 'timeoutMs'>;

/** Makes a call that changes nothing. @throws SegmindFailure unless it succeeds */
export async function readManaged(
	{ client }: Pick<Run, 'client'>,
	call: ManagedCall,
	subject: string,
): Promise<HttpResponse> {
	const about: CallSubject = { purpose: 'manage', subject };
	client.fatal.assertNone();
	const sent = await client.read(
		{ ...call, timeoutMs: READ_TIMEOUT_MS },
		{ priority: 'result', deadline: client.clock.now() + PATIENCE_MS },
	);
	return responseOf(client, sent, about);
}

/** Returns the items of a list call, up to the item's limit. The call is made once per run. @throws SegmindFailure unless it succeeds */
export async function listManaged(
	item: Item,
	call: ManagedCall,
	subject: string,
): Promise<INodeExecutionData[]> {
	const { run } = item;
	const limit = readItemLimit(item.parameters);
	const response = await run.memoize(
		call.url,
		async () => await readManaged(run, { method: 'GET', ...call }, subject),
	);
	const items = listedItems(run.client, response, subject);
	return items.slice(0, limit);
}

/** Something that is created and charged. */
type Creation = Pick<Action, 'subject'> &
	Omit<HarmfulAction, 'doneTwice'> & {
		/** For the log: "endpoint". */
		kind: string;
		/** The member of the output that has its ID. */
		idName: string;
	};

/**
 * Creates something that is charged, once. Nothing is charged or undone by rule (docs/service.md S48), so after an unknown outcome it's created again
 * only if the user asked for it. `itemOf` returns undefined if a successful response isn't Segmind's.
 * @throws SegmindFailure unless it was created, now or by an earlier attempt
 */
export async function createManaged(
	item: Item,
	{ kind, idName, ...creation }: Creation,
	{ url, body }: { url: string; body: string },
	itemOf: (response: HttpResponse) => INodeExecutionData | undefined,
): Promise<INodeExecutionData> {
	const { run, index } = item;
	const { client } = run;
	const { minimumBalance, sendAgainIfUnsure } = readOptions(item.parameters, RUN_OPTIONS);
	const request = [url, body];
	const action = { ...creation, doneTwice: 'harmful' as const, request, sendAgainIfUnsure };
	return await doOnce(item, action, async (watch) => {
		await assertBalance(run, minimumBalance);
		const headers = { 'content-type': 'application/json', accept: '*/*' };
		const call = { method: 'POST' as const, url, headers, body };
		const response = await changeManaged(run, call, action, watch);
		const output = itemOf(response);
		if (!output) {
			const about: CallSubject = { purpose: 'manage', subject: action.subject };
			throw unusableFailure(client, response, about, unknownOutcomeOf(action));
		}
		const id = textOfMember(output.json, idName);
		if (id !== '') {
			run.events.follow(index, { id, idName });
			logAcceptance(run, index, `${kind} ${id}`);
		}
		return output;
	});
}

/** Returns the error for a change that a retry makes again, if the execution was stopped. */
export function stoppedChange(): SegmindFailure {
	return stoppedSending(CHECK_STATE);
}

/**
 * Makes a call that changes something, and finishes it after Stop. It's repeated only after 429, 503 or a refused connection. `watch`: that of `doOnce`.
 * Without it, a retry makes the change again.
 * @throws SegmindFailure unless it succeeds; with `outcomeUnknown` if it may have been carried out
 */
export async function changeManaged(
	run: Run,
	call: ManagedCall,
	action: Action,
	watch?: CallWatch,
): Promise<HttpResponse> {
	const { client } = run;
	const { subject } = action;
	client.fatal.assertNone();
	const sending = client.send(
		{ ...call, timeoutMs: SUBMIT_TIMEOUT_MS },
		{
			priority: 'submission',
			deadline: client.clock.now() + PATIENCE_MS,
			finishWhenStopped: true,
			watch,
		},
	);
	const sent = await (watch ? sending : raceWithStop(run, sending, stoppedChange));
	return responseOfChange(client, sent, { purpose: 'manage', subject }, action);
}

/** The part of a client that makes its errors. */
type ErrorSource = Pick<Client, 'redact' | 'fatal'>;

/** Returns the response of a call that may have changed something. @throws SegmindFailure unless it succeeded; with `outcomeUnknown` as `changeManaged` */
export function responseOfChange(
	client: ErrorSource,
	outcome: CallOutcome,
	about: CallSubject,
	action: DoneTwice,
): HttpResponse {
	const mayHaveChanged =
		outcome.kind === 'response' ? mayHaveBeenCarriedOut(outcome.status) : outcome.kind === 'lost';
	if (!mayHaveChanged) return responseOf(client, outcome, about);
	const { message, httpCode, responseShape } = callFailure(client, outcome, about).facts;
	throw failureFrom('unknownOutcome', {
		...unknownOutcomeOf(action),
		what: say`${whole(message)}, but may have succeeded`,
		httpCode,
		responseShape,
	});
}

/** Returns the response of a call. @throws SegmindFailure unless it succeeded */
export function responseOf(
	client: ErrorSource,
	outcome: CallOutcome,
	about: CallSubject,
): HttpResponse {
	if (isSuccess(outcome)) return outcome;
	throw client.fatal.remember(callFailure(client, outcome, about));
}
