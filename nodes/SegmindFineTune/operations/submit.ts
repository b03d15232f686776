import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { parseInputsJson, type JsonBody } from '../../shared/inputs/json';
import { oneOf, textIn } from '../../shared/inputs/values';
import { dropUndefined, rawBody } from '../../shared/output/finished';
import { memberText } from '../../shared/service/picker';
import { createOnce } from '../../shared/request/createOnce';
import type { Session } from '../../shared/run/session';
import { isObject } from '../../shared/service/schemas';
import { jsonOf } from '../../shared/service/answers';
import { forResourceOperation } from '../../shared/descriptions/forOperation';
import { fineTuneUrl } from '../fineTune';
import { jobBody, jobFields, variantField, VARIANTS } from '../variants';

export const description: INodeProperties[] = forResourceOperation('job', 'submit', [
	{
		displayName:
			'Segmind has deprecated fine-tuning and no longer accepts new jobs. Existing fine-tuned models can still be run, shared and downloaded.',
		name: 'deprecatedNotice',
		type: 'notice',
		default: '',
	},
	variantField,
	...jobFields,
	optionsField(OPTION_SETS.create),
]);

/** POST {baseUrl}/finetune/request/submit (docs/service.md S340). Journalled: a training is paid. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const body = readBody(session, itemIndex);
	const name = textIn(body.value.name);
	return await createOnce(session, {
		itemIndex,
		url: fineTuneUrl(session, '/submit'),
		subject: name === '' ? 'the fine-tune job' : `fine-tune job '${name}'`,
		body,
		idOf: 'fine-tune',
		whereToLook: 'the operation Get Many shows whether the job exists',
		idIn: (answer) => idIn(jsonOf(answer)) || undefined,
		itemFrom: (id, answer) => {
			const job = answer ? jsonOf(answer) : undefined;
			return {
				json: isObject(job)
					? { finetune_id: id, ...rawBody(job) }
					: dropUndefined({ finetune_id: id, status: 'REQUESTED', name: name || undefined }),
			};
		},
	});
}

function readBody(session: Session, itemIndex: number): JsonBody {
	const value = (name: string) => session.context.getNodeParameter(name, itemIndex, '') as unknown;
	const variant = oneOf(value('variant'), 'Variant', VARIANTS);
	if (variant === 'custom') return parseInputsJson(value('jobJson'), 'Job (JSON)');
	const body = jobBody(variant, value);
	return { text: JSON.stringify(body), value: body };
}

function idIn(body: unknown): string {
	return isObject(body) ? memberText(body, 'finetune_id', 'request_id', 'id') : '';
}
