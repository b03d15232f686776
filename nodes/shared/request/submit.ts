/** The only place that sends a call that may be charged, for a model or a workflow. */
import { describeError } from '../base/describeError';
import { digest, stableJson } from '../base/hash';
import { notSentFailure } from '../errors/failures';
import { identityOfInputs, makeBody } from '../inputs/readInputs';
import { callRegister } from '../journal/callRegister';
import { refFromSubmission, withUrls, type RequestRef } from '../service/requestRef';
import { assertBalance } from '../run/balance';
import type { Run } from '../run/run';
import { callFailure } from '../service/responseErrors';
import { isRedirect, isServicesOwnError, jsonOf } from '../service/responses';
import { SUBMIT_TIMEOUT_MS, type Client } from '../service/client';
import {
	isSuccess,
	MAX_RESPONSE_BYTES,
	type CallOutcome,
	type HttpCall,
	type HttpResponse,
} from '../service/http';
import { GATEWAY_GAVE_UP, mayHaveBeenCarriedOut, wasNotAccepted } from '../service/retry';
import { readOneCall } from './oneCall';
import type { RequestRecord } from './record';
import {
	callSubjectOfSubmission,
	type OwnCall,
	type PreparedRequest,
	type Submission,
} from './submission';
import { fingerprintOf } from './matchRows';
import { withMissingParameters, withSimilarSlug } from './submissionErrors';

/** Longest timeout of a call that responds with the output itself. A limit is needed because Node.js fires a timer of more than 24 days at once. */
const MAX_ONE_CALL_MS = 3_600_000;

/** Returns the digest of the evaluated request. Files are compared by content, not by name or upload URL. */
export async function digestOfRequest(run: Run, { url, inputs }: Submission): Promise<string> {
	return digest(stableJson([url, await identityOfInputs(run, inputs)]));
}

/**
 * Sends a request. Afterwards, the record shows that it was accepted, or that its response was lost.
 * @throws SegmindFailure if it was rejected, or must not be sent
 */
export async function submit(record: RequestRecord): Promise<void> {
	const { run, submission } = record;
	assertNotFatal(run);
	await assertBalance(run, submission.options.minimumBalance);
	await record.reserve();
	const { call, ...request } = await prepare(run, submission);
	assertNotFatal(run);
	record.readyToSend(request);
	await transmit(record, call);
}

/** @throws SegmindFailure if an earlier item failed in a way in which this one would fail too */
function assertNotFatal({ client }: Run): void {
	if (client.fatalFailure) throw notSentFailure(client.fatalFailure);
}

/** Makes the body, for which it uploads files, and the call. */
async function prepare(
	run: Run,
	submission: Submission,
): Promise<PreparedRequest & { call: HttpCall }> {
	const { url, slug, responds, options } = submission;
	const body = await makeBody(run, submission.inputs);
	const isOneCall = responds === 'output';
	const fingerprint = fingerprintOf(body.value);
	return {
		names: Object.keys(body.value).filter((name) => (body.value[name] ?? '') !== ''),
		requestDigest: await digestOfRequest(run, submission),
		trace: { likeness: digest(stableJson([slug, fingerprint])), fingerprint },
		call: {
			method: 'POST',
			url,
			headers: { 'content-type': 'application/json', accept: '*/*' },
			body: body.text,
			timeoutMs: isOneCall ? Math.min(options.timeoutMs, MAX_ONE_CALL_MS) : SUBMIT_TIMEOUT_MS,
			maxBytes: isOneCall ? MAX_RESPONSE_BYTES.result : MAX_RESPONSE_BYTES.submission,
		},
	};
}

/** Sends the call. Waits for the response even after Stop, so that the request ID isn't lost. */
async function transmit(record: RequestRecord, call: HttpCall): Promise<void> {
	const { submission } = record;
	const { client } = record.run;
	const outcome = await sendCall(record, call);
	// If the body was cut short, the headers of a v1 response still name the request.
	const cutShort = outcome.kind === 'lost' && outcome.head;
	const response = cutShort
		? { ...cutShort, kind: 'response' as const, body: Buffer.alloc(0) }
		: outcome;
	const success = isSuccess(response) && readAcceptance(client, submission, response);
	if (success) return record.accepted(success.ref, success.result);
	if (isSuccess(outcome)) return record.lost({ by: 'unusableResponse', outcome });
	// Even a response that is too large to read may have a fatal status, such as 401.
	const failure = client.rememberIfFatal(
		callFailure(client, outcome, callSubjectOfSubmission(submission)),
	);
	const by = lossOf(outcome);
	if (by) return record.lost({ by, outcome });
	record.notAccepted();
	throw withSimilarSlug(record, withMissingParameters(record, failure));
}

/** An exception after the request went out is a lost response. @throws whatever prevented the request from going out */
async function sendCall(record: RequestRecord, call: HttpCall): Promise<CallOutcome> {
	const { client } = record.run;
	try {
		return await client.send(call, {
			priority: 'submission',
			deadline: client.clock.now() + record.submission.options.timeoutMs,
			finishWhenStopped: true,
			watch: record,
		});
	} catch (error) {
		const wentOut = record.ownCall !== undefined;
		if (!wentOut) throw error;
		return { kind: 'lost', reason: describeError(error) };
	}
}

/**
 * Returns how the response of a failed submission was lost; undefined if the service rejected the call or it was never sent, so that it's free. By the
 * published rule, no 4xx or 5xx is charged (docs/service.md S40). The rule doesn't cover redirects.
 */
export function lossOf(outcome: CallOutcome): 'connection' | 'gateway' | undefined {
	// However large the response is.
	if (wasNotAccepted(outcome)) return undefined;
	if (outcome.kind !== 'response') return outcome.kind === 'lost' ? 'connection' : undefined;
	const { status, exceededLimitBytes } = outcome;
	// An error response that exceeded its size limit says nothing either.
	if (exceededLimitBytes !== undefined || isRedirect(status)) return 'connection';
	if (!mayHaveBeenCarriedOut(status)) return undefined;
	// An error in the service's own form says that it didn't accept the request.
	return !GATEWAY_GAVE_UP.has(status) && isServicesOwnError(outcome) ? undefined : 'gateway';
}

/** Reads a successful response. The result has no `ref` if the response named no ID; it's undefined if the response can't be used. */
function readAcceptance(
	{ urls }: Client,
	submission: Submission,
	response: HttpResponse,
): (Pick<OwnCall, 'result'> & { ref?: RequestRef }) | undefined {
	if (submission.responds === 'output') {
		const { result, requestId } = readOneCall(response);
		const ref = requestId === undefined ? undefined : { request_id: requestId };
		return (result ?? ref) && { ref, result };
	}
	const ref = refFromSubmission(jsonOf(response));
	// An ID that another call already has comes from a cache.
	if (!ref || callRegister.isClaimed(ref.request_id)) return undefined;
	return { ref: withUrls(ref, urls.baseUrl) };
}
