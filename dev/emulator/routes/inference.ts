import type { Request } from 'express';
import { jobHandler, requireJob, statusBody } from '../jobHandler';
import { modelRequestUrls, requireBalance, submissionResponse } from '../submission';
import type { Job } from '../jobs';
import { findModel, type Model } from '../models';
import { receivedCallOf } from '../receivedCalls';
import { reject } from '../rejection';
import { resultOf } from '../results';
import { readJsonObject, pathParameter, guardWithKey, type Routes } from '../routing';
import type { Service } from '../service';

/** POST /v2/{model} and the three URLs of a request (docs/service.md S80 to S126). */
export function inferenceRoutes(service: Service): Routes {
	const { orders } = service;
	const find = (request: Request): Job => {
		const what = request.path.startsWith('/v1') ? 'Output for request id' : 'Request';
		return requireJob(service, request, ({ via }) => via === 'v2', what);
	};
	const progressBody = (job: Job, state: string) => {
		const { status_url, response_url } = modelRequestUrls(service, job);
		return { ...statusBody(service, job, state), status_url, response_url };
	};
	const status = jobHandler(service, 'status', find, (job, state) =>
		state === 'COMPLETED' ? statusBody(service, job, state) : progressBody(job, state),
	);
	const result = jobHandler(service, 'result', find, async (job, state) => {
		return state === 'COMPLETED' ? await resultOf(job, orders) : progressBody(job, state);
	});
	return guardWithKey(service, {
		'/v2/requests/:id/status': { kind: 'status', GET: status },
		'/v2/requests/:id': { kind: 'result', GET: result },
		'/v1/requests/:id': { kind: 'poll', GET: result },
		'/v2/:model': {
			kind: 'submit',
			POST(request, response) {
				const input = readJsonObject(request);
				const model = requireModel(service, request);
				requireBalance(service, 402);
				const job = service.jobs.submit({ via: 'v2', slug: model.slug, model, input });
				receivedCallOf(request).call.requestId = job.requestId;
				response.json(submissionResponse(service, job, modelRequestUrls(service, job)));
			},
		},
	});
}

/** Returns the model in the path. @throws Rejection with 404 for an unknown slug, 410 for a retired model, and 403 for one that the key has no access to */
export function requireModel(service: Service, request: Request): Model {
	const slug = pathParameter(request, 'model');
	const model = findModel(slug) ?? accountModel(service, slug);
	if (!model) reject(404, 'Model information not found');
	if (model.retired) reject(410, `Model ${slug} has been retired.`);
	if (service.orders.deniedModels.includes(slug))
		reject(403, 'This API key is not allowed to use this model.');
	return model;
}

/** Finds a model of the account: a dedicated endpoint, by its name, or a fine-tuned model that is available. */
function accountModel(service: Service, slug: string): Model | undefined {
	const { production, staging } = service.endpoints;
	const endpoint = [...production.values(), ...staging.values()].find(
		({ endpoint_name }) => endpoint_name === slug,
	);
	const fineTune = service.fineTunes.findBySlug(slug);
	const isReady = fineTune && service.fineTunes.stateOf(fineTune) === 'AVAILABLE';
	if (!endpoint && !isReady) return undefined;
	return { slug, title: slug, modality: 'image', cost: 0.01, seconds: 3, required: ['prompt'] };
}
