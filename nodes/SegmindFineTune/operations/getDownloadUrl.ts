import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { badInput, CHARGE, SegmindFailure } from '../../shared/base/failure';
import { shown } from '../../shared/base/redact';
import { textIn, trueOrFalse } from '../../shared/inputs/values';
import { download } from '../../shared/media/download';
import { dropUndefined } from '../../shared/output/finished';
import { memberText } from '../../shared/service/picker';
import { readManaged } from '../../shared/request/managedCalls';
import { excerpt } from '../../shared/service/errorBody';
import type { Session } from '../../shared/run/session';
import { parseJson } from '../../shared/service/schemas';
import { originOf } from '../../shared/service/origins';
import { unusable } from '../../shared/service/answerErrors';
import { forResourceOperation } from '../../shared/descriptions/forOperation';
import { detailsOf, encodedForm, fineTuneUrl, finetuneIdField, readFinetuneId } from '../fineTune';

/** A download URL is valid this long, ms (docs/service.md S229). */
const VALID_MS = 3_600_000;

export const description: INodeProperties[] = forResourceOperation('weight', 'getDownloadUrl', [
	{ ...finetuneIdField, required: false },
	{
		displayName: 'Cloud Storage URL',
		name: 'cloudStorageUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.cloud_storage_url }}',
		description:
			'Where the weights are, if you know it already. Empty: it is looked up for the job above.',
	},
	{
		displayName: 'Download',
		name: 'download',
		type: 'boolean',
		default: false,
		description: 'Whether to also put the weights into the binary data of the item',
	},
	{
		displayName: 'Output Field',
		name: 'outputField',
		type: 'string',
		default: 'data',
		description: 'Name of the binary field for the weights',
		displayOptions: { show: { download: [true] } },
	},
	optionsField(OPTION_SETS.free),
]);

interface Weights {
	finetuneId?: string;
	baseModel?: string;
	url: string;
}

/**
 * GET {baseUrl}/finetune/request/file/download with a multipart body; the answer is the URL as plain text (docs/service.md S346).
 * Fast Flux weights are public where they are: no call is made for them.
 */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const { context } = session;
	const wanted = trueOrFalse(context.getNodeParameter('download', itemIndex, false), 'Download');
	const field = textIn(context.getNodeParameter('outputField', itemIndex, 'data')) || 'data';
	const weights = await findWeights(session, itemIndex);
	const isPublic = weights.baseModel?.toUpperCase() === 'FAST_FLUX';
	const url = isPublic ? weights.url : await askForUrl(session, weights);
	const json = dropUndefined({
		finetune_id: weights.finetuneId,
		base_model: weights.baseModel,
		cloud_storage_url: weights.url,
		download_url: url,
		expires_at: isPublic ? undefined : new Date(session.clock.now() + VALID_MS).toISOString(),
		note: isPublic
			? 'Fast Flux weights are public: no download call is needed, and the address does not expire.'
			: undefined,
	});
	if (!wanted) return { json };
	// Weights may be of any size; their address is good for an hour.
	const limits = { maxBytes: Infinity, endsAt: session.clock.now() + VALID_MS };
	const outcome = await download(session, { url }, '', 'weights', limits);
	if ('file' in outcome) return { json, binary: { [field]: outcome.file } };
	throw new SegmindFailure({
		message: `The weights could not be downloaded from ${new URL(url).host}: ${outcome.reason}`,
		description: `${CHARGE.none} Run it again, or turn off Download to get the address only.`,
	});
}

async function findWeights(session: Session, itemIndex: number): Promise<Weights> {
	const given = textIn(session.context.getNodeParameter('cloudStorageUrl', itemIndex, ''));
	if (given !== '') {
		if (originOf(given) === undefined)
			throw badInput(
				`Cloud Storage URL '${shown(given)}' is not an http(s) address`,
				'Give the cloud_storage_url of a job, or leave it empty.',
			);
		return { url: given };
	}
	const finetuneId = readFinetuneId(session, itemIndex);
	const job = await detailsOf(session, finetuneId);
	const url = memberText(job, 'cloud_storage_url');
	if (originOf(url) === undefined) {
		const status = memberText(job, 'status') || 'unknown';
		const reason = memberText(job, 'error_message');
		throw new SegmindFailure({
			message: `Fine-tune ${finetuneId} has no weights: its status is ${status}${reason === '' ? '' : ` (${excerpt(reason, session.redact)})`}`,
			description: `${CHARGE.none} Weights exist from the end of the training on.`,
			status,
		});
	}
	return { finetuneId, baseModel: memberText(job, 'base_model') || undefined, url };
}

async function askForUrl(session: Session, weights: Weights): Promise<string> {
	const subject = weights.finetuneId
		? `the weights of fine-tune ${weights.finetuneId}`
		: 'the weights';
	// `method` stays out, or n8n would drop the body (docs/n8n.md N101).
	const answer = await readManaged(
		session,
		{
			url: fineTuneUrl(session, '/file/download'),
			...(await encodedForm({ cloud_storage_url: weights.url })),
		},
		subject,
	);
	const text = answer.body.toString('utf8').trim();
	const url = text.startsWith('"') ? textIn(parseJson(text)) : text;
	if (originOf(url) === undefined || /\s/.test(url))
		throw unusable(session.client, answer, { purpose: 'manage', subject }, 'none');
	return url;
}
