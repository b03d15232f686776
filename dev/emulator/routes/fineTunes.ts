import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { mediaType } from '../body';
import { submissionProblem, weightsPath, type FineTune } from '../fineTunes';
import { receivedCallOf } from '../receivedCalls';
import { isRecord } from '../prompt';
import { reject } from '../rejection';
import { readJsonObject, guardWithKey, ofKind, type Routes } from '../routing';
import type { Service } from '../service';

const ROOT = '/finetune/request';

/** The deprecated fine-tuning API (docs/service.md S340 to S348). Three of its GET calls have a body. */
export function fineTuneRoutes(service: Service): Routes {
	return guardWithKey(service, { ...jobRoutes(service), ...fileRoutes(service) });
}

function jobRoutes(service: Service): Routes {
	const { fineTunes, storage, orders, webhooks } = service;
	return ofKind('finetune', {
		[`${ROOT}/submit`]: {
			POST(request, response) {
				const body = readJsonObject(request);
				if (!orders.fineTuneOpen) reject(410, 'Fine-tuning no longer accepts new training jobs.');
				const problem = submissionProblem(body);
				if (problem !== undefined) reject(400, problem);
				const job = fineTunes.submit(body, datasetProblem(service, body));
				receivedCallOf(request).call.requestId = job.id;
				const weights = Buffer.from(`weights of ${job.id}`);
				storage.put(weightsPath(job), weights, body.base_model === 'FAST_FLUX');
				response.json({ status: 'REQUESTED', finetune_id: job.id, name: body.name });
				webhooks.planEvents(job);
			},
		},
		[`${ROOT}/details`]: {
			GET(request, response) {
				const job = requireFineTune(service, request, readJsonOrForm(request).request_id);
				response.json({ finetune: detailsOf(service, job) });
			},
		},
		[`${ROOT}/list`]: {
			GET(_request, response) {
				response.json(fineTunes.all.map((job) => listEntryOf(service, job)));
			},
		},
		[`${ROOT}/access-update`]: {
			PUT(request, response) {
				const { request_id: id, segmind_public: value } = readFormFields(request);
				const job = requireFineTune(service, request, id);
				// The docs specify true and false, but the service's own library sends True and False (docs/service.md S345).
				if (!/^(true|false)$/i.test(String(value)))
					reject(400, 'segmind_public must be true or false');
				job.public = String(value).toLowerCase() === 'true';
				job.updatedAt = service.now();
				response.status(200).end();
			},
		},
	});
}

function fileRoutes({ fineTunes, storage }: Service): Routes {
	return ofKind('finetune', {
		[`${ROOT}/upload/pre-signed-url`]: {
			GET(request, response) {
				const { name, extension = '', public: isPublic = false } = readJsonOrForm(request);
				if (typeof name !== 'string' || name === '') reject(400, 'name is required');
				if (typeof isPublic !== 'boolean') reject(400, 'public must be a boolean');
				if (typeof extension !== 'string') reject(400, 'extension must be text');
				const file = name.endsWith(extension) ? name : name + extension;
				const path = `/datasets/${randomUUID()}/${encodeURIComponent(file)}`;
				response.json({
					presigned_url: storage.presign('PUT', path, isPublic),
					s3_url: storage.url(path),
				});
			},
		},
		[`${ROOT}/file/download`]: {
			GET(request, response) {
				const { cloud_storage_url: url } = readFormFields(request);
				if (typeof url !== 'string' || url === '') reject(400, 'cloud_storage_url is required');
				const job = fineTunes.all.find((candidate) => storage.url(weightsPath(candidate)) === url);
				if (!job) reject(404, 'File not found');
				response.type('text/plain').send(storage.presign('GET', weightsPath(job), false));
			},
		},
	});
}

function requireFineTune(service: Service, request: Request, id: unknown): FineTune {
	if (typeof id !== 'string' || id === '') reject(400, 'request_id is required');
	receivedCallOf(request).call.requestId = id;
	return service.fineTunes.find(id) ?? reject(404, 'Fine-tune request not found');
}

// The storage doesn't know the base model of a dataset, so a dataset that is too large for its base model fails only in training.
const LIMITED_MODELS: ReadonlySet<unknown> = new Set(['FLUX_PRO', 'FAST_FLUX']);
const MAX_DATASET_BYTES = 100_000_000;

/** Returns why a training fails because of its dataset, or null if it doesn't. Only datasets on the service's own storage are checked. */
function datasetProblem(service: Service, body: Record<string, unknown>): string | null {
	const url = String(body.data_source_path);
	if (!service.storage.isStorageUrl(url)) return null;
	const dataset = service.storage.find(url);
	if (!dataset || (body.base_model === 'FAST_FLUX' && !dataset.public)) return 'Download failed';
	if (LIMITED_MODELS.has(body.base_model) && dataset.bytes.length >= MAX_DATASET_BYTES)
		return 'GPU overloaded, try with smaller dataset';
	return null;
}

function readFormFields(request: Request): Record<string, unknown> {
	const type = mediaType(request);
	if (type !== 'multipart/form-data' && type !== 'application/x-www-form-urlencoded')
		reject(406, 'Invalid content type');
	const { body } = receivedCallOf(request);
	return isRecord(body) ? body : reject(400, 'The form could not be read.');
}

/** Reads a JSON or form body. A missing body is rejected with 400, not with the 406 for a wrong type. */
function readJsonOrForm(request: Request): Record<string, unknown> {
	if (receivedCallOf(request).raw.length === 0) reject(400, 'The request body is missing.');
	return mediaType(request) === 'application/json'
		? readJsonObject(request)
		: readFormFields(request);
}

/** Returns the members that the details and the list have in common. */
function commonMembers({ fineTunes, storage }: Service, job: FineTune) {
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

function detailsOf(service: Service, job: FineTune): Record<string, unknown> {
	return {
		...commonMembers(service, job),
		instance_prompt: job.body.instance_prompt,
		slug: job.slug,
		public_model: job.public,
		created_ts: new Date(job.submittedAt).toISOString(),
		updated_ts: new Date(service.fineTunes.stateSince(job)).toISOString(),
	};
}

function listEntryOf(service: Service, job: FineTune): Record<string, unknown> {
	const shared = commonMembers(service, job);
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
