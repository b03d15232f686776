import { Router, type Request } from 'express';
import { requestUrls, requireBalance, submitAnswer, type RequestUrls } from '../accept';
import type { Job } from '../jobs';
import { receivedWith } from '../origin';
import { refuse } from '../refusal';
import { failureOf, metricsOf, workflowOutputOf } from '../results';
import { jsonObject, methods, parameter, withKey, type Handler } from '../routing';
import type { Service } from '../service';
import { findWorkflow, inputFault } from '../workflows';

/** POST /workflows/v2/{slug} and the addresses of its runs (specification, "Workflows"; service-facts 6). */
export function workflowRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	const get = (handler: Handler) => methods({ GET: withKey(service, handler) });

	const run = (request: Request): Job => {
		const id = parameter(request, 'id');
		receivedWith(request).call.requestId = id;
		service.jobs.settle();
		const job = service.jobs.find(id);
		if (job?.via !== 'workflow' || service.now() - job.submittedAt >= service.orders.recordMs) {
			refuse(404, `Request ${id} not found`);
		}
		return job;
	};

	router.all(
		'/workflows/v2/requests/:id/status',
		get((request, response) => {
			const job = run(request);
			const state = service.jobs.stateOf(job);
			if (state === 'FAILED') {
				response.status(service.orders.failedStatus).json(failedRun(service, job));
				return;
			}
			response.json({
				status: state === 'COMPLETED' ? state : (service.orders.progressWord ?? state),
				request_id: job.requestId,
				...(state === 'COMPLETED' ? metricsOf(job, service.orders) : { metrics: {} }),
			});
		}),
	);

	const result: Handler = (request, response) => {
		const job = run(request);
		if (service.jobs.stateOf(job) === 'FAILED')
			response.status(service.orders.failedStatus).json(failedRun(service, job));
		else response.json(workflowResult(service, job));
	};
	router.all('/workflows/v2/requests/:id', get(result));
	router.all('/workflows/request/:id', get(result));

	router.all(
		'/workflows/v2/:slug',
		methods({
			POST: withKey(service, (request, response) => {
				const input = jsonObject(request);
				const slug = parameter(request, 'slug');
				const workflow = findWorkflow(slug);
				if (!workflow) refuse(404, `Workflow ${slug} not found`);
				if (service.orders.deniedModels.includes(slug))
					refuse(403, 'This API key is not allowed to use this workflow.');
				const fault = inputFault(workflow, input);
				if (fault !== undefined) refuse(400, fault);
				requireBalance(service, 402);
				const job = service.jobs.submit({ via: 'workflow', slug, workflow, input });
				receivedWith(request).call.requestId = job.requestId;
				response.json({
					message: 'Request accepted',
					...submitAnswer(service, job, runUrls(service, job)),
				});
			}),
		}),
	);
	return router;
}

/** What a workflow run answers while it has not failed: `output` is empty text until it is there. */
export function workflowResult(service: Service, job: Job): Record<string, unknown> {
	const state = service.jobs.stateOf(job);
	if (state !== 'COMPLETED')
		return { output: '', status: service.orders.progressWord ?? state, request_id: job.requestId };
	return {
		output: workflowOutputOf(job, service.orders),
		status: state,
		request_id: job.requestId,
		...metricsOf(job, service.orders),
	};
}

function failedRun(service: Service, job: Job): Record<string, unknown> {
	return { ...failureOf(job, service.orders), status: 'FAILED', request_id: job.requestId };
}

function runUrls(service: Service, job: Job): Partial<RequestUrls> {
	if (service.orders.workflowUrls === 'generic') return requestUrls(service, job);
	const { api } = service.urls;
	const poll = { poll_url: `${api}/workflows/request/${job.requestId}` };
	if (service.orders.workflowUrls === 'pollOnly') return poll;
	const base = `${api}/workflows/v2/requests/${job.requestId}`;
	return { ...poll, status_url: `${base}/status`, response_url: base };
}
