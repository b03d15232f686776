import type { Request } from 'express';
import type { Job } from './jobs';
import { reject } from './rejection';
import { metricsOf, sendFailure } from './results';
import { pathParameter, type Handler } from './routing';
import type { Service } from './service';

type Body = Record<string, unknown>;

/** Makes a handler for status or result calls. `find` throws to reject a call. If the job failed, the response says so; otherwise `bodyOf` makes it. */
export function jobHandler(
	service: Service,
	what: 'status' | 'result',
	find: (request: Request) => Job,
	bodyOf: (job: Job, state: string) => Body | Promise<Body>,
): Handler {
	return async (request, response) => {
		const job = find(request);
		const state = service.jobs.stateOf(job);
		if (state === 'FAILED') sendFailure(job, service.orders, what, response);
		else response.json(await bodyOf(job, state));
	};
}

/** Returns the job whose request ID is in the path. @throws Rejection with 404 if it doesn't exist, isn't served at this URL, or has expired */
export function requireJob(
	service: Service,
	request: Request,
	isServed: (job: Job) => boolean,
	subject = 'Request',
): Job {
	const id = pathParameter(request, 'id');
	service.jobs.settle();
	const job = service.jobs.find(id);
	if (!job || !isServed(job) || service.now() - job.submittedAt >= service.orders.recordMs)
		reject(404, `${subject} ${id} not found`);
	return job;
}

/** Returns the body of the response to a status check of a job that hasn't failed. */
export function statusBody({ orders }: Service, job: Job, state: string): Body {
	const isDone = state === 'COMPLETED';
	return {
		status: isDone ? state : (orders.progressWord ?? state),
		request_id: job.requestId,
		...(isDone ? metricsOf(job, orders) : { metrics: {} }),
	};
}
