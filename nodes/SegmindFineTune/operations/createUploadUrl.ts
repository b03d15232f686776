import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { readRequiredText } from '../../shared/inputs/values';
import type { Session } from '../../shared/run/session';
import { datasetFields, createUploadTarget } from '../dataset';
import { variantField } from '../variants';

export const description: INodeProperties[] = showForResourceOperation(
	'dataset',
	'createUploadUrl',
	[
		variantField,
		{
			displayName: 'File Name',
			name: 'name',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. sneakers.zip',
			description: 'Name of the file that will be uploaded',
		},
		...datasetFields,
	],
);

/** GET {baseUrl}/finetune/request/upload/pre-signed-url with a JSON body (docs/service.md S343). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const name = readRequiredText(session.context, itemIndex, 'name', 'File Name');
	const { presigned_url, s3_url, headers } = await createUploadTarget(session, itemIndex, name);
	return { json: { presigned_url, s3_url, headers } };
}
