import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { parseInputsJson, type JsonBody } from '../../shared/inputs/json';
import { oneOf, textIn } from '../../shared/inputs/values';
import { dropUndefined, rawBody } from '../../shared/output/finished';
import { memberText } from '../../shared/service/picker';
import { entryOf } from '../../shared/request/generation';
import { boughtBefore } from '../../shared/request/management';
import { buy } from '../../shared/request/submission';
import { readOptions } from '../../shared/run/options';
import type { Session } from '../../shared/run/session';
import { isObject } from '../../shared/service/schemas';
import type { HttpAnswer } from '../../shared/service/http';
import { jsonOf } from '../../shared/service/unusable';
import { fineTuneUrl, forFineTune } from '../fineTune';
import { jobBody, jobFields, variantField, VARIANTS } from '../variants';

export const description: INodeProperties[] = forFineTune('job', 'submit', [
	{
		displayName:
			'Segmind has deprecated fine-tuning and no longer accepts new jobs. Existing fine-tuned models can still be run, shared and downloaded.',
		name: 'deprecatedNotice',
		type: 'notice',
		default: '',
	},
	variantField,
	...jobFields,
	optionsField(OPTION_SETS.submit),
]);

/** POST {baseUrl}/finetune/request/submit (specification, Fine-tuning). Journalled: a training is paid. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const entry = entryOf(session, itemIndex);
	const kept = await boughtBefore(session, itemIndex);
	if (kept) return kept;
	const body = readBody(session, itemIndex);
	const name = textIn(body.value.name);
	// Accepted by an earlier try that ended before it could put it out.
	if (entry.state === 'accepted' && entry.request)
		return { json: jobItem(entry.request.request_id, name) };

	const options = readOptions(session.context, itemIndex);
	const submitted = await buy(
		session,
		{
			itemIndex,
			entry,
			url: fineTuneUrl(session, '/submit'),
			subject: name === '' ? 'the fine-tune job' : `fine-tune job '${name}'`,
			purpose: 'manage',
			label: {},
			slug: '',
			makeBody: async () => body,
			patienceMs: options.timeoutMs,
			resubmitWhenUnknown: options.resubmitWhenUnknown,
			minimumBalance: options.minimumBalance,
			managed: {
				idOf: 'fine-tune',
				whereToLook: 'the operation Get Many shows whether the job exists',
			},
		},
		readAccepted,
	);
	const item: INodeExecutionData = {
		json:
			'body' in submitted
				? { finetune_id: submitted.ref.request_id, ...rawBody(submitted.body) }
				: jobItem(submitted.ref.request_id, name),
	};
	session.journal.finish(entry, item);
	return item;
}

function readBody(session: Session, itemIndex: number): JsonBody {
	const value = (name: string) => session.context.getNodeParameter(name, itemIndex, '') as unknown;
	const variant = oneOf(value('variant'), 'Variant', VARIANTS);
	if (variant === 'custom') return parseInputsJson(value('jobJson'), 'Job (JSON)');
	const body = jobBody(variant, value);
	return { text: JSON.stringify(body), value: body };
}

function readAccepted(answer: HttpAnswer) {
	const body = jsonOf(answer);
	const id = isObject(body) ? memberText(body, 'finetune_id', 'request_id', 'id') : '';
	return isObject(body) && id !== '' ? { ref: { request_id: id }, body } : undefined;
}

function jobItem(finetune_id: string, name: string) {
	return dropUndefined({ finetune_id, status: 'REQUESTED', name: name || undefined });
}
