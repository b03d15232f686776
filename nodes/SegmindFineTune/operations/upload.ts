import type { IBinaryData, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { badInput } from '../../shared/base/failure';
import { binaryOf } from '../../shared/inputs/fields';
import { byteLength } from '../../shared/media/upload';
import { filled, textIn } from '../../shared/inputs/values';
import { bareType, extensionOf } from '../../shared/media/mediaTypes';
import { doOnce } from '../../shared/request/doOnce';
import type { Session } from '../../shared/run/session';
import { askForPlace, datasetFields, planDataset } from '../dataset';
import { forResourceOperation } from '../../shared/descriptions/forOperation';
import { putFile } from '../../shared/media/putFile';
import { variantField, type Variant } from '../variants';

/** A dataset of these variants must be smaller, bytes (docs/service.md S228); none is published for the others. */
const LIMIT = 100_000_000;
const LIMITED: readonly Variant[] = ['fluxPro', 'fastFlux'];

export const description: INodeProperties[] = forResourceOperation('dataset', 'upload', [
	variantField,
	{
		displayName: 'Binary Field',
		name: 'binaryField',
		type: 'string',
		default: 'data',
		required: true,
		description:
			'Name of the binary field that holds the ZIP; under 100 MB for Flux Pro and Fast Flux. Put the images at the top level, not into folders.',
	},
	{
		displayName: 'File Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. sneakers.zip',
		description: 'Name of the file at Segmind. Empty: its own name.',
	},
	...datasetFields,
	optionsField(OPTION_SETS.free),
]);

/** Asks for a presigned URL and puts the ZIP there (docs/service.md S343, S344; free). A retry does not upload again. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await doOnce(session, { itemIndex, subject: 'the upload of the dataset' }, async () => {
		const value = (name: string) => textIn(session.context.getNodeParameter(name, itemIndex, ''));
		const field = filled(value('binaryField'), 'Binary Field');
		const file = binaryOf(session, itemIndex, field, 'Binary Field');
		assertZip(file, field);
		const name = value('name') || file.fileName || 'dataset.zip';
		const plan = planDataset(session, itemIndex, name);
		const bytes = await byteLength(session, file);
		assertSize(plan.variant, bytes, field);

		const { presigned_url, s3_url } = await askForPlace(session, plan);
		await putFile(session, { url: presigned_url, headers: plan.headers, file, bytes, name });
		return { json: { s3_url, file_name: name, file_size: bytes, public: plan.isPublic } };
	});
}

/** A picture by mistake would only be noticed when the training has failed. */
function assertZip(file: IBinaryData, field: string): void {
	const type = bareType(file.mimeType);
	const looksLikeZip =
		/zip/.test(type) ||
		extensionOf(file.fileName ?? '') === 'zip' ||
		type === '' ||
		type === 'application/octet-stream';
	if (!looksLikeZip)
		throw badInput(
			`Binary Field '${field}' holds ${file.fileName ? `'${file.fileName}', which is ` : ''}${type}, not a ZIP`,
			'Put the images into a ZIP first, for example with the Compression node.',
		);
}

function assertSize(variant: Variant, bytes: number, field: string): void {
	if (bytes === 0) throw badInput(`Binary Field '${field}' is empty (0 bytes)`, 'Give a ZIP.');
	if (LIMITED.includes(variant) && bytes >= LIMIT)
		throw badInput(
			`Binary Field '${field}' has ${(bytes / 1_000_000).toFixed(1)} MB, but datasets of this variant must be under 100 MB`,
			'Use fewer or smaller images.',
		);
}
