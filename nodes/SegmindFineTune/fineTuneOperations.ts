import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import {
	notice,
	pickerField,
	requiredText,
	switchField,
	textField,
} from '../shared/descriptions/fields';
import { limitFields } from '../shared/descriptions/limit';
import type { OutputFields } from '../shared/descriptions/outputs';
import type { Operations } from '../shared/items/operations';
import { optionsField } from '../shared/descriptions/options';
import { badInput, emptyInput, failureFrom, unusable, wrongInput } from '../shared/errors/failures';
import type { SegmindFailure } from '../shared/base/failure';
import { quoted, say } from '../shared/errors/say';
import { readBinaries } from '../shared/inputs/files';
import { doOnce, type Action } from '../shared/manage/doOnce';
import {
	changeManaged,
	createManaged,
	listManaged,
	readManaged,
} from '../shared/manage/managedCalls';
import { assertAreFiles } from '../shared/media/fileContent';
import { byteLength } from '../shared/media/uploadFiles';
import { renameError } from '../shared/output/outputFields';
import { managedItem } from '../shared/output/managedItems';
import { textIn } from '../shared/parameters/values';
import type { Item } from '../shared/run/item';
import type { Run } from '../shared/run/run';
import { originOf } from '../shared/service/addresses';
import { unusableFailure } from '../shared/service/responseErrors';
import { jsonOf } from '../shared/service/responses';
import { isObject } from '../shared/service/schemas';
import { encodeForm, fetchJobDetails, fineTuneUrl, getWithJsonBody } from './fineTuneCalls';
import { putFile } from './putFile';
import { jobField, readJobParameter } from './variants';

/** How long a download URL is valid, as specified. */
const URL_VALID_MS = 3_600_000;
/** A dataset must be smaller (docs/service.md S228). */
const MAX_DATASET_BYTES = 100_000_000;

const fineTunePicker = pickerField(
	'finetuneId',
	'Fine-Tune',
	'The fine-tune job',
	{ method: 'searchFineTunes', placeholder: 'Choose a job' },
	{
		displayName: 'By ID',
		name: 'id',
		placeholder: 'e.g. 3f2b8c1a-5d7e-4a90-8b1c-2e6f9d0a7c43',
		hint: 'The finetune_id from the output of Submit or Get Many',
	},
);
const fineTuneField: INodeProperties = { ...fineTunePicker, required: true };

const publicField = switchField(
	'public',
	'Public',
	'Whether anyone can read the dataset. Fast Flux requires a public dataset, the other variants a private one.',
);

const JOB_OUTPUT: OutputFields = {
	finetune_id: 'string',
	name: 'string',
	status: 'string',
	base_model: 'string',
	cloud_storage_url: 'string',
};

export const job: Operations = {
	/** GET {baseUrl}/finetune/request/list. One call per run of the node. */
	getAll: {
		name: 'Get Many',
		action: 'Get many fine-tune jobs',
		fields: limitFields,
		output: JOB_OUTPUT,
		execute: async (item) => {
			const { run } = item;
			const call = { url: fineTuneUrl(run, '/list') };
			const jobs = await listManaged(item, call, 'the call for the list of fine-tunes');
			return run.isTool ? jobs.map(jobForAgent) : jobs;
		},
	},
	/** GET {baseUrl}/finetune/request/details with a JSON body. A failed job is a successful item. */
	get: {
		name: 'Get',
		action: 'Get a fine-tune job',
		fields: [fineTuneField],
		output: JOB_OUTPUT,
		execute: async (item) => ({
			json: renameError(await fetchJobDetails(item.run, readFineTuneId(item))),
		}),
	},
	/** POST {baseUrl}/finetune/request/submit. */
	submit: {
		name: 'Submit',
		description: 'Closed: Segmind has deprecated training and accepts no new jobs',
		action: 'Submit a fine-tune job (closed)',
		fields: [
			notice(
				'deprecatedNotice',
				'Training is closed: Segmind has deprecated fine-tuning and accepts no new jobs. You can still run, share and download existing fine-tuned models.',
			),
			jobField,
			optionsField('create'),
		],
		output: { finetune_id: 'string', name: 'string', status: 'string' },
		execute: async (item) => {
			const { text: body, value } = readJobParameter(item);
			const creation = {
				kind: 'fine-tune',
				idName: 'finetune_id',
				subject: `submitting fine-tune job ${quoted(textIn(value.name))}`,
				charge: 'unknown' as const,
				whereToLook: 'Check with Get Many whether the job exists.',
			};
			const call = { url: fineTuneUrl(item.run, '/submit'), body };
			return await createManaged(item, creation, call, (response) => {
				const created = jsonOf(response);
				const hasId = isObject(created) && textOfMember(created, 'finetune_id') !== '';
				return hasId ? { json: renameError(created) } : undefined;
			});
		},
	},
	/** PUT {baseUrl}/finetune/request/access-update as a multipart form (docs/service.md S345). */
	updateAccess: {
		name: 'Update Model Access',
		description: 'Make a fine-tuned model public or private',
		action: 'Update who may use a fine-tuned model',
		fields: [
			fineTuneField,
			switchField('segmindPublic', 'Segmind Public', 'Whether everybody may use the trained model'),
		],
		output: { finetune_id: 'string', segmind_public: 'boolean', updated: 'boolean' },
		execute: async (item) => {
			const { run, parameters } = item;
			const finetune_id = readFineTuneId(item);
			const segmind_public = parameters.boolean('segmindPublic');
			const url = fineTuneUrl(run, '/access-update');
			const form = { request_id: finetune_id, segmind_public: String(segmind_public) };
			const call = { method: 'PUT' as const, url, ...(await encodeForm(form)) };
			const change: Action = {
				subject: `updating fine-tune ${quoted(finetune_id)}`,
				doneTwice: 'harmless',
			};
			const response = await changeManaged(run, call, change);
			return managedItem({ finetune_id, segmind_public }, 'updated', response);
		},
	},
};

export const dataset: Operations = {
	/** Gets a presigned URL and uploads the ZIP (docs/service.md S343, S344; free). A retry doesn't repeat an upload that succeeded. */
	upload: {
		name: 'Upload',
		description: 'Upload a ZIP file and get its URL for Job: Submit',
		action: 'Upload a training dataset',
		fields: [
			textField(
				'binaryField',
				'Input Data Field Name',
				'Name of the binary field that holds the ZIP, which must be under 100 MB. Put the images at the top level, not in folders.',
				{ default: 'data', required: true },
			),
			textField(
				'name',
				'File Name',
				'Name of the file on Segmind. Leave it empty to keep the original name.',
				{ placeholder: 'e.g. sneakers.zip' },
			),
			publicField,
			optionsField('upload'),
		],
		output: { s3_url: 'string', file_name: 'string', file_size: 'number', public: 'boolean' },
		execute: async (item) => {
			const { run, parameters } = item;
			const [file] = await readBinaries(item, 'binaryField');
			const name = parameters.text('name') || file.fileName || 'dataset.zip';
			const isPublic = parameters.boolean('public');
			const action: Action = {
				subject: `uploading dataset ${quoted(name)}`,
				doneTwice: 'harmless',
			};
			return await doOnce(item, action, async () => {
				await assertAreFiles(run, [file]);
				const bytes = await byteLength(run, file);
				if (bytes >= MAX_DATASET_BYTES) throw tooLarge(name, bytes);
				const target = await createUploadTarget(run, name, isPublic);
				await putFile(run, { ...target, url: target.presigned_url, file, bytes, name });
				const { s3_url } = target;
				return { json: { s3_url, file_name: name, file_size: bytes, public: isPublic } };
			});
		},
	},
	/** GET {baseUrl}/finetune/request/upload/pre-signed-url with a JSON body (docs/service.md S343). */
	createUploadUrl: {
		name: 'Create Upload URL',
		description: 'Get a URL for uploading a dataset with another tool',
		action: 'Create an upload URL for a dataset',
		fields: [
			requiredText(
				'name',
				'File Name',
				'Name of the file that will be uploaded',
				'e.g. sneakers.zip',
			),
			publicField,
		],
		output: { presigned_url: 'string', s3_url: 'string', headers: 'object' },
		execute: async (item) => {
			const name = item.parameters.text('name');
			const isPublic = item.parameters.boolean('public');
			return { json: { ...(await createUploadTarget(item.run, name, isPublic)) } };
		},
	},
};

export const weight: Operations = {
	/**
	 * GET {baseUrl}/finetune/request/file/download with a multipart body. The response is the URL as plain text (docs/service.md S346).
	 * The weights of Fast Flux are public already, so there is no call for them.
	 */
	getDownloadUrl: {
		name: 'Get Download URL',
		description:
			'The URL is valid for one hour, except for Fast Flux, whose weights are always public',
		action: 'Get the download URL of trained weights',
		fields: [
			fineTunePicker,
			textField(
				'cloudStorageUrl',
				'Cloud Storage URL',
				"The <code>cloud_storage_url</code> from the output of Job: Get Many. Leave it empty to read it from the fine-tune's details. With it, Fine-Tune isn't needed. Fast Flux has no download: its weights are public at this URL.",
			),
		],
		output: {
			finetune_id: 'string',
			base_model: 'string',
			cloud_storage_url: 'string',
			download_url: 'string',
			expires_at: 'string',
		},
		execute: getDownloadUrl,
	},
};

function readFineTuneId(item: Item): string {
	return item.parameters.text('finetuneId');
}

/**
 * Returns where to upload a dataset, its `s3_url` for Job: Submit, and the headers to send, which are part of the URL's signature (docs/service.md S344).
 * @throws SegmindFailure unless the response has both URLs
 */
async function createUploadTarget(run: Run, name: string, isPublic: boolean) {
	const subject = `the call for an upload URL for ${quoted(name)}`;
	const body = { name, ...(isPublic && { extension: '.zip', public: true }) };
	const target = await getWithJsonBody(run, '/upload/pre-signed-url', body, subject);
	const presigned_url = textOfMember(target, 'presigned_url');
	// This isn't always a web URL.
	const s3_url = textOfMember(target, 's3_url');
	if (originOf(presigned_url) === undefined || s3_url === '') {
		const why = say`it has no presigned_url or no s3_url`;
		throw unusable(subject, why);
	}
	const headers = {
		'content-type': 'application/zip',
		...(isPublic && { 'x-amz-acl': 'public-read' }),
	};
	return { presigned_url, s3_url, headers };
}

function noWeights(url: string, status: string): SegmindFailure {
	return failureFrom('other', {
		what: say`There are no weights: the Cloud Storage URL is '${url}'${status && say`, and the status of the job is ${status}`}`,
		charge: 'none',
		next: say`Run the node again after the training has ended.`,
		status,
	});
}

function tooLarge(name: string, bytes: number): SegmindFailure {
	const megabytes = Math.ceil(bytes / 100_000) / 10;
	return badInput(
		say`The dataset '${name}' has ${megabytes} MB, but must be under 100 MB`,
		say`Use fewer or smaller images or, for Flux Kontext, which has no published limit, Create Upload URL and n8n's HTTP Request node.`,
	);
}

/** Reads the Cloud Storage URL that the user entered; '' if there is none. Any scheme is accepted, even s3://, because the URL is only passed on. */
function readStorageUrl({ parameters }: Item): string {
	const url = parameters.text('cloudStorageUrl');
	if (url === '' || URL.canParse(url)) return url;
	throw wrongInput(parameters.label('cloudStorageUrl'), url, 'a URL, as Job: Get Many returns it');
}

async function getDownloadUrl(item: Item): Promise<INodeExecutionData> {
	const { run, parameters } = item;
	const finetune_id = readFineTuneId(item);
	const enteredUrl = readStorageUrl(item);
	if (finetune_id === '' && enteredUrl === '')
		throw emptyInput(
			parameters.label('finetuneId'),
			say`Choose a fine-tune, or enter its Cloud Storage URL.`,
		);
	const details = enteredUrl === '' ? await fetchJobDetails(run, finetune_id) : {};
	const text = (name: string) => textOfMember(details, name);
	const cloud_storage_url = enteredUrl || text('cloud_storage_url');
	const base_model = text('base_model');
	if (!URL.canParse(cloud_storage_url)) throw noWeights(cloud_storage_url, text('status'));
	const json = {
		...(finetune_id !== '' && { finetune_id }),
		...(base_model !== '' && { base_model }),
		cloud_storage_url,
	};
	if (base_model === 'FAST_FLUX') return { json: { ...json, download_url: cloud_storage_url } };
	// GET is the default: with an explicit `method: 'GET'` n8n drops the body (docs/n8n.md N101).
	const url = fineTuneUrl(run, '/file/download');
	const call = { url, ...(await encodeForm({ cloud_storage_url })) };
	const subject = `the call for the weights at ${quoted(cloud_storage_url)}`;
	const response = await readManaged(run, call, subject);
	const download_url = response.body.toString('utf8').trim();
	if (originOf(download_url) === undefined)
		throw unusableFailure(run.client, response, { purpose: 'manage', subject });
	const expires_at = new Date(run.clock.now() + URL_VALID_MS).toISOString();
	return { json: { ...json, download_url, expires_at } };
}

/** Keeps only the members that an agent needs to choose and use a job; Get returns all of them. */
function jobForAgent({ json }: INodeExecutionData): INodeExecutionData {
	const members = { ...json, ...(isObject(json.model_information) && json.model_information) };
	const wanted = ['finetune_id', 'name', 'status', 'base_model', 'slug', 'error_message'];
	const texts = wanted.map((name) => [name, textOfMember(members, name)]);
	return { json: Object.fromEntries(texts.filter(([, text]) => text !== '')) };
}
