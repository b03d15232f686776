import type { INodeProperties } from 'n8n-workflow';

import { inputModeField, inputsField, inputsJsonField } from '../shared/descriptions/inputs';
import { readInputs } from '../shared/inputs/readInputs';
import type { Generation } from '../shared/request/generation';
import type { Session } from '../shared/run/session';
import { joinUrl, pathSegment } from '../shared/service/origins';

/** The fields that say which workflow to run, and with what. */
export const workflowFields: INodeProperties[] = [
	{
		displayName: 'Workflow Slug',
		name: 'slug',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. product-photo',
		description: 'The slug a workflow was published under in the Segmind workflow builder',
	},
	inputModeField,
	inputsField(
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			placeholder: 'e.g. prompt',
			description: 'The name the input node was given when the workflow was published',
		},
		'The inputs of the workflow, by the names of its input nodes',
	),
	inputsJsonField,
];

/** Reads what an item asks for. @throws SegmindFailure naming the parameter, before any call */
export function readGeneration(session: Session, itemIndex: number): Generation {
	const slug = String(session.context.getNodeParameter('slug', itemIndex, '')).trim();
	return {
		itemIndex,
		url: joinUrl(
			session.client.urls.baseUrl,
			`/workflows/v2/${pathSegment(slug, 'Workflow Slug')}`,
		),
		subject: `workflow '${slug}'`,
		slug,
		label: { workflow: slug },
		isWorkflow: true,
		...readInputs(session, itemIndex),
	};
}
