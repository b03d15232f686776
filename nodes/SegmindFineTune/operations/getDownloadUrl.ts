import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { CAUSES } from '../../shared/errors/errorTable';
import { PARTS } from '../../shared/errors/parts';
import { failureOf, fill } from '../../shared/errors/failures';
import { textIn } from '../../shared/inputs/values';
import { readManaged } from '../../shared/manage/managedCalls';
import type { Session } from '../../shared/run/session';
import { unusableFailure } from '../../shared/service/responseErrors';
import { originOf } from '../../shared/service/origins';
import { textOfMember } from '../../shared/service/picker';
import {
	encodeForm,
	fineTuneUrl,
	fineTuneIdField,
	fetchJobDetails,
	readFineTuneId,
} from '../fineTune';

/** How long a download URL is valid (docs/service.md S229). */
const URL_VALID_MS = 3_600_000;

export const description: INodeProperties[] = showForResourceOperation('weight', 'getDownloadUrl', [
	{ ...fineTuneIdField, required: false },
	{
		displayName: 'Cloud Storage URL',
		name: 'cloudStorageUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.cloud_storage_url }}',
		description:
			'URL of the weights, if you already know it. Leave it empty to look up the URL from the job above.',
	},
]);

/**
 * GET {baseUrl}/finetune/request/file/download with a multipart body. The response is the URL as plain text (docs/service.md S346).
 * The weights of Fast Flux are public already, so there is no call for them (docs/service.md S347).
 */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const givenStorageUrl = textIn(session.context.getNodeParameter('cloudStorageUrl', itemIndex));
	const job =
		givenStorageUrl === ''
			? await fetchJobDetails(session, readFineTuneId(session, itemIndex))
			: { cloud_storage_url: givenStorageUrl };
	const cloud_storage_url = textOfMember(job, 'cloud_storage_url');
	const [subject, status] = [`the weights at '${cloud_storage_url}'`, textOfMember(job, 'status')];
	// Any scheme is accepted, even s3://, because the URL is only passed on.
	if (!URL.canParse(cloud_storage_url)) {
		const why = status && fill(PARTS.jobStatus, { status });
		const errorFacts = { status: status || undefined };
		throw failureOf('other', CAUSES.noWeights, { url: cloud_storage_url, why }, errorFacts);
	}
	const { finetune_id, base_model } = job as Record<string, string | undefined>;
	const jobMembers = { ...(finetune_id && { finetune_id }), ...(base_model && { base_model }) };
	const weights = { ...jobMembers, cloud_storage_url };
	if (base_model === 'FAST_FLUX' && originOf(cloud_storage_url) !== undefined)
		return { json: { ...weights, download_url: cloud_storage_url } };
	const form = await encodeForm({ cloud_storage_url });
	// GET is the default: with an explicit `method: 'GET'` n8n drops the body (docs/n8n.md N101).
	const call = { url: fineTuneUrl(session, '/file/download'), ...form };
	const response = await readManaged(session, call, subject);
	const download_url = response.body.toString('utf8').trim();
	if (originOf(download_url) === undefined)
		throw unusableFailure(session.client, response, { purpose: 'manage', subject });
	const expires_at = new Date(session.clock.now() + URL_VALID_MS).toISOString();
	return { json: { ...weights, download_url, expires_at } };
}
