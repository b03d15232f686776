import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/** What the sender of a delivery gets. */
export interface DeliveryAnswer {
	status: 200 | 400 | 401 | 413 | 500 | 503;
	body: IDataObject;
	headers?: Record<string, string>;
}

/** The answer to a delivery, and what happens after it was sent: the item that starts the workflow, if any. */
export interface Decision {
	answer: DeliveryAnswer;
	afterAnswer?: () => Promise<INodeExecutionData | undefined>;
}

export const RECEIVED: DeliveryAnswer = { status: 200, body: { received: true } };

export const MISCONFIGURED: DeliveryAnswer = {
	status: 500,
	body: { message: 'The trigger cannot work as it is set up.' },
};

export const WRONG_SECRET: DeliveryAnswer = {
	status: 401,
	body: { message: 'The secret is missing or wrong.' },
};

export const BUSY: DeliveryAnswer = {
	status: 503,
	body: { message: 'Too many deliveries wait to be confirmed.' },
	headers: { 'retry-after': '60' },
};
