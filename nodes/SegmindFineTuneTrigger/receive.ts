import { createHash, timingSafeEqual } from 'node:crypto';

import type {
	IDataObject,
	IHookFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { describeError } from '../shared/base/describeError';
import { digest } from '../shared/base/hash';
import { safeTextOf } from '../shared/base/redact';
import { dropUndefined } from '../shared/output/outputFields';
import { isObject, isRequestId, parseJson } from '../shared/service/schemas';
import { confirm, perMinute } from './confirm';

/** Largest body. n8n's own limit, 16 MB by default, is far more than an event needs. */
const MAX_BODY_BYTES = 64 * 1024;
/** At most this many deliveries are remembered for a node. */
const MAX_STARTED = 500;
/** The documented events (docs/service.md S360). */
const EVENTS = ['TRAINING_COMPLETED', 'INFERENCE_QUEUED', 'AVAILABLE'];
/** Anybody on the internet can cause lines of the log. */
const mayLog = perMinute(30);

const WRONG_SECRET =
	'a delivery was rejected, because its secret is missing or wrong. In a URL, only letters, digits, hyphens, periods and underscores mean themselves: choose a secret of these.';

/** The response to a delivery, by its status. */
const RESPONSES = {
	200: { received: true },
	400: { message: 'The body must be a JSON object.' },
	401: { message: 'The secret is missing or wrong.' },
	413: { message: 'The body is too long.' },
	500: { message: 'The trigger is set up incorrectly.' },
	503: { message: 'The event could not be confirmed. Deliver it again later.' },
};

/**
 * Receives one delivery: decides on it, responds, and returns the item that starts the workflow (docs/n8n.md N230). Never throws, because n8n would
 * record a failed execution, and anybody on the internet could cause those.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const decision = await itemOfDelivery(context).catch((error: unknown) => {
		log(context, `a delivery could not be handled: ${describeError(error)}`);
		return 500 as const;
	});
	const json = typeof decision === 'object' ? decision : undefined;
	const status = typeof decision === 'object' ? 200 : decision;
	context.getResponseObject().status(status).json(RESPONSES[status]);
	return { noWebhookResponse: true, ...(json && { workflowData: [[{ json }]] }) };
}

/**
 * Returns the item that starts the workflow, or the status of the response to a delivery that starts nothing.
 * @throws n8n's error for an expression or a credential that can't be read
 */
async function itemOfDelivery(
	context: IWebhookFunctions,
): Promise<IDataObject | keyof typeof RESPONSES> {
	if (!hasSecret(context)) {
		log(context, WRONG_SECRET);
		return 401;
	}
	// The body as received, decompressed (docs/n8n.md N235); undefined for forms with files. n8n's parsed body isn't used, because n8n also turns forms
	// and XML into objects.
	const { rawBody } = context.getRequestObject() as unknown as { rawBody?: unknown };
	if (!Buffer.isBuffer(rawBody)) return 400;
	if (rawBody.length > MAX_BODY_BYTES) return 413;
	const payload = parseJson(rawBody.toString('utf8'));
	if (!isObject(payload)) return 400;

	const fields = payloadFields(payload);
	// Any delivery to the test URL is accepted as a test, because a user waits for it in the editor.
	if (context.getMode() === 'manual') return dropUndefined({ ...fields, test: true, payload });
	const { event } = fields;
	if (event === undefined)
		log(context, `a delivery has no known event; its fields: ${Object.keys(payload).join(', ')}`);
	if (event === undefined || !isEventChosen(context, event)) return 200;
	return await startOnce(context, { ...fields, event }, payload);
}

function isEventChosen(context: IWebhookFunctions, event: string): boolean {
	const chosen = String(context.getNodeParameter('events', [])).split(/[\s,]+/);
	return chosen.includes(event);
}

/** Returns the item of a chosen event, or the status for one that has started the workflow before or can't be confirmed. */
async function startOnce(
	context: IWebhookFunctions,
	fields: ReturnType<typeof payloadFields> & { event: string },
	payload: object,
): Promise<IDataObject | 200 | 503> {
	const { event, finetune_id: jobId } = fields;
	// Without a job, a new event can't be distinguished from a repeated delivery, so each one starts the workflow.
	const key = jobId && digest(`${event}|${jobId}`);
	if (key && hasStarted(context, key)) return 200;
	if (mustConfirm(context)) {
		const job = await confirm(context, event, jobId);
		if (typeof job === 'string') {
			log(context, `${event} of fine-tune ${jobId ?? ''} was not confirmed: ${job}`);
			return 503;
		}
		const confirmed = { event, finetune_id: jobId, confirmed: true, finetune: job };
		// A forged delivery may have any URLs: only those of the job count, even if it has none.
		Object.assign(fields, payloadFields(job), confirmed);
	}
	// An equal delivery may have started the workflow during the call.
	if (key && hasStarted(context, key, 'remember')) return 200;
	// The sender's data is under `payload`, so that it can't overwrite other fields.
	return dropUndefined({ ...fields, payload });
}

/** The deliveries that started the workflow of a node in this process. Simultaneous deliveries read the same static data. */
const startedHere = new Map<string, string[]>();

/**
 * Whether a delivery has started the workflow; with `remember`, it counts as started from now on. Static data has the deliveries from before a restart,
 * and those to other processes.
 */
function hasStarted(context: IWebhookFunctions, key: string, remember?: 'remember'): boolean {
	const node = `${context.getWorkflow().id ?? ''}|${context.getNode().id}`;
	const data = context.getWorkflowStaticData('node');
	const stored = Array.isArray(data.started) ? (data.started as string[]) : [];
	const started = new Set([...stored, ...(startedHere.get(node) ?? [])]);
	if (started.has(key)) return true;
	// A new list, because n8n doesn't notice changes inside a list.
	if (!remember) return false;
	const latest = [...started, key].slice(-MAX_STARTED);
	data.started = latest;
	startedHere.set(node, latest);
	return false;
}

/**
 * Reads the event, the job and the URLs of the documented events. The form of payloads isn't published (docs/service.md S362), so members may have any
 * depth, and those nearest to the top count. Linear in the size of the payload.
 */
function payloadFields(payload: object) {
	const texts: Array<[name: string, text: string]> = [];
	// The loop also visits the objects that it adds to this list.
	const nested = [payload];
	for (const value of nested)
		for (const [name, inner] of Object.entries(value) as Array<[string, unknown]>) {
			if (typeof inner === 'object' && inner !== null) nested.push(inner);
			else if (/^(string|number)$/.test(typeof inner) && !Array.isArray(value))
				texts.push([name, String(inner).trim()]);
		}
	const textOf = (name: string) => texts.find((one) => one[0] === name && one[1] !== '')?.[1];
	return {
		event: texts.map(([, text]) => text.toUpperCase()).find((word) => EVENTS.includes(word)),
		finetune_id: ['finetune_id', 'request_id', 'id']
			.map(textOf)
			.find((id) => id && isRequestId(id)),
		trained_model_url: textOf('trained_model_url'),
		inference_api_url: textOf('inference_api_url'),
	};
}

/** The context of a delivery, or of the activation of the workflow. */
type NodeContext = Pick<IHookFunctions, 'getNode' | 'getNodeParameter'>;

/** Whether the node has a secret or an expression for one. */
export function hasSecretField(context: NodeContext): boolean {
	return Boolean(context.getNode().parameters.secret);
}

export function mustConfirm(context: NodeContext): boolean {
	return context.getNodeParameter('confirmWithSegmind', false) === true;
}

/** Whether the delivery has the secret, or the node has none. Doesn't read the body. */
function hasSecret(context: IWebhookFunctions): boolean {
	if (!hasSecretField(context)) return true;
	// If the expression returns nothing, no delivery is accepted, because the user meant to set a secret.
	const secret = String(context.getNodeParameter('secret', '') ?? '');
	const { secret: sent } = context.getQueryData() as IDataObject;
	const hash = (text: string) => createHash('sha256').update(text).digest();
	return secret !== '' && typeof sent === 'string' && timingSafeEqual(hash(sent), hash(secret));
}

/** Writes a line to the log, without secrets. */
function log(context: IWebhookFunctions, text: string): void {
	const line = `Segmind Fine-Tune Trigger '${context.getNode().name}': ${text}`;
	if (mayLog()) context.logger.warn(safeTextOf(line, 600));
}
