import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { requiredText } from '../../shared/inputs/values';
import type { Session } from '../../shared/run/session';
import { askForPlace, datasetFields, planDataset } from '../dataset';
import { forResourceOperation } from '../../shared/descriptions/forOperation';
import { variantField } from '../variants';

export const description: INodeProperties[] = forResourceOperation('dataset', 'createUploadUrl', [
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
	optionsField(OPTION_SETS.free),
]);

/** GET {baseUrl}/finetune/request/upload/pre-signed-url with a JSON body (docs/service.md S343). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const name = requiredText(session.context, itemIndex, 'name', 'File Name');
	const plan = planDataset(session, itemIndex, name);
	const { presigned_url, s3_url } = await askForPlace(session, plan);
	return { json: { presigned_url, s3_url, headers: plan.headers } };
}
