import type { INodeProperties } from 'n8n-workflow';

import { assertExpressions } from '../shared/inputs/expressions';
import { rowFields } from '../shared/descriptions/inputs';
import { readInputs } from '../shared/inputs/readInputs';
import { textIn } from '../shared/inputs/values';
import type { Presentation } from '../shared/output/finishedRequest';
import type { Generation } from '../shared/request/submission';
import { readWaitForCompletion } from '../shared/run/options';
import type { Session } from '../shared/run/session';
import { joinUrl, pathSegment } from '../shared/service/origins';

/** The fields for the workflow and its inputs. */
export const workflowFields: INodeProperties[] = [
	{
		displayName: 'Workflow Slug',
		name: 'slug',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. product-photo',
		description: 'The slug of the published workflow in the Segmind workflow builder',
	},
	{
		displayName: 'Inputs',
		name: 'inputs',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add input',
		default: {},
		description: 'The inputs of the workflow, by the names of its input nodes',
		options: [{ displayName: 'Values', name: 'values', values: rowFields('e.g. prompt') }],
	},
];

/** Reads the parameters of an item. @throws SegmindFailure that names the parameter, before any call */
export function readGeneration(
	session: Session,
	itemIndex: number,
	presentation: Presentation,
): Generation {
	const slug = textIn(session.context.getNodeParameter('slug', itemIndex, ''));
	const raw = session.context.getNode().parameters.slug;
	assertExpressions(session, itemIndex, raw, 'Workflow Slug');
	return {
		itemIndex,
		responds: 'reference',
		url: joinUrl(
			session.client.urls.baseUrl,
			`/workflows/v2/${pathSegment(slug, 'Workflow Slug')}`,
		),
		subject: `workflow '${slug}'`,
		slug,
		madeBy: { workflow: slug },
		isWorkflow: true,
		waits: readWaitForCompletion(session.context, itemIndex),
		inputs: readInputs(session, itemIndex),
		presentation,
	};
}
