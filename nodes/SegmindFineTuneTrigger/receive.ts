import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { decide } from './decide';
import { logFault } from './deliveryLog';
import { MISCONFIGURED, type Decision, type DeliveryAnswer } from './deliveryAnswers';

/**
 * Receives one delivery: answers it, then returns what starts the workflow. n8n awaits this function and starts the execution with what it
 * returns, however long ago the answer was sent (docs/n8n.md N230). Never throws: n8n would record a failed execution (docs/n8n.md N231), and
 * anybody on the internet could cause those.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	let item: INodeExecutionData | undefined;
	try {
		const { answer, afterAnswer } = await decideSafely(context);
		send(context, answer);
		item = await afterAnswer?.();
	} catch (error) {
		logFault(context, error);
	}
	return item ? { noWebhookResponse: true, workflowData: [[item]] } : { noWebhookResponse: true };
}

async function decideSafely(context: IWebhookFunctions): Promise<Decision> {
	try {
		return await decide(context);
	} catch (error) {
		logFault(context, error);
		return { answer: MISCONFIGURED };
	}
}

function send(context: IWebhookFunctions, { status, body, headers = {} }: DeliveryAnswer): void {
	try {
		const response = context.getResponseObject();
		if (response.headersSent) return;
		for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
		response.status(status).json(body);
	} catch (error) {
		// The sender has closed the connection; the delivery was read all the same.
		logFault(context, error);
	}
}
