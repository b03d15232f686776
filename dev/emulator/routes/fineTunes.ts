import { randomUUID } from 'node:crypto';
import type { Request, Router } from 'express';
import { mediaType } from '../body';
import { submitFault, weightsPath, type FineTune } from '../fineTunes';
import { receivedWith } from '../origin';
import { isRecord } from '../prompt';
import { refuse } from '../refusal';
import { jsonObject, routerOf, withKey, type Routes } from '../routing';
import type { Service } from '../service';

const root = '/finetune/request';

/** The deprecated fine-tuning API (docs/service.md S340 to S348): three of its GETs carry a body. */
export function fineTuneRoutes(service: Service): Router {
	return routerOf(withKey(service, { ...jobRoutes(service), ...fileRoutes(service) }));
}

function jobRoutes(service: Service): Routes {
	const { fineTunes, storage, orders, webhooks } = service;
	return {
		[`${root}/submit`]: {
			POST(request, response) {
				const body = jsonObject(request);
				if (!orders.fineTuneOpen) refuse(410, 'Fine-tuning no longer accepts new training jobs.');
				const fault = submitFault(body);
				if (fault !== undefined) refuse(400, fault);
				const job = fineTunes.submit(body, datasetFault(service, body));
				receivedWith(request).call.requestId = job.id;
				const weights = Buffer.from(`weights of ${job.id}`);
				storage.put(weightsPath(job), weights, body.base_model === 'FAST_FLUX');
				response.json({ status: 'REQUESTED', finetune_id: job.id, name: body.name });
				webhooks.follow(job);
			},
		},
		[`${root}/details`]: {
			GET(request, response) {
				const job = known(service, request, jsonOrForm(request).request_id);
				response.json({ finetune: details(service, job) });
			},
		},
		[`${root}/list`]: {
			GET(_request, response) {
				response.json(fineTunes.all.map((job) => listEntry(service, job)));
			},
		},
		[`${root}/access-update`]: {
			PUT(request, response) {
				const { request_id: id, segmind_public: value } = form(request);
				const job = known(service, request, id);
				// Specified are true and false; the service's own library sends True and False (docs/service.md S345).
				if (!/^(true|false)$/i.test(String(value)))
					refuse(400, 'segmind_public must be true or false');
				job.public = String(value).toLowerCase() === 'true';
				job.updatedAt = service.now();
				response.status(200).end();
			},
		},
	};
}

function fileRoutes({ fineTunes, storage }: Service): Routes {
	return {
		[`${root}/upload/pre-signed-url`]: {
			GET(request, response) {
				const { name, extension = '', public: isPublic = false } = jsonOrForm(request);
				if (typeof name !== 'string' || name === '') refuse(400, 'name is required');
				if (typeof isPublic !== 'boolean') refuse(400, 'public must be a boolean');
				if (typeof extension !== 'string') refuse(400, 'extension must be text');
				const file = name.endsWith(extension) ? name : name + extension;
				const path = `/datasets/${randomUUID()}/${encodeURIComponent(file)}`;
				response.json({
					presigned_url: storage.presign('PUT', path, isPublic),
					s3_url: storage.url(path),
				});
			},
		},
		[`${root}/file/download`]: {
			GET(request, response) {
				const { cloud_storage_url: url } = form(request);
				if (typeof url !== 'string' || url === '') refuse(400, 'cloud_storage_url is required');
				const job = fineTunes.all.find((candidate) => storage.url(weightsPath(candidate)) === url);
				if (!job) refuse(404, 'File not found');
				response.type('text/plain').send(storage.presign('GET', weightsPath(job), false));
			},
		},
	};
}

function known(service: Service, request: Request, id: unknown): FineTune {
	if (typeof id !== 'string' || id === '') refuse(400, 'request_id is required');
	receivedWith(request).call.requestId = id;
	return service.fineTunes.find(id) ?? refuse(404, 'Fine-tune request not found');
}

// The storage doesn't know what a dataset is for, so a dataset that is too large fails only in training.
const limitedModels: ReadonlySet<unknown> = new Set(['FLUX_PRO', 'FAST_FLUX']);
const longestDataset = 100 * 1024 * 1024;

/** Why a training would fail because of its dataset. Only datasets on this service's storage can be checked. */
function datasetFault(service: Service, body: Record<string, unknown>): string | null {
	const path = String(body.data_source_path);
	if (!service.storage.isOwn(path)) return null;
	const dataset = service.storage.find(path);
	if (!dataset || (body.base_model === 'FAST_FLUX' && !dataset.public)) return 'Download failed';
	if (limitedModels.has(body.base_model) && dataset.bytes.length >= longestDataset)
		return 'GPU overloaded, try with smaller dataset';
	return null;
}

function form(request: Request): Record<string, unknown> {
	const type = mediaType(request);
	if (type !== 'multipart/form-data' && type !== 'application/x-www-form-urlencoded')
		refuse(406, 'Invalid content type');
	const { body } = receivedWith(request);
	return isRecord(body) ? body : refuse(400, 'The form could not be read.');
}

/** A GET without a body is a bad request, not a wrong type. */
function jsonOrForm(request: Request): Record<string, unknown> {
	if (receivedWith(request).raw.length === 0) refuse(400, 'The request body is missing.');
	return mediaType(request) === 'application/json' ? jsonObject(request) : form(request);
}

/** The members that details and list share. */
function common({ fineTunes, storage }: Service, job: FineTune) {
	const { name, data_source_path, base_model } = job.body;
	const status = fineTunes.stateOf(job);
	// Weights exist from the end of the training on.
	const isTrained = status !== 'REQUESTED' && status !== 'FAILED';
	return {
		id: job.id,
		finetune_id: job.id,
		name,
		data_source_path,
		base_model,
		status,
		source_type: 'AWS_S3',
		error_message: status === 'FAILED' ? job.failure : null,
		cloud_storage_url: isTrained ? storage.url(weightsPath(job)) : null,
	};
}

function details(service: Service, job: FineTune): Record<string, unknown> {
	return {
		...common(service, job),
		instance_prompt: job.body.instance_prompt,
		slug: job.slug,
		public_model: job.public,
		created_ts: new Date(job.submittedAt).toISOString(),
		updated_ts: new Date(service.fineTunes.sinceOf(job)).toISOString(),
	};
}

function listEntry(service: Service, job: FineTune): Record<string, unknown> {
	const shared = common(service, job);
	const { advance_parameters, theme, train_type = 'LORA' } = job.body;
	return {
		...shared,
		segmind_model_path: shared.cloud_storage_url,
		advance_parameters,
		segmind_public_model: job.public,
		train_type,
		theme,
		model_information: shared.status === 'AVAILABLE' ? { slug: job.slug } : {},
	};
}
