import { randomUUID } from 'node:crypto';
import type { Request, Router } from 'express';
import { mediaType } from '../body';
import { submitFault, weightsPath, type FineTune } from '../fineTunes';
import { receivedWith } from '../origin';
import { isRecord } from '../prompt';
import { refuse } from '../refusal';
import { jsonObject, routerOf, withKey, type Handler } from '../routing';
import type { Service } from '../service';

/** The deprecated fine-tuning API (docs/service.md S340 to S348): three of its GETs carry a body. */
export function fineTuneRoutes(service: Service): Router {
	const { fineTunes, storage } = service;

	const submit: Handler = (request, response) => {
		const body = jsonObject(request);
		if (!service.orders.fineTuneOpen)
			refuse(410, 'Fine-tuning no longer accepts new training jobs.');
		const fault = submitFault(body);
		if (fault !== undefined) refuse(400, fault);
		const job = fineTunes.submit(body, datasetFault(service, body));
		receivedWith(request).call.requestId = job.id;
		const weights = Buffer.from(`weights of ${job.id}`);
		storage.put(weightsPath(job), weights, body.base_model === 'FAST_FLUX');
		response.json({ status: 'REQUESTED', finetune_id: job.id, name: body.name });
		service.webhooks.follow(job);
	};

	const presign: Handler = (request, response) => {
		const { name, extension, public: asked } = jsonOrForm(request);
		if (typeof name !== 'string' || name === '') refuse(400, 'name is required');
		if (asked !== undefined && typeof asked !== 'boolean') refuse(400, 'public must be a boolean');
		if (extension !== undefined && typeof extension !== 'string')
			refuse(400, 'extension must be text');
		const file =
			typeof extension === 'string' && !name.endsWith(extension) ? name + extension : name;
		const path = `/datasets/${randomUUID()}/${encodeURIComponent(file)}`;
		response.json({
			presigned_url: storage.presign('PUT', path, asked === true),
			s3_url: storage.url(path),
		});
	};

	const changeAccess: Handler = (request, response) => {
		const { request_id: id, segmind_public: value } = form(request);
		const job = known(service, request, id);
		// Specified are true and false; the service's own library sends True and False (docs/service.md S345).
		if (!/^(true|false)$/i.test(String(value))) refuse(400, 'segmind_public must be true or false');
		job.public = String(value).toLowerCase() === 'true';
		job.updatedAt = service.now();
		response.status(200).end();
	};

	const download: Handler = (request, response) => {
		const { cloud_storage_url: url } = form(request);
		if (typeof url !== 'string' || url === '') refuse(400, 'cloud_storage_url is required');
		const job = fineTunes.all.find((candidate) => storage.url(weightsPath(candidate)) === url);
		if (!job) refuse(404, 'File not found');
		response.type('text/plain').send(storage.presign('GET', weightsPath(job), false));
	};

	const root = '/finetune/request';
	return routerOf(
		withKey(service, {
			[`${root}/submit`]: { POST: submit },
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
			[`${root}/upload/pre-signed-url`]: { GET: presign },
			[`${root}/access-update`]: { PUT: changeAccess },
			[`${root}/file/download`]: { GET: download },
		}),
	);
}

function known(service: Service, request: Request, id: unknown): FineTune {
	if (typeof id !== 'string' || id === '') refuse(400, 'request_id is required');
	receivedWith(request).call.requestId = id;
	const job = service.fineTunes.find(id);
	if (!job) refuse(404, 'Fine-tune request not found');
	return job;
}

// The storage does not know what a dataset is for, so one that is too large only fails its training.
const limitedModels: ReadonlySet<unknown> = new Set(['FLUX_PRO', 'FAST_FLUX']);
const longestDataset = 100 * 1024 * 1024;

/** Why a training would fail for its dataset: only what lies on this service's storage can be judged. */
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
	if (!isRecord(body)) refuse(400, 'The form could not be read.');
	return body;
}

/** A GET without a body is a bad request, not a wrong type. */
function jsonOrForm(request: Request): Record<string, unknown> {
	if (receivedWith(request).raw.length === 0) refuse(400, 'The request body is missing.');
	return mediaType(request) === 'application/json' ? jsonObject(request) : form(request);
}

function details(service: Service, job: FineTune): Record<string, unknown> {
	const { body } = job;
	const status = service.fineTunes.stateOf(job);
	return {
		id: job.id,
		finetune_id: job.id,
		name: body.name,
		data_source_path: body.data_source_path,
		instance_prompt: body.instance_prompt,
		status,
		source_type: 'AWS_S3',
		base_model: body.base_model,
		slug: job.slug,
		public_model: job.public,
		error_message: status === 'FAILED' ? job.failure : null,
		cloud_storage_url: weightsUrl(service, job),
		created_ts: new Date(job.submittedAt).toISOString(),
		updated_ts: new Date(service.fineTunes.sinceOf(job)).toISOString(),
	};
}

/** Weights exist from the end of the training on. */
function weightsUrl(service: Service, job: FineTune): string | null {
	const trained = !['REQUESTED', 'FAILED'].includes(service.fineTunes.stateOf(job));
	return trained ? service.storage.url(weightsPath(job)) : null;
}

function listEntry(service: Service, job: FineTune): Record<string, unknown> {
	const { body } = job;
	const status = service.fineTunes.stateOf(job);
	const url = weightsUrl(service, job);
	return {
		id: job.id,
		data_source_path: body.data_source_path,
		name: body.name,
		status,
		error_message: status === 'FAILED' ? job.failure : null,
		segmind_model_path: url,
		advance_parameters: body.advance_parameters,
		segmind_public_model: job.public,
		train_type: body.train_type ?? 'LORA',
		source_type: 'AWS_S3',
		base_model: body.base_model,
		theme: body.theme,
		cloud_storage_url: url,
		finetune_id: job.id,
		model_information: status === 'AVAILABLE' ? { slug: job.slug } : {},
	};
}
