import type { Request, Response, Router } from 'express';
import { requestUrls, requireBalance, submitAnswer, type RequestUrls } from '../accept';
import type { Job } from '../jobs';
import { receivedWith } from '../origin';
import { refuse, refuseUnrouted } from '../refusal';
import { metricsOf, tellFailure, unnamedResult, workflowOutputOf } from '../results';
import { jsonObject, parameter, routerOf, withKey, type Handler } from '../routing';
import type { Service } from '../service';
import { findWorkflow, inputFault } from '../workflows';

/** POST /workflows/v2/{slug} and the addresses of its runs (docs/service.md S150 to S158). */
export function workflowRoutes(service: Service): Router {
	const { orders } = service;
	/** Answers about a run: a failed one tells so, of any other `tell` says what. */
	const about = (
		asked: 'status' | 'result',
		tell: (job: Job, state: string) => Record<string, unknown>,
	): Handler => {
		return (request, response) => {
			const job = runOf(service, request);
			const state = service.jobs.stateOf(job);
			if (state === 'FAILED') tellFailure(job, orders, asked, response);
			else response.json(tell(job, state));
		};
	};
	const status = about('status', (job, state) => ({
		status: state === 'COMPLETED' ? state : (orders.progressWord ?? state),
		request_id: job.requestId,
		...(state === 'COMPLETED' ? metricsOf(job, orders) : { metrics: {} }),
	}));
	const result = about('result', (job) => workflowResult(service, job));
	/** Older pages know one address and no status word at the end. */
	const olderResult = about('result', (job, state) =>
		state === 'COMPLETED'
			? unnamedResult(job)
			: {
					status: orders.progressWord ?? state,
					request_id: job.requestId,
					poll_url: `${service.urls.api}/requests/${job.requestId}`,
				},
	);
	return routerOf(
		withKey(service, {
			'/workflows/v2/requests/:id/status': { GET: status },
			'/workflows/v2/requests/:id': { GET: result },
			'/workflows/request/:id': {
				GET: async (request, response) =>
					await (orders.pollAnswer === 'status' ? status : result)(request, response),
			},
			'/requests/:id': {
				GET: async (request, response) =>
					orders.workflowUrls === 'older' ? await olderResult(request, response) : refuseUnrouted(),
			},
			'/workflows/v2/:slug': { POST: (request, response) => submit(service, request, response) },
		}),
	);
}

function submit(service: Service, request: Request, response: Response): void {
	const input = jsonObject(request);
	const slug = parameter(request, 'slug');
	const workflow = findWorkflow(slug) ?? refuse(404, `Workflow ${slug} not found`);
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
}

function runOf(service: Service, request: Request): Job {
	const id = parameter(request, 'id');
	service.jobs.settle();
	const job = service.jobs.find(id);
	if (job?.via !== 'workflow' || service.now() - job.submittedAt >= service.orders.recordMs)
		refuse(404, `Request ${id} not found`);
	return job;
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
