import type { Request, Response, Router } from 'express';
import { about, livingJob, statusOf } from '../about';
import { leftOf, requestUrls, requireBalance, submitAnswer, type RequestUrls } from '../accept';
import type { Job } from '../jobs';
import { receivedWith } from '../origin';
import { refuse, refuseUnknownPath } from '../refusal';
import { metricsOf, unnamedResult, workflowOutputOf } from '../results';
import { jsonObject, parameter, routerOf, withKey } from '../routing';
import type { Service } from '../service';
import { findWorkflow, inputFault } from '../workflows';

/** POST /workflows/v2/{slug} and the addresses of its runs (docs/service.md S150 to S158). */
export function workflowRoutes(service: Service): Router {
	const { orders } = service;
	const find = (request: Request): Job =>
		livingJob(service, request, ({ via }) => via === 'workflow');
	const status = about(service, 'status', find, (job, state) => statusOf(service, job, state));
	const result = about(service, 'result', find, (job) => workflowResult(service, job));
	/** Older pages know one address and no status word at the end. */
	const olderResult = about(service, 'result', find, (job, state) =>
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
					orders.workflowUrls === 'older'
						? await olderResult(request, response)
						: refuseUnknownPath(),
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

/** The response about a workflow run that hasn't failed: `output` is an empty text until there is one. */
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
	const id = job.requestId;
	if (workflowUrls === 'generic') return requestUrls(service, job);
	if (workflowUrls === 'older') return { poll_url: `${api}/requests/${id}` };
	const base = `${api}/workflows/v2/requests/${id}`;
	return leftOf(workflowUrls, `${api}/workflows/request/${id}`, base);
}
