import type { Request, Response } from 'express';
import { jobHandler, requireJob, statusBody } from '../jobHandler';
import { selectUrls, requireBalance, submissionResponse, type RequestUrls } from '../submission';
import type { Job } from '../jobs';
import { receivedCallOf } from '../receivedCalls';
import { reject, rejectUnknownPath } from '../rejection';
import { timingsOf, unnamedResult, workflowOutputOf } from '../results';
import { readJsonObject, pathParameter, guardWithKey, type Routes } from '../routing';
import type { Service } from '../service';
import { findWorkflow, findWorkflowById, inputProblem } from '../workflows';

/** POST /workflows/v2/{slug} and the URLs of a run (docs/service.md S150 to S158). */
export function workflowRoutes(service: Service): Routes {
	const { orders } = service;
	const find = (request: Request): Job =>
		requireJob(service, request, ({ via }) => via === 'workflow');
	const status = jobHandler(service, 'status', find, (job, state) =>
		statusBody(service, job, state),
	);
	const result = jobHandler(service, 'result', find, (job, state) =>
		workflowResult(service, job, state),
	);
	/** Older pages describe one URL, whose completed result has no status. */
	const olderResult = jobHandler(service, 'result', find, (job, state) =>
		state === 'COMPLETED'
			? unnamedResult(job)
			: {
					status: orders.progressWord ?? state,
					request_id: job.requestId,
					poll_url: `${service.urls.api}/requests/${job.requestId}`,
				},
	);
	return guardWithKey(service, {
		'/workflows/v2/requests/:id/status': { kind: 'status', GET: status },
		'/workflows/v2/requests/:id': { kind: 'result', GET: result },
		'/workflows/request/:id': { kind: 'poll', GET: result },
		'/requests/:id': {
			kind: 'poll',
			GET: async (request, response) =>
				orders.workflowUrls === 'older'
					? await olderResult(request, response)
					: rejectUnknownPath(),
		},
		'/workflows/v2/:slug': {
			kind: 'submit',
			POST: (request, response) => submit(service, request, response),
		},
		'/workflows/:id': {
			kind: 'submit',
			POST: (request, response) => submit(service, request, response),
		},
	});
}

/** Accepts a run of the workflow that the path names by its slug or its ID, which older pages have without `v2`. */
function submit(service: Service, request: Request, response: Response): void {
	const input = readJsonObject(request);
	const [name, id] = [pathParameter(request, 'slug'), pathParameter(request, 'id')];
	const found = id === '' ? findWorkflow(name) : undefined;
	const workflow =
		found ?? findWorkflowById(name || id) ?? reject(404, `Workflow ${name || id} not found`);
	const { slug } = workflow;
	if (service.orders.deniedModels.includes(slug))
		reject(403, 'This API key is not allowed to use this workflow.');
	const problem = inputProblem(workflow, input);
	if (problem !== undefined) reject(400, problem);
	requireBalance(service, 402);
	const job = service.jobs.submit({ via: 'workflow', slug, workflow, input });
	receivedCallOf(request).call.requestId = job.requestId;
	response.json({
		message: 'Request accepted',
		...submissionResponse(
			service,
			job,
			id === '' ? runUrls(service, job) : olderUrls(service, job),
		),
	});
}

/** Returns the result of a workflow run that hasn't failed. `output` is an empty string until the run completes. */
function workflowResult(service: Service, job: Job, state: string): Record<string, unknown> {
	const status = statusBody(service, job, state);
	if (state !== 'COMPLETED') return { output: '', ...status };
	return { output: workflowOutputOf(job, service.orders), timings: timingsOf(job), ...status };
}

/** An older workflow responds with one URL (docs/service.md S153). */
function olderUrls({ urls }: Service, { requestId }: Job): Partial<RequestUrls> {
	return { poll_url: `${urls.api}/workflows/request/${requestId}` };
}

function runUrls(service: Service, job: Job): Partial<RequestUrls> {
	const { workflowUrls } = service.orders;
	const { api } = service.urls;
	const id = job.requestId;
	if (workflowUrls === 'older') return { poll_url: `${api}/requests/${id}` };
	const responseUrl = `${api}/workflows/v2/requests/${id}`;
	return selectUrls(workflowUrls, `${api}/workflows/request/${id}`, responseUrl);
}
