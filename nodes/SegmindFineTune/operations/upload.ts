import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { badInput } from '../../shared/errors/failures';
import { INPUTS } from '../../shared/errors/inputTable';
import { binaryOf } from '../../shared/inputs/fields';
import { readRequiredText, textIn } from '../../shared/inputs/values';
import { putFile } from '../../shared/media/putFile';
import { byteLength } from '../../shared/media/upload';
import { doOnce } from '../../shared/manage/doOnce';
import type { Session } from '../../shared/run/session';
import { datasetFields, createUploadTarget } from '../dataset';
import { variantField } from '../variants';

/** Exclusive upper limit for datasets of Flux Pro and Fast Flux (docs/service.md S228). */
const MAX_DATASET_BYTES = 100_000_000;

export const description: INodeProperties[] = showForResourceOperation('dataset', 'upload', [
	variantField,
	{
		displayName: 'Binary Field',
		name: 'binaryField',
		type: 'string',
		default: 'data',
		required: true,
		description:
			'Name of the binary field that holds the ZIP; under 100 MB for Flux Pro and Fast Flux. Put the images at the top level, not in folders.',
	},
	{
		displayName: 'File Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. sneakers.zip',
		description: 'Name of the file on Segmind. Leave it empty to keep the original name.',
	},
	...datasetFields,
	optionsField(OPTION_SETS.upload),
]);

/** Gets a presigned URL and uploads the ZIP (docs/service.md S343, S344; free). A retry doesn't repeat an upload that succeeded. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const { context } = session;
	const field = readRequiredText(context, itemIndex, 'binaryField', 'Binary Field');
	const file = binaryOf(session, itemIndex, field, 'Binary Field');
	const name =
		textIn(context.getNodeParameter('name', itemIndex)) || file.fileName || 'dataset.zip';
	const bytes = await byteLength(session, file);
	const hasSizeLimit = /^(fluxPro|fastFlux)$/.test(
		context.getNodeParameter('variant', itemIndex) as string,
	);
	if (bytes === 0 || (hasSizeLimit && bytes >= MAX_DATASET_BYTES))
		throw badInput(INPUTS.wrongDatasetSize, {
			name: field,
			bytes,
			limit: hasSizeLimit ? ' under 100 MB' : '',
		});
	return await doOnce(session, { itemIndex, subject: 'the upload of the dataset' }, async () => {
		const target = await createUploadTarget(session, itemIndex, name);
		const { presigned_url: url, s3_url, headers, isPublic } = target;
		await putFile(session, { url, headers, file, bytes, name });
		return { json: { s3_url, file_name: name, file_size: bytes, public: isPublic } };
	});
}
