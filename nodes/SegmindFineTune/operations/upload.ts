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

/** Datasets of Flux Pro and Fast Flux must be smaller than this, bytes (docs/service.md S228). */
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

/** Gets a presigned URL and uploads the ZIP (docs/service.md S343, S344; free). A retry doesn't upload it again. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const { context } = session;
	const field = readRequiredText(context, itemIndex, 'binaryField', 'Binary Field');
	const file = binaryOf(session, itemIndex, field, 'Binary Field');
	const name =
		textIn(context.getNodeParameter('name', itemIndex)) || file.fileName || 'dataset.zip';
	const bytes = await byteLength(session, file);
	const isLimited = /^(fluxPro|fastFlux)$/.test(
		context.getNodeParameter('variant', itemIndex) as string,
	);
	if (bytes === 0 || (isLimited && bytes >= MAX_DATASET_BYTES))
		throw badInput(INPUTS.wrongDatasetSize, {
			name: field,
			bytes,
			limit: isLimited ? ' under 100 MB' : '',
		});
	return await doOnce(session, { itemIndex, subject: 'the upload of the dataset' }, async () => {
		const place = await createUploadTarget(session, itemIndex, name);
		const { presigned_url: url, s3_url, headers, isPublic } = place;
		await putFile(session, { url, headers, file, bytes, name });
		return { json: { s3_url, file_name: name, file_size: bytes, public: isPublic } };
	});
}
