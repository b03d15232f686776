import type { Request, Response, Router } from 'express';
import { requestUrls, requireBalance, submitAnswer } from '../accept';
import type { Job } from '../jobs';
import { findModel, type Model } from '../models';
import { receivedWith } from '../origin';
import { refuse } from '../refusal';
import { metricsOf, resultOf, tellFailure } from '../results';
import { jsonObject, parameter, routerOf, withKey } from '../routing';
import type { Service } from '../service';
import { workflowResult } from './workflows';

/** POST /v2/{model} and its three GET addresses (docs/service.md S80 to S129). */
export function inferenceRoutes(service: Service): Router {
	const tellStatus = (job: Job, response: Response): void => {
		const state = service.jobs.stateOf(job);
		if (state === 'FAILED') tellFailure(job, service.orders, 'status', response);
		else
			response.json(
				state === 'COMPLETED'
					? { status: state, request_id: job.requestId, ...metricsOf(job, service.orders) }
					: inProgress(service, job),
			);
	};
	const tellResult = async (job: Job, response: Response): Promise<void> => {
		const state = service.jobs.stateOf(job);
		if (state === 'FAILED') tellFailure(job, service.orders, 'result', response);
		else if (job.via === 'workflow') response.json(workflowResult(service, job));
		else
			response.json(
				state === 'COMPLETED' ? await resultOf(job, service.orders) : inProgress(service, job),
			);
	};
	return routerOf(
		withKey(service, {
			'/v2/requests/:id/status': {
				GET: (request, response) => tellStatus(findRequest(service, request, 'v2'), response),
			},
			'/v2/requests/:id': {
				GET: async (request, response) =>
					await tellResult(findRequest(service, request, 'v2'), response),
			},
			'/v1/requests/:id': {
				async GET(request, response) {
					const job = findRequest(service, request, 'v1');
					if (service.orders.pollAnswer === 'status') tellStatus(job, response);
					else await tellResult(job, response);
				},
			},
			'/v2/:model': {
				POST(request, response) {
					const input = jsonObject(request);
					const model = requireModel(service, request);
					requireBalance(service, 402);
					const job = service.jobs.submit({ via: 'v2', slug: model.slug, model, input });
					receivedWith(request).call.requestId = job.requestId;
					response.json(submitAnswer(service, job, requestUrls(service, job)));
				},
			},
		}),
	);
}

/** 404 for an unknown slug, 410 for a retired model, 403 for one this key may not use. */
export function requireModel(service: Service, request: Request): Model {
	const slug = parameter(request, 'model');
	const model = findModel(slug) ?? ownModel(service, slug);
	if (!model) refuse(404, `Model ${slug} not found`);
	if (model.retired) refuse(410, `Model ${slug} has been retired.`);
	if (service.orders.deniedModels.includes(slug))
		refuse(403, 'This API key is not allowed to use this model.');
	return model;
}

/** A dedicated endpoint, called by its name, or a fine-tuned model that is available. */
function ownModel(service: Service, slug: string): Model | undefined {
	const { production, staging } = service.endpoints;
	const endpoint = [...production.values(), ...staging.values()].find(
		({ endpoint_name }) => endpoint_name === slug,
	);
	const fineTune = service.fineTunes.bySlug(slug);
	const ready = fineTune && service.fineTunes.stateOf(fineTune) === 'AVAILABLE';
	if (!endpoint && !ready) return undefined;
	return { slug, title: slug, modality: 'image', cost: 0.01, seconds: 3, required: ['prompt'] };
}

/** A v2 request whose record still lives. Workflow runs answer here only when their URLs were ordered so. */
function findRequest(service: Service, request: Request, version: 'v1' | 'v2'): Job {
	const id = parameter(request, 'id');
	service.jobs.settle();
	const job = service.jobs.find(id);
	const here =
		job &&
		(job.via === 'v2' || (job.via === 'workflow' && service.orders.workflowUrls === 'generic'));
	if (!here || service.now() - job.submittedAt >= service.orders.recordMs) {
		refuse(
			404,
			version === 'v1' ? `Output for request id ${id} not found` : `Request ${id} not found`,
		);
	}
	return job;
}

function inProgress(service: Service, job: Job): Record<string, unknown> {
	const { status_url, response_url } = requestUrls(service, job);
	return {
		status: service.orders.progressWord ?? service.jobs.stateOf(job),
		request_id: job.requestId,
		...(status_url !== undefined && { status_url }),
		...(response_url !== undefined && { response_url }),
		metrics: {},
	};
}
