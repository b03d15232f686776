import { Router, type Request } from 'express';
import { requestUrls, requireBalance, submitAnswer, type RequestUrls } from '../accept';
import type { Job } from '../jobs';
import { receivedWith } from '../origin';
import { refuse } from '../refusal';
import { metricsOf, tellFailure, unnamedResult, workflowOutputOf } from '../results';
import { jsonObject, methods, parameter, withKey, type Handler } from '../routing';
import type { Service } from '../service';
import { findWorkflow, inputFault } from '../workflows';

/** POST /workflows/v2/{slug} and the addresses of its runs (docs/service.md S150 to S158). */
export function workflowRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	const get = (handler: Handler) => methods({ GET: withKey(service, handler) });

	const run = (request: Request): Job => {
		const id = parameter(request, 'id');
		service.jobs.settle();
		const job = service.jobs.find(id);
		if (job?.via !== 'workflow' || service.now() - job.submittedAt >= service.orders.recordMs) {
			refuse(404, `Request ${id} not found`);
		}
		return job;
	};

	const status: Handler = (request, response) => {
		const job = run(request);
		const state = service.jobs.stateOf(job);
		if (state === 'FAILED') tellFailure(job, service.orders, 'status', response);
		else
			response.json({
				status: state === 'COMPLETED' ? state : (service.orders.progressWord ?? state),
				request_id: job.requestId,
				...(state === 'COMPLETED' ? metricsOf(job, service.orders) : { metrics: {} }),
			});
	};

	const result: Handler = (request, response) => {
		const job = run(request);
		if (service.jobs.stateOf(job) === 'FAILED')
			tellFailure(job, service.orders, 'result', response);
		else response.json(workflowResult(service, job));
	};

	/** Older pages know one address and no status word at the end. */
	const olderResult: Handler = (request, response) => {
		const job = run(request);
		const state = service.jobs.stateOf(job);
		if (state === 'FAILED') tellFailure(job, service.orders, 'result', response);
		else if (state === 'COMPLETED') response.json(unnamedResult(job));
		else
			response.json({
				status: service.orders.progressWord ?? state,
				request_id: job.requestId,
				poll_url: `${service.urls.api}/requests/${job.requestId}`,
			});
	};

	router.all('/workflows/v2/requests/:id/status', get(status));
	router.all('/workflows/v2/requests/:id', get(result));
	router.all(
		'/workflows/request/:id',
		get(async (request, response) => {
			const { pollAnswer } = service.orders;
			await (pollAnswer === 'status' ? status : result)(request, response);
		}),
	);
	const older = get(olderResult);
	router.all('/requests/:id', async (request, response, next) => {
		if (service.orders.workflowUrls === 'older') await older(request, response, next);
		else next();
	});

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

function runUrls(service: Service, job: Job): Partial<RequestUrls> {
	const { workflowUrls } = service.orders;
	const { api } = service.urls;
	if (workflowUrls === 'none') return {};
	if (workflowUrls === 'generic') return requestUrls(service, job);
	if (workflowUrls === 'older') return { poll_url: `${api}/requests/${job.requestId}` };
	const poll = { poll_url: `${api}/workflows/request/${job.requestId}` };
	if (workflowUrls === 'pollOnly') return poll;
	const base = `${api}/workflows/v2/requests/${job.requestId}`;
	return { ...poll, status_url: `${base}/status`, response_url: base };
}
