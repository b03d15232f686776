/** Calls that manage endpoints and fine-tune jobs (docs/service.md). Their responses are hardly documented. */
import type { INodeExecutionData } from 'n8n-workflow';

import { CAUSES } from '../errors/errorTable';
import { failureOf, notSentFailure } from '../errors/failures';
import { limitEntries } from '../inputs/values';
import { listedItems } from '../output/managedItems';
import type { Session } from '../run/session';
import { raceWithStop } from '../run/raceWithStop';
import { READ_TIMEOUT_MS, SUBMIT_TIMEOUT_MS } from '../service/client';
import { isSuccess, type HttpResponse, type HttpCall } from '../service/http';
import { noResponseFailure, rejectionFailure, type CallSubject } from '../service/responseErrors';
import { mayHaveBeenCarriedOut } from '../service/retry';

/** How long a call is repeated after 429 and 503; a reading call, after any transient fault. */
const PATIENCE_MS = 120_000;

type ManagedCall = Omit<HttpCall, 'timeoutMs'>;

/** Makes a call that changes nothing. @throws SegmindFailure unless it succeeds */
export async function readManaged(
	{ client }: Pick<Session, 'client'>,
	call: ManagedCall,
	subject: string,
): Promise<HttpResponse> {
	const about: CallSubject = { purpose: 'manage', subject };
	if (client.fatalFailure) throw notSentFailure(client.fatalFailure);
	const sent = await client.read(
		{ ...call, timeoutMs: READ_TIMEOUT_MS },
		{ priority: 'result', deadline: client.clock.now() + PATIENCE_MS },
	);
	if (sent.kind !== 'response') throw noResponseFailure(client, sent, about);
	return assertSuccess({ client }, sent.response, about);
}

/** Returns the items of a list call, up to the item's limit. The call is made once per run. @throws SegmindFailure unless it succeeds */
export async function listManaged(
	session: Session,
	itemIndex: number,
	call: ManagedCall,
	subject: string,
): Promise<INodeExecutionData[]> {
	const response = await session.memoize(
		call.url,
		async () => await readManaged(session, { method: 'GET', ...call }, subject),
	);
	return limitEntries(session, itemIndex, listedItems(session.client, response, subject));
}

/**
 * Makes a call that changes something. It's repeated only after 429, 503 or a refused connection.
 * @throws SegmindFailure unless it succeeds; with `outcomeUnknown` if it may have been carried out
 */
export async function changeManaged(
	session: Session,
	call: ManagedCall,
	subject: string,
): Promise<HttpResponse> {
	const { client } = session;
	const about: CallSubject = { purpose: 'manage', subject };
	if (client.fatalFailure) throw notSentFailure(client.fatalFailure);
	const sent = await raceWithStop(
		session,
		client.send(() => ({ ...call, timeoutMs: SUBMIT_TIMEOUT_MS }), {
			priority: 'submission',
			deadline: client.clock.now() + PATIENCE_MS,
			finishWhenStopped: true,
		}),
		CAUSES.stoppedChanging,
	);
	if (sent.kind !== 'response' && sent.kind !== 'lost')
		throw noResponseFailure(client, sent, about);
	if (sent.kind === 'response' && !mayHaveBeenCarriedOut(sent.response.status))
		return assertSuccess(session, sent.response, about);
	const { message: why, httpCode } = (
		sent.kind === 'lost'
			? noResponseFailure(client, sent, about)
			: rejectionFailure(client, sent.response, about)
	).facts;
	const facts = { httpCode, outcomeUnknown: true } as const;
	throw failureOf('unknownOutcome', CAUSES.changeUnknown, { why }, facts);
}

function assertSuccess(
	{ client }: Pick<Session, 'client'>,
	response: HttpResponse,
	about: CallSubject,
): HttpResponse {
	if (isSuccess(response.status)) return response;
	throw client.rememberIfFatal(rejectionFailure(client, response, about));
}
