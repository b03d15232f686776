/** The only place that sends a call that may be charged, for a model or a workflow. */
import { describeError } from '../base/describeError';
import { digest, stableJson } from '../base/hash';
import { identityOfInputs, makeBody } from '../inputs/sentBody';
import { callRegister } from '../journal/callRegister';
import type { Result } from '../output/result';
import { refFromSubmission, type RequestRef } from '../service/requestRef';
import { assertBalance } from '../run/balance';
import type { Run } from '../run/run';
import { callFailure } from '../service/responseErrors';
import { reasonIn } from '../service/errorBody';
import { jsonOf } from '../service/responses';
import { SUBMIT_TIMEOUT_MS, type Client } from '../service/client';
import {
	isSuccess,
	MAX_RESPONSE_BYTES,
	type CallOutcome,
	type HttpCall,
	type HttpResponse,
} from '../service/http';
import { lossOf } from '../service/loss';
import { readOneCall } from './oneCall';
import type { RequestRecord } from './record';
import { isFreeAfterGateway } from './rules';
import {
	callSubjectOfSubmission,
	type Loss,
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
 * Sends a request. Afterwards, the record shows that it was accepted, or that its response was lost. Returns the result if the response holds it.
 * @throws SegmindFailure if it was rejected, or must not be sent
 */
export async function submit(record: RequestRecord): Promise<Result | undefined> {
	const { run, submission } = record;
	run.client.fatal.assertNone();
	await assertBalance(run, submission.options.minimumBalance);
	await record.reserve();
	const { call, ...request } = await prepare(run, submission);
	run.client.fatal.assertNone();
	record.readyToSend(request);
	return await transmit(record, call);
}

/** Makes the body, for which it uploads files, and the call. */
async function prepare(
	run: Run,
	submission: Submission,
): Promise<PreparedRequest & { call: HttpCall }> {
	const { url, slug, responds, options } = submission;
	const body = await makeBody(run, submission.inputs, 'send');
	const isOneCall = responds === 'output';
	const fingerprint = fingerprintOf(body.value);
	return {
		names: Object.keys(body.value).filter((name) => (body.value[name] ?? '') !== ''),
		requestDigest: await digestOfRequest(run, submission),
		callDigest: digest(stableJson([slug, fingerprint])),
		fingerprint,
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

/** Sends the call. Waits for the response even after Stop, so that the request ID isn't lost. @throws SegmindFailure if the request was rejected */
async function transmit(record: RequestRecord, call: HttpCall): Promise<Result | undefined> {
	const { run, submission } = record;
	const { client } = run;
	const outcome = await sendCall(record, call);
	const reading = readOutcome(client, submission, outcome);
	if (reading.kind === 'accepted') {
		record.accepted(reading.ref);
		return reading.result;
	}
	if (reading.kind === 'lost') {
		record.lost(reading);
		return undefined;
	}
	record.notAccepted();
	const about = callSubjectOfSubmission(submission);
	const failure = client.fatal.remember(callFailure(client, outcome, about));
	throw withSimilarSlug(record, withMissingParameters(record, failure));
}

/** An exception after the request went out is a lost response. @throws whatever prevented the request from going out */
async function sendCall(record: RequestRecord, call: HttpCall): Promise<CallOutcome> {
	const { client } = record.run;
	const sending = client.send(call, {
		priority: 'submission',
		deadline: client.clock.now() + record.submission.options.timeoutMs,
		finishWhenStopped: true,
		watch: record,
	});
	return await sending.catch((error: unknown): CallOutcome => {
		if (!record.hasSent) throw error;
		return { kind: 'lost', reason: describeError(error) };
	});
}

/** What the outcome of a submission says. `ref` is undefined if the response named no ID. `rejected`: or never sent. */
type Reading =
	| { kind: 'accepted'; ref?: RequestRef; result?: Result }
	| ({ kind: 'lost' } & Loss)
	| { kind: 'rejected' };

/** Reads the outcome of a submission. */
function readOutcome(client: Client, submission: Submission, outcome: CallOutcome): Reading {
	const response = responseIn(outcome);
	const reading = isSuccess(response) ? readSuccess(client, submission, response) : undefined;
	if (reading) return reading;
	if (isSuccess(outcome)) return { kind: 'lost', outcome, isFree: false };
	const by = lossOf(outcome);
	if (by === 'none') return { kind: 'rejected' };
	const { responds } = submission;
	const isFree = by === 'gateway' && isFreeAfterGateway(responds, client.urls.baseUrl);
	return { kind: 'lost', outcome, isFree };
}

/** Returns the response. If its body was cut short, its headers still name the request of a v1 call. */
function responseIn(outcome: CallOutcome): CallOutcome {
	if (outcome.kind !== 'lost' || !outcome.head) return outcome;
	return { ...outcome.head, kind: 'response', body: Buffer.alloc(0) };
}

/** Reads a successful response; undefined if it can't be used. */
function readSuccess(
	{ urls, redact }: Client,
	submission: Submission,
	response: HttpResponse,
): Reading | undefined {
	if (submission.responds === 'output') {
		const { result, requestId, error } = readOneCall(response);
		if (error) {
			const refusal = { reason: reasonIn(error, redact), requestId };
			return { kind: 'lost', outcome: response, isFree: false, refusal };
		}
		const ref = requestId === undefined ? undefined : { request_id: requestId };
		return ref || result ? { kind: 'accepted', ref, result } : undefined;
	}
	const ref = refFromSubmission(jsonOf(response), urls);
	// An ID that another call already has comes from a cache.
	if (!ref || callRegister.isClaimed(ref.request_id)) return undefined;
	return { kind: 'accepted', ref };
}
