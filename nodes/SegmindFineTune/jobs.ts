import type { INodeExecutionData } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import { notice, pickerField, switchField, textField } from '../shared/descriptions/fields';
import { limitFields } from '../shared/descriptions/limit';
import type { Operations } from '../shared/descriptions/operations';
import { OPTION_SETS, optionsField } from '../shared/descriptions/options';
import { CAUSES } from '../shared/errors/errorTable';
import { failureOf, fill } from '../shared/errors/failures';
import { PARTS } from '../shared/errors/parts';
import { assertFieldExpressions } from '../shared/inputs/expressions';
import { parseJsonBody, type JsonBody } from '../shared/inputs/json';
import { readBoolean, readChoice, readRequiredText, textIn } from '../shared/inputs/values';
import { doOnce } from '../shared/manage/doOnce';
import {
	changeManaged,
	createManaged,
	listManaged,
	readManaged,
} from '../shared/manage/managedCalls';
import { renameError } from '../shared/output/finishedItem';
import { managedItem } from '../shared/output/managedItems';
import type { Session } from '../shared/run/session';
import { originOf } from '../shared/service/origins';
import { unusableFailure } from '../shared/service/responseErrors';
import { jsonOf } from '../shared/service/responses';
import { isObject } from '../shared/service/schemas';
import { encodeForm, fetchJobDetails, fineTuneUrl } from './calls';
import { jobBody, jobFields, variantField, VARIANTS } from './variants';

/** How long a download URL is valid (docs/service.md S229). */
const URL_VALID_MS = 3_600_000;

const fineTuneField = pickerField(
	'finetuneId',
	'Fine-Tune',
	'The fine-tune job',
	{ method: 'searchFineTunes', placeholder: 'Choose a job' },
	{
		displayName: 'By ID',
		name: 'id',
		placeholder: 'e.g. 3f2b8c1a-5d7e-4a90-8b1c-2e6f9d0a7c43',
		hint: 'The finetune_id from the output of Submit Job or Get Many',
	},
);
const requiredFineTuneField = { ...fineTuneField, required: true };

export const job: Operations = {
	/** GET {baseUrl}/finetune/request/list (docs/service.md S342). One call per run of the node. */
	getAll: {
		name: 'Get Many',
		action: 'Get many fine-tune jobs',
		fields: limitFields,
		execute: async (session, itemIndex) => {
			const call = { url: fineTuneUrl(session, '/list') };
			const jobs = await listManaged(session, itemIndex, call, 'the list of fine-tunes');
			return session.isTool ? jobs.map(forAgent) : jobs;
		},
	},
	/** GET {baseUrl}/finetune/request/details with a JSON body (docs/service.md S341). A failed job is a successful item. */
	get: {
		name: 'Get Job',
		action: 'Get a fine-tune job',
		fields: [requiredFineTuneField],
		execute: async (session, itemIndex) => ({
			json: renameError(await fetchJobDetails(session, readFineTuneId(session, itemIndex))),
		}),
	},
	/** POST {baseUrl}/finetune/request/submit (docs/service.md S340). Journaled, so that a retry doesn't submit a second job, which would be charged. */
	submit: {
		name: 'Submit Job',
		description: 'Closed: Segmind has deprecated training and accepts no new jobs',
		action: 'Submit a fine-tune job (closed)',
		fields: [
			notice(
				'deprecatedNotice',
				'Training is closed: Segmind has deprecated fine-tuning and accepts no new jobs. You can still run, share and download existing fine-tuned models.',
			),
			variantField,
			...jobFields,
			optionsField(OPTION_SETS.create),
		],
		execute: submitJob,
	},
	/** PUT {baseUrl}/finetune/request/access-update as a multipart form (docs/service.md S345). Repeating the call does no harm. */
	updateAccess: {
		name: 'Update Model Access',
		description: 'Make a fine-tuned model public or private',
		action: 'Update who may use a fine-tuned model',
		fields: [
			requiredFineTuneField,
			switchField('segmindPublic', 'Segmind Public', 'Whether everybody may use the trained model'),
		],
		execute: async (session, itemIndex) => {
			const finetune_id = readFineTuneId(session, itemIndex);
			const given = session.context.getNodeParameter('segmindPublic', itemIndex);
			const segmind_public = readBoolean(given, 'Segmind Public');
			const url = fineTuneUrl(session, '/access-update');
			const form = { request_id: finetune_id, segmind_public: String(segmind_public) };
			const call = { method: 'PUT' as const, url, ...(await encodeForm(form)) };
			const subject = `fine-tune ${finetune_id}`;
			const change = { itemIndex, subject, whenStopped: CAUSES.stoppedChanging };
			return await doOnce(session, change, async () => {
				const response = await changeManaged(session, call, subject);
				return managedItem({ finetune_id, segmind_public }, 'updated', response);
			});
		},
	},
};

export const weight: Operations = {
	/**
	 * GET {baseUrl}/finetune/request/file/download with a multipart body. The response is the URL as plain text (docs/service.md S346).
	 * The weights of Fast Flux are public already, so there is no call for them (docs/service.md S347).
	 */
	getDownloadUrl: {
		name: 'Get Weights Download URL',
		description:
			'The URL is valid for one hour, except for Fast Flux, whose weights are always public',
		action: 'Get the download URL of trained weights',
		fields: [
			fineTuneField,
			textField(
				'cloudStorageUrl',
				'Cloud Storage URL',
				'URL of the weights, if you already know it. Leave it empty to look up the URL from the job above.',
				{ placeholder: 'e.g. {{ $json.cloud_storage_url }}' },
			),
		],
		execute: getDownloadUrl,
	},
};

function readFineTuneId({ context }: Session, itemIndex: number): string {
	return readRequiredText(context, itemIndex, 'finetuneId', 'Fine-Tune');
}

/** Keeps only the members that an agent needs to choose and use a job; Get Job returns all of them. */
function forAgent({ json }: INodeExecutionData): INodeExecutionData {
	const members = { ...json, ...(isObject(json.model_information) && json.model_information) };
	const wanted = ['finetune_id', 'name', 'status', 'base_model', 'slug', 'error_message'];
	const texts = wanted.map((name) => [name, textOfMember(members, name)]);
	return { json: Object.fromEntries(texts.filter(([, text]) => text !== '')) };
}

async function submitJob(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const body = readSubmitBody(session, itemIndex);
	const name = textIn(body.value.name);
	const creation = {
		itemIndex,
		kind: 'fine-tune',
		subject: `fine-tune job '${name}'`,
		whenUnknown: 'The operation Get Many shows whether the job exists.',
	};
	const call = { url: fineTuneUrl(session, '/submit'), body: body.text };
	return await createManaged(session, creation, call, (response) => {
		const created = jsonOf(response);
		const id = isObject(created) ? textOfMember(created, 'finetune_id', 'id') : '';
		if (!isObject(created) || id === '') return undefined;
		return { id, item: { json: { finetune_id: id, ...renameError(created) } } };
	});
}

function readSubmitBody(session: Session, itemIndex: number): JsonBody {
	assertFieldExpressions(session, itemIndex, job.submit.fields);
	const value = (name: string) => session.context.getNodeParameter(name, itemIndex, '') as unknown;
	const variant = readChoice(value('variant'), 'Variant', VARIANTS);
	if (variant === 'custom') return parseJsonBody(value('jobJson'), 'Job (JSON)');
	const body = jobBody(variant, value);
	return { text: JSON.stringify(body), value: body };
}

async function getDownloadUrl(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const givenUrl = textIn(session.context.getNodeParameter('cloudStorageUrl', itemIndex));
	const details: Record<string, unknown> =
		givenUrl === ''
			? await fetchJobDetails(session, readFineTuneId(session, itemIndex))
			: { cloud_storage_url: givenUrl };
	const text = (name: string) => textOfMember(details, name);
	const cloud_storage_url = text('cloud_storage_url');
	const [status, base_model, finetune_id] = ['status', 'base_model', 'finetune_id'].map(text);
	// Any scheme is accepted, even s3://, because the URL is only passed on.
	if (!URL.canParse(cloud_storage_url)) {
		const why = status && fill(PARTS.jobStatus, { status });
		const errorFacts = { status: status || undefined };
		throw failureOf('other', CAUSES.noWeights, { url: cloud_storage_url, why }, errorFacts);
	}
	const json = {
		...(finetune_id && { finetune_id }),
		...(base_model && { base_model }),
		cloud_storage_url,
	};
	if (base_model === 'FAST_FLUX' && originOf(cloud_storage_url) !== undefined)
		return { json: { ...json, download_url: cloud_storage_url } };
	const form = await encodeForm({ cloud_storage_url });
	// GET is the default: with an explicit `method: 'GET'` n8n drops the body (docs/n8n.md N101).
	const call = { url: fineTuneUrl(session, '/file/download'), ...form };
	const subject = `the weights at '${cloud_storage_url}'`;
	const response = await readManaged(session, call, subject);
	const download_url = response.body.toString('utf8').trim();
	if (originOf(download_url) === undefined)
		throw unusableFailure(session.client, response, { purpose: 'manage', subject });
	const expires_at = new Date(session.clock.now() + URL_VALID_MS).toISOString();
	return { json: { ...json, download_url, expires_at } };
}
