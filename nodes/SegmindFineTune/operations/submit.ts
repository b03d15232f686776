import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { assertExpressions } from '../../shared/inputs/expressions';
import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { parseJsonBody, type JsonBody } from '../../shared/inputs/json';
import { readChoice, textIn } from '../../shared/inputs/values';
import { renameError } from '../../shared/output/finishedItem';
import { runRequest } from '../../shared/request/lifecycle';
import { readOptions } from '../../shared/run/options';
import type { Session } from '../../shared/run/session';
import { jsonOf } from '../../shared/service/responses';
import { textOfMember } from '../../shared/service/picker';
import { isObject } from '../../shared/service/schemas';
import { fineTuneUrl } from '../fineTune';
import { jobBody, jobFields, variantField, VARIANTS } from '../variants';

export const description: INodeProperties[] = showForResourceOperation('job', 'submit', [
	{
		displayName:
			'Training is closed: Segmind has deprecated fine-tuning and accepts no new jobs. You can still run, share and download existing fine-tuned models.',
		name: 'deprecatedNotice',
		type: 'notice',
		default: '',
	},
	variantField,
	...jobFields,
	optionsField(OPTION_SETS.create),
]);

/** POST {baseUrl}/finetune/request/submit (docs/service.md S340). Journaled, so that a retry doesn't submit a second job, which would be charged. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const body = readBody(session, itemIndex);
	const name = textIn(body.value.name);
	return await runRequest(session, {
		responds: 'creation',
		itemIndex,
		url: fineTuneUrl(session, '/submit'),
		presentation: { options: readOptions(session.context, itemIndex) },
		subject: `fine-tune job '${name}'`,
		inputs: { body },
		idOf: 'fine-tune',
		whereToLook: 'the operation Get Many shows whether the job exists',
		read: (response) => {
			const job = jsonOf(response);
			const id = isObject(job) ? textOfMember(job, 'finetune_id', 'id') : '';
			return id === '' ? undefined : { id };
		},
		makeItem: (finetune_id, response) => {
			const job = response ? jsonOf(response) : { status: 'REQUESTED', name };
			return { json: { finetune_id, ...(isObject(job) && renameError(job)) } };
		},
	});
}

function readBody(session: Session, itemIndex: number): JsonBody {
	const { context } = session;
	const { parameters } = context.getNode();
	for (const { name, displayName } of description)
		assertExpressions(session, itemIndex, parameters[name], displayName);
	const value = (name: string) => context.getNodeParameter(name, itemIndex, '') as unknown;
	const variant = readChoice(value('variant'), 'Variant', VARIANTS);
	if (variant === 'custom') return parseJsonBody(value('jobJson'), 'Job (JSON)');
	const body = jobBody(variant, value);
	return { text: JSON.stringify(body), value: body };
}
