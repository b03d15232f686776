import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { safeTextOf } from '../shared/base/redact';
import { dropUndefined } from '../shared/output/finishedItem';
import { readBody } from './body';
import { confirm } from './confirm';
import { log, logFault } from './log';
import { deliveryKey, hasStarted, rememberStarted } from './memory';
import { hasSecret } from './secret';
import { canonicalize, chosenEvents, subjectOf } from './subject';

/** The response to the sender of a delivery. */
interface WebhookReply {
	status: 200 | 400 | 401 | 413 | 500 | 503;
	body: IDataObject;
}

interface Decision {
	reply: WebhookReply;
	/** The item that starts the workflow; undefined if the delivery starts nothing. */
	item?: INodeExecutionData;
}

const RECEIVED: WebhookReply = { status: 200, body: { received: true } };
const MISCONFIGURED = errorReply(500, 'The trigger is set up incorrectly.');
const WRONG_SECRET = errorReply(401, 'The secret is missing or wrong.');
const NOT_CONFIRMED = errorReply(503, 'The event could not be confirmed. Deliver it again later.');
/** After how many seconds the sender may deliver an unconfirmed event again. */
const RETRY_AFTER_S = 60;
const REPLIES_IF_UNCONFIRMED = { later: NOT_CONFIRMED, never: RECEIVED, cannot: MISCONFIGURED };

function errorReply(status: WebhookReply['status'], message: string): WebhookReply {
	return { status, body: { message } };
}

/**
 * Receives one delivery: decides on it, responds, and returns the item that starts the workflow (docs/n8n.md N230). Never throws, because n8n would
 * record a failed execution (docs/n8n.md N231), and anybody on the internet could cause those.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	let decision: Decision = { reply: MISCONFIGURED };
	try {
		decision = await decide(context);
	} catch (error) {
		logFault(context, error);
	}
	sendReply(context, decision.reply);
	const { item } = decision;
	return item ? { noWebhookResponse: true, workflowData: [[item]] } : { noWebhookResponse: true };
}

/** Decides what a delivery does. @throws n8n's error for an expression or a credential that can't be read */
async function decide(context: IWebhookFunctions): Promise<Decision> {
	if (!hasSecret(context)) return { reply: WRONG_SECRET };
	const delivered = readBody(context);
	if ('status' in delivered) return { reply: errorReply(delivered.status, delivered.message) };

	const { payload } = delivered;
	const chosen = chosenEvents(
		context.getNodeParameter('events', []),
		context.getNodeParameter('otherEvents', ''),
	);
	const { event: sentEvent, jobId, addresses } = subjectOf(payload, chosen);
	const event = sentEvent === undefined ? undefined : chosen.get(canonicalize(sentEvent));
	const fields = { event, finetune_id: jobId, ...addresses };
	// Any delivery to the test URL is accepted as a test, because a user waits for it in the editor.
	if (context.getMode() === 'manual')
		return startWith(payload, { ...fields, event: event ?? sentEvent?.trim(), test: true });
	if (sentEvent === undefined) {
		const names = Object.keys(payload).slice(0, 20);
		const listed = names.map((name) => safeTextOf(name.slice(0, 200), 40)).join(', ');
		log(
			context,
			`a delivery without an event name did not start the workflow; its fields: ${listed}`,
		);
	}
	if (event === undefined) return { reply: RECEIVED };

	const mustConfirm = context.getNodeParameter('confirmWithSegmind', false) === true;
	if (jobId === undefined) {
		// Without a job, a new event can't be distinguished from a repeated delivery, so each one starts the workflow.
		if (!mustConfirm) return startWith(payload, fields);
		log(
			context,
			`${safeTextOf(event)} of an unnamed job cannot be confirmed, so it did not start the workflow`,
		);
		return { reply: RECEIVED };
	}
	const key = deliveryKey(event, jobId);
	if (hasStarted(context, key)) return { reply: RECEIVED };
	if (!mustConfirm) {
		rememberStarted(context, key);
		return startWith(payload, fields);
	}
	const confirmation = await confirm(context, { event, jobId });
	if (confirmation.kind !== 'confirmed') {
		const what = `${safeTextOf(event)} of fine-tune ${safeTextOf(jobId)}`;
		log(
			context,
			`${what} was not confirmed, so it did not start the workflow: ${confirmation.why}`,
		);
		return { reply: REPLIES_IF_UNCONFIRMED[confirmation.kind] };
	}
	rememberStarted(context, key);
	const { job } = confirmation;
	const confirmed = { ...subjectOf(job, chosen).addresses, confirmed: true, finetune: job };
	return startWith(payload, { event, finetune_id: jobId, ...confirmed });
}

/** Returns the decision to start the workflow with an item (CONTRACT.md). The sender's data is under `payload`, so it can't overwrite the other fields. */
function startWith(payload: Record<string, unknown>, fields: IDataObject): Decision {
	return { reply: RECEIVED, item: { json: dropUndefined({ ...fields, payload }) } };
}

function sendReply(context: IWebhookFunctions, { status, body }: WebhookReply): void {
	try {
		const reply = context.getResponseObject();
		if (reply.headersSent) return;
		if (status === NOT_CONFIRMED.status) reply.setHeader('retry-after', RETRY_AFTER_S);
		reply.status(status).json(body);
	} catch (error) {
		// The sender has closed the connection, but the delivery was read.
		logFault(context, error);
	}
}
