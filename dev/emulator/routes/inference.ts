import type { Request, Router } from 'express';
import { about, livingJob, statusOf } from '../about';
import { requestUrls, requireBalance, submitAnswer } from '../accept';
import type { Job } from '../jobs';
import { findModel, type Model } from '../models';
import { receivedWith } from '../origin';
import { refuse } from '../refusal';
import { resultOf } from '../results';
import { jsonObject, parameter, routerOf, withKey } from '../routing';
import type { Service } from '../service';
import { workflowResult } from './workflows';

/** POST /v2/{model} and its three GET addresses (docs/service.md S80 to S129). */
export function inferenceRoutes(service: Service): Router {
	const { orders } = service;
	const find = (request: Request): Job => {
		const what = request.path.startsWith('/v1') ? 'Output for request id' : 'Request';
		return livingJob(service, request, isHere, what);
	};
	/** Workflow runs are here only if their URLs were ordered like that. */
	const isHere = ({ via }: Job): boolean =>
		via === 'v2' || (via === 'workflow' && orders.workflowUrls === 'generic');
	const inProgress = (job: Job, state: string) => {
		const { status_url, response_url } = requestUrls(service, job);
		return { ...statusOf(service, job, state), status_url, response_url };
	};
	const status = about(service, 'status', find, (job, state) =>
		state === 'COMPLETED' ? statusOf(service, job, state) : inProgress(job, state),
	);
	const result = about(service, 'result', find, async (job, state) => {
		if (job.via === 'workflow') return workflowResult(service, job);
		return state === 'COMPLETED' ? await resultOf(job, orders) : inProgress(job, state);
	});
	return routerOf(
		withKey(service, {
			'/v2/requests/:id/status': { GET: status },
			'/v2/requests/:id': { GET: result },
			'/v1/requests/:id': {
				GET: async (request, response) =>
					await (orders.pollAnswer === 'status' ? status : result)(request, response),
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
