import type { Job } from './jobs';
import type { Orders } from './orders';
import { reject } from './rejection';
import type { Service } from './service';

/** Rejects the request if no credits are left: 406 on v1, 402 elsewhere (docs/service.md S192, S196). Reserved amounts are already deducted. */
export function requireBalance(service: Service, status: 402 | 406): void {
	service.jobs.settle();
	const { credits, freeCredits } = service.ledger.balance;
	const total = credits + freeCredits;
	if (total <= 0)
		reject(
			status,
			`Insufficient credits. You have ${pythonNumber(total)} credits. Please add credits to continue.`,
		);
}

// The service writes Python numbers: 0.0, not 0.
const pythonNumber = (value: number): string =>
	Number.isInteger(value) ? value.toFixed(1) : String(value);

export interface RequestUrls {
	poll_url: string;
	status_url: string;
	response_url: string;
}

/** Returns the body of the response to a submission. The URLs that the order `foreignUrls` names point to the hostile origin. */
export function submissionResponse(
	service: Service,
	job: Job,
	urls: Partial<RequestUrls>,
): Record<string, string> {
	const { foreignUrls } = service.orders;
	const isForeign = (name: keyof RequestUrls): boolean =>
		foreignUrls === true || (Array.isArray(foreignUrls) && foreignUrls.includes(name));
	const body: Record<string, string> = { request_id: job.requestId, status: 'QUEUED' };
	for (const name of ['poll_url', 'status_url', 'response_url'] as const) {
		const url = urls[name];
		if (url !== undefined)
			body[name] = isForeign(name) ? url.replace(service.urls.api, service.urls.hostile) : url;
	}
	return body;
}

/** Returns the URLs in the response to a v2 submission, as the order `requestUrls` says. The path of a poll_url begins with /v1. */
export function modelRequestUrls(
	{ urls, orders }: Service,
	{ requestId: id }: Job,
): Partial<RequestUrls> {
	const [pollUrl, responseUrl] = [`${urls.api}/v1/requests/${id}`, `${urls.api}/v2/requests/${id}`];
	return selectUrls(orders.requestUrls, pollUrl, responseUrl);
}

/** Returns those URLs of a request that an order names. */
export function selectUrls(
	order: Orders['requestUrls'],
	poll_url: string,
	response_url: string,
): Partial<RequestUrls> {
	if (order === 'none') return {};
	return order === 'pollOnly'
		? { poll_url }
		: { poll_url, status_url: `${response_url}/status`, response_url };
}
