import type { Request } from 'express';
import type { Job } from './jobs';
import { refuse } from './refusal';
import { metricsOf, tellFailure } from './results';
import { parameter, type Handler } from './routing';
import type { Service } from './service';

type Told = Record<string, unknown>;

/** Responds to calls about a request. A failed request gets its failure; `tell` builds the response for any other. `find` throws to reject a call. */
export function about(
	service: Service,
	asked: 'status' | 'result',
	find: (request: Request) => Job,
	tell: (job: Job, state: string) => Told | Promise<Told>,
): Handler {
	return async (request, response) => {
		const job = find(request);
		const state = service.jobs.stateOf(job);
		if (state === 'FAILED') tellFailure(job, service.orders, asked, response);
		else response.json(await tell(job, state));
	};
}

/** The request whose ID is in the path, while its record exists. `isHere` decides whether this URL serves it. */
export function livingJob(
	service: Service,
	request: Request,
	isHere: (job: Job) => boolean,
	what = 'Request',
): Job {
	const id = parameter(request, 'id');
	service.jobs.settle();
	const job = service.jobs.find(id);
	if (!job || !isHere(job) || service.now() - job.submittedAt >= service.orders.recordMs)
		refuse(404, `${what} ${id} not found`);
	return job;
}

/** The status of a request that has not failed. */
export function statusOf({ orders }: Service, job: Job, state: string): Told {
	const isDone = state === 'COMPLETED';
	return {
		status: isDone ? state : (orders.progressWord ?? state),
		request_id: job.requestId,
		...(isDone ? metricsOf(job, orders) : { metrics: {} }),
	};
}
