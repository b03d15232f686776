import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { digest } from '../shared/base/hash';
import { oneLine } from '../shared/base/readable';
import { redact, shown } from '../shared/base/redact';
import { SEGMIND_API } from '../shared/service/client';
import { excerpt } from '../shared/service/errorBody';
import { memberText } from '../shared/service/picker';
import { isObject, parseJson } from '../shared/service/schemas';
import {
	CONFIRM_FOR_MS,
	askForJob,
	askForList,
	confirmation,
	readAsker,
	type Asker,
} from './confirm';
import { addressesIn, itemJson, readBody, subjectOf, type ReadBody } from './delivery';
import { canonical, chosenEvents } from './events';
import { lookupFor, type Calls, type JobLookup } from './jobLookup';
import { linesOf } from './lines';
import { onlyOnce, type Delivered } from './once';
import { isSecret } from './secret';
import { leavePlace, takePlace, type Waiting } from './waiting';

/** What was read of a job so long before a delivery may confirm it, ms. */
const SEEN_BEFORE_MS = 60_000;

interface Answer {
	status: 200 | 400 | 401 | 413 | 500 | 503;
	body: IDataObject;
	headers?: Record<string, string>;
}

/** What a delivery is answered, and what happens after the answer: the item that starts the workflow, if any. */
interface Admission {
	answer: Answer;
	after?: () => Promise<INodeExecutionData | undefined>;
}

const RECEIVED: Answer = { status: 200, body: { received: true } };
const BROKEN: Answer = {
	status: 500,
	body: { message: 'The trigger cannot work as it is set up.' },
};
const WRONG_SECRET: Answer = { status: 401, body: { message: 'The secret is missing or wrong.' } };
const BUSY: Answer = {
	status: 503,
	body: { message: 'Too many deliveries wait to be confirmed.' },
	headers: { 'retry-after': '60' },
};

/**
 * Takes one delivery: answers it, then returns what starts the workflow. n8n awaits this function and starts the execution with what it
 * returns, however long ago the answer went out (docs/n8n.md N230). Never throws: n8n would make an error execution of it, and anybody on
 * the internet could cause those.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	let item: INodeExecutionData | undefined;
	try {
		const { answer, after } = await admitSafely(context);
		send(context, answer);
		item = await after?.();
	} catch (error) {
		logFault(context, error);
	}
	return item ? { noWebhookResponse: true, workflowData: [[item]] } : { noWebhookResponse: true };
}

async function admitSafely(context: IWebhookFunctions): Promise<Admission> {
	try {
		return await admit(context);
	} catch (error) {
		logFault(context, error);
		return { answer: BROKEN };
	}
}

/**
 * Decides on a delivery. Everything that takes an expression is read here: after the answer n8n may no longer evaluate any. What n8n keeps
 * of the body is let go: it would stay in memory as long as this delivery waits (docs/n8n.md N234).
 */
async function admit(context: IWebhookFunctions): Promise<Admission> {
	const arrivedAt = systemClock.now();
	const chosen = chosenEvents(
		context.getNodeParameter('events', []),
		context.getNodeParameter('otherEvents', ''),
	);
	const confirms = context.getNodeParameter('confirmWithSegmind', false) === true;
	const isAllowed = hasSecret(context);
	const read = isAllowed ? readBodyOf(context) : undefined;
	letBodyGo(context);
	if (read === undefined) return { answer: WRONG_SECRET };
	if ('status' in read) return { answer: { status: read.status, body: { message: read.message } } };

	const { payload } = read;
	const { event: word, jobId, isTest } = subjectOf(payload, new Set(chosen.keys()));
	// What came to the test URL is a test, whatever it says; the editor waits for it.
	if (context.getMode() === 'manual') {
		const event = word === undefined ? undefined : (chosen.get(canonical(word)) ?? word.trim());
		return startsWith({ payload, event, jobId, more: { test: true } });
	}
	if (isTest) return { answer: RECEIVED };
	if (word === undefined) {
		const names = shown(Object.keys(payload).join(', '), 200);
		log(context, `a delivery names no event and started nothing; its members: ${names}`);
		return { answer: RECEIVED };
	}
	const event = chosen.get(canonical(word));
	if (event === undefined) return { answer: RECEIVED };
	if (!confirms) {
		const delivered = deliveredTo(context, event, jobId);
		return startsWith({ payload, event, jobId }, delivered);
	}
	if (jobId === undefined) {
		log(context, `${aboutOf(event)} cannot be confirmed and started nothing`);
		return { answer: RECEIVED };
	}
	const text = JSON.stringify(payload);
	return await admitToConfirmation(context, { event, jobId, text, arrivedAt });
}

function readBodyOf(context: IWebhookFunctions): ReadBody {
	const request = requestOf(context);
	return readBody({
		raw: Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined,
		parsed: context.getBodyData(),
		contentType: String(context.getHeaderData()['content-type'] ?? ''),
	});
}

/** The parsed body is emptied, not only left: n8n's context keeps it too, as the input of expressions. */
function letBodyGo(context: IWebhookFunctions): void {
	const request = requestOf(context);
	const { body } = request;
	if (isObject(body)) for (const name of Object.keys(body)) delete body[name];
	else if (Array.isArray(body)) body.length = 0;
	Object.assign(request, { body: {}, rawBody: undefined });
}

function requestOf(context: IWebhookFunctions): { body?: unknown; rawBody?: unknown } {
	return context.getRequestObject() as unknown as { body?: unknown; rawBody?: unknown };
}

interface Starting {
	payload: Record<string, unknown>;
	event?: string;
	jobId?: string;
	more?: IDataObject;
}

/** Taken as it is: it starts the workflow, when `delivered` is given only if it is the first of its job and event. */
function startsWith({ payload, event, jobId, more }: Starting, delivered?: Delivered): Admission {
	const item = {
		json: itemJson(payload, {
			...(event !== undefined && { event }),
			...(jobId !== undefined && { finetune_id: jobId }),
			...addressesIn(payload),
			...more,
		}),
	};
	return {
		answer: RECEIVED,
		after: async () =>
			delivered === undefined || (await onlyOnce(delivered, async () => true)) ? item : undefined,
	};
}

interface Claim {
	event: string;
	jobId: string;
	/** What the delivery brought, as compact JSON: it is all that is kept while it waits. */
	text: string;
	arrivedAt: number;
}

/** Finds a delivery a place to wait in; nothing of the request but `text` goes along. */
async function admitToConfirmation(context: IWebhookFunctions, claim: Claim): Promise<Admission> {
	const { event, jobId, text, arrivedAt } = claim;
	const scope = scopeOf(context);
	const lookup = lookupFor(context.getNode().credentials?.[SEGMIND_API]?.id ?? scope);
	if (lookup.isUnknown(jobId)) {
		log(context, `${aboutOf(event, jobId)} was not confirmed and started nothing: no such job`);
		return { answer: RECEIVED };
	}
	const key = `${scope}|${canonical(event)}|${digest(jobId)}`;
	const delivery: Waiting = { text, until: arrivedAt + CONFIRM_FOR_MS };
	const place = takePlace(key, delivery);
	if (place === 'joined') return { answer: RECEIVED };
	if (place === 'full') return { answer: BUSY };
	let asker: Asker | undefined;
	try {
		asker = await readAsker(context);
	} finally {
		if (asker === undefined) leavePlace(key);
	}
	if (asker === undefined) {
		log(context, 'Base URL in the credential is not an http(s) address');
		return { answer: BROKEN };
	}
	const known = asker;
	return {
		answer: RECEIVED,
		after: async () => {
			try {
				return await confirmedItem(context, known, { event, jobId, arrivedAt, lookup, delivery });
			} finally {
				leavePlace(key);
			}
		},
	};
}

/** The item of an event that is confirmed and was not started before. */
async function confirmedItem(
	context: IWebhookFunctions,
	client: Asker,
	{
		event,
		jobId,
		arrivedAt,
		lookup,
		delivery,
	}: Omit<Claim, 'text'> & { lookup: JobLookup; delivery: Waiting },
): Promise<INodeExecutionData | undefined> {
	let job: IDataObject | undefined;
	// A job only goes on, so what was read of it a moment before may confirm, but not refuse.
	let since = arrivedAt - SEEN_BEFORE_MS;
	const until = () => delivery.until;
	const calls: Calls = {
		limit: () => client.limiter.callsPerMinute,
		job: async (id) => await askForJob(client, id, until()),
		list: async () => await askForList(client, until()),
	};
	await onlyOnce(deliveredTo(context, event, jobId), async () => {
		const ask = async () => {
			const answer = await lookup.answerFor({ jobId, since, until }, calls);
			since = systemClock.now();
			return answer;
		};
		const verdict = await confirmation(event, ask, until, systemClock);
		if ('job' in verdict) job = verdict.job;
		else
			log(
				context,
				`${aboutOf(event, jobId)} was not confirmed and started nothing: ${verdict.why}`,
			);
		return job !== undefined;
	});
	if (job === undefined) return undefined;
	const payload = parseJson(delivery.text) as Record<string, unknown>;
	const own = {
		event,
		finetune_id: memberText(job, 'finetune_id') || jobId,
		...addressesIn(job),
		confirmed: true,
		finetune: job,
	};
	return { json: itemJson(payload, own, job) };
}

function aboutOf(event: string, jobId?: string): string {
	return `the event ${shown(event)} of ${jobId === undefined ? 'an unnamed job' : `fine-tune ${shown(jobId)}`}`;
}

/** The node, within the whole n8n. */
function scopeOf(context: IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}|${context.getNode().id}`;
}

/** What tells a delivery from others; undefined without a job id, when nothing can. */
function deliveredTo(context: IWebhookFunctions, event: string, jobId: string): Delivered;
function deliveredTo(
	context: IWebhookFunctions,
	event: string,
	jobId: string | undefined,
): Delivered | undefined;
function deliveredTo(
	context: IWebhookFunctions,
	event: string,
	jobId: string | undefined,
): Delivered | undefined {
	if (jobId === undefined) return undefined;
	return {
		scope: scopeOf(context),
		event: canonical(event),
		jobId,
		staticData: context.getWorkflowStaticData('node'),
	};
}

/** True when the delivery carries the secret, or none is asked for. */
function hasSecret(context: IWebhookFunctions): boolean {
	const { secret: written } = context.getNode().parameters;
	if (written === undefined || written === '') return true;
	const value = context.getNodeParameter('secret', '');
	const secret = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	if (secret === '') {
		// A secret was meant to be there: nobody gets in without it.
		log(context, 'the expression in Secret gives nothing, so every delivery is refused');
		return false;
	}
	if (context.getNodeParameter('secretIn', 'query') !== 'header')
		return isSecret(secret, (context.getQueryData() as IDataObject).secret);
	const header = String(context.getNodeParameter('headerName', '')).trim().toLowerCase();
	return isSecret(secret, context.getHeaderData()[header]);
}

function send(context: IWebhookFunctions, { status, body, headers = {} }: Answer): void {
	try {
		const response = context.getResponseObject();
		if (response.headersSent) return;
		for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
		response.status(status).json(body);
	} catch (error) {
		// Who called is gone; what it told was read all the same.
		logFault(context, error);
	}
}

/** One line of the log; anybody can cause some, so there are few in a minute. */
function log(context: IWebhookFunctions, text: string): void {
	const line = linesOf(scopeOf(context)).next(systemClock.now());
	if (line === 'left out') return;
	const more = line === 'last' ? '; further lines are left out for a minute' : '';
	const name = shown(context.getNode().name);
	context.logger.warn(`Segmind Fine-Tune Trigger '${name}': ${oneLine(redact(text))}${more}`);
}

function logFault(context: IWebhookFunctions, error: unknown): void {
	const reason = error instanceof Error ? error.message : String(error);
	log(context, `a delivery could not be handled: ${excerpt(reason)}`);
}
