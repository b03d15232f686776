import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { redact } from '../shared/base/redact';
import { excerpt } from '../shared/service/errorBody';
import { CONFIRM_FOR_MS, askForJob, confirmation, readAsker, type Asker } from './confirm';
import { addressesIn, itemJson, readBody, subjectOf } from './delivery';
import { canonical, chosenEvents } from './events';
import { onlyOnce } from './once';
import { isSecret } from './secret';

/** Deliveries of this process that may wait to be confirmed at once: each holds its body, and calls with the user's key. */
const MOST_WAITING = 100;
let waiting = 0;

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
 * returns, however long ago the answer went out (platform fact 39). Never throws: n8n would make an error execution of it, and anybody on
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

/** Decides on a delivery. Everything that takes an expression is read here: after the answer n8n may no longer evaluate any. */
async function admit(context: IWebhookFunctions): Promise<Admission> {
	const arrivedAt = systemClock.now();
	const chosen = chosenEvents(
		context.getNodeParameter('events', []),
		context.getNodeParameter('otherEvents', ''),
	);
	const confirms = context.getNodeParameter('confirmWithSegmind', false) === true;
	if (!hasSecret(context)) return { answer: WRONG_SECRET };

	const request = context.getRequestObject() as unknown as { rawBody?: unknown };
	const read = readBody({
		raw: Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined,
		parsed: context.getBodyData(),
		contentType: String(context.getHeaderData()['content-type'] ?? ''),
	});
	if ('status' in read) return { answer: { status: read.status, body: { message: read.message } } };

	const { payload } = read;
	const { event: word, jobId, isTest } = subjectOf(payload, new Set(chosen.keys()));
	const itemWith = (event: string | undefined, more: IDataObject): INodeExecutionData => ({
		json: itemJson(payload, {
			...(event !== undefined && { event }),
			...(jobId !== undefined && { finetune_id: jobId }),
			...addressesIn(payload),
			...more,
		}),
	});

	// What came to the test URL is a test, whatever it says; the editor waits for it.
	if (context.getMode() === 'manual') {
		const event = word === undefined ? undefined : (chosen.get(canonical(word)) ?? word.trim());
		return { answer: RECEIVED, after: async () => itemWith(event, { test: true }) };
	}
	if (isTest) return { answer: RECEIVED };
	if (word === undefined) {
		const names = excerpt(Object.keys(payload).join(', ')).slice(0, 200);
		log(context, `a delivery names no event and started nothing; its members: ${names}`);
		return { answer: RECEIVED };
	}
	const event = chosen.get(canonical(word));
	if (event === undefined) return { answer: RECEIVED };

	if (!confirms) {
		return {
			answer: RECEIVED,
			after: async () => ((await isFirst(context, event, jobId)) ? itemWith(event, {}) : undefined),
		};
	}
	const about = `the event ${excerpt(event)} of ${jobId === undefined ? 'an unnamed job' : `fine-tune ${excerpt(jobId)}`}`;
	if (jobId === undefined) {
		log(context, `${about} cannot be confirmed and started nothing`);
		return { answer: RECEIVED };
	}
	if (waiting >= MOST_WAITING) return { answer: BUSY };
	// Counted from here on: reading the credential takes a moment, in which others arrive.
	waiting++;
	let asker: Asker | undefined;
	try {
		asker = await readAsker(context);
	} finally {
		if (asker === undefined) waiting--;
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
				const job = await confirmedJob(context, known, { event, jobId, about, arrivedAt });
				return job && itemWith(event, { confirmed: true, finetune: job });
			} finally {
				waiting--;
			}
		},
	};
}

/** The job of an event that is confirmed and was not started before. */
async function confirmedJob(
	context: IWebhookFunctions,
	asker: Asker,
	{
		event,
		jobId,
		about,
		arrivedAt,
	}: { event: string; jobId: string; about: string; arrivedAt: number },
): Promise<IDataObject | undefined> {
	let job: IDataObject | undefined;
	const deadline = arrivedAt + CONFIRM_FOR_MS;
	await isFirst(context, event, jobId, async () => {
		const verdict = await confirmation(
			event,
			async () => await askForJob(asker, jobId, deadline),
			deadline,
			systemClock,
		);
		if ('job' in verdict) job = verdict.job;
		else log(context, `${about} was not confirmed and started nothing: ${verdict.why}`);
		return job !== undefined;
	});
	return job;
}

/** Whether this delivery starts the execution of its job and event. Without a job id nothing can be told apart. */
async function isFirst(
	context: IWebhookFunctions,
	event: string,
	jobId: string | undefined,
	decide: () => Promise<boolean> = async () => true,
): Promise<boolean> {
	if (jobId === undefined) return await decide();
	const delivered = {
		scope: `${context.getWorkflow().id ?? ''}|${context.getNode().id}`,
		event: canonical(event),
		jobId,
		staticData: context.getWorkflowStaticData('node'),
	};
	return await onlyOnce(delivered, decide);
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

function log(context: IWebhookFunctions, text: string): void {
	context.logger.warn(`Segmind Fine-Tune Trigger '${context.getNode().name}': ${redact(text)}`);
}

function logFault(context: IWebhookFunctions, error: unknown): void {
	const reason = error instanceof Error ? error.message : String(error);
	log(context, `a delivery could not be handled: ${excerpt(reason)}`);
}
