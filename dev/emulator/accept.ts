import type { Job } from './jobs';
import type { Orders } from './orders';
import { refuse } from './refusal';
import type { Service } from './service';

/** Rejects the request if no credits are left: 406 on v1, 402 elsewhere (docs/service.md S192, S196). Reserved amounts are already deducted. */
export function requireBalance(service: Service, status: 402 | 406): void {
	service.jobs.settle();
	const { credits, freeCredits } = service.ledger.balance;
	const left = credits + freeCredits;
	if (left <= 0)
		refuse(
			status,
			`Insufficient credits. You have ${shown(left)} credits. Please add credits to continue.`,
		);
}

// The service writes Python numbers: 0.0, not 0.
const shown = (value: number): string =>
	Number.isInteger(value) ? value.toFixed(1) : String(value);

export interface RequestUrls {
	poll_url: string;
	status_url: string;
	response_url: string;
}

/** The response to a submission. If foreign URLs are ordered, they point to the hostile origin. */
export function submitAnswer(
	service: Service,
	job: Job,
	urls: Partial<RequestUrls>,
): Record<string, string> {
	const { foreignUrls } = service.orders;
	const foreign = (name: keyof RequestUrls): boolean =>
		foreignUrls === true || (Array.isArray(foreignUrls) && foreignUrls.includes(name));
	const answer: Record<string, string> = { request_id: job.requestId, status: 'QUEUED' };
	for (const name of ['poll_url', 'status_url', 'response_url'] as const) {
		const url = urls[name];
		if (url !== undefined)
			answer[name] = foreign(name) ? url.replace(service.urls.api, service.urls.hostile) : url;
	}
	return answer;
}

/** The three addresses of a plain v2 request, the poll_url with its v1 prefix, or those that the orders leave of them. */
export function requestUrls(
	{ urls, orders }: Service,
	{ requestId: id }: Job,
): Partial<RequestUrls> {
	const [poll, base] = [`${urls.api}/v1/requests/${id}`, `${urls.api}/v2/requests/${id}`];
	return leftOf(orders.requestUrls, poll, base);
}

/** What an order leaves of the addresses of a request. */
export function leftOf(
	order: Orders['requestUrls'],
	poll_url: string,
	base: string,
): Partial<RequestUrls> {
	if (order === 'none') return {};
	return order === 'pollOnly'
		? { poll_url }
		: { poll_url, status_url: `${base}/status`, response_url: base };
}
