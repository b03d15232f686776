import { requiredText } from '../shared/descriptions/fields';
import { rowsField } from '../shared/descriptions/inputs';
import type { Operations } from '../shared/descriptions/operations';
import { OPTION_SETS, optionsField } from '../shared/descriptions/options';
import {
	getResultFields,
	requestField,
	simplifyField,
	waitForCompletionField,
} from '../shared/descriptions/requests';
import { assertExpressions, rawParameter } from '../shared/inputs/expressions';
import { readInputs } from '../shared/inputs/readInputs';
import { textIn } from '../shared/inputs/values';
import { generate, readPresentation } from '../shared/request/operations/generate';
import { getResult } from '../shared/request/operations/getResult';
import { getStatus } from '../shared/request/operations/getStatus';
import type { Submission } from '../shared/request/submission';
import { readOptions, readWaitForCompletion } from '../shared/run/options';
import type { Session } from '../shared/run/session';
import { joinUrl, pathSegment } from '../shared/service/addresses';

export const operations: Operations = {
	/** Sends POST {baseUrl}/workflows/v2/{slug}, then polls until the run has ended (docs/service.md S150). */
	run: {
		name: 'Run Workflow',
		description: 'Run a published workflow and get its outputs',
		action: 'Run a published workflow',
		fields: [
			requiredText(
				'slug',
				'Workflow Slug',
				'The slug of the published workflow in the Segmind workflow builder',
				'e.g. product-photo',
			),
			rowsField('inputs', 'Inputs', 'The inputs of the workflow, by the names of its input nodes', {
				add: 'Add Input',
				name: 'e.g. prompt',
			}),
			waitForCompletionField,
			simplifyField,
			optionsField(OPTION_SETS.workflow),
		],
		execute: async (session, itemIndex) =>
			await generate(session, readGeneration(session, itemIndex)),
	},
	/** GET {poll_url} or {status_url} (docs/service.md S154). */
	getStatus: {
		name: 'Get Status',
		description: 'Check the status of a run',
		action: 'Get the status of a workflow run',
		fields: [requestField],
		execute: getStatus,
	},
	/** GET {poll_url} or {status_url} until the run has ended, then GET {response_url} (docs/service.md S154). */
	getResult: {
		name: 'Get Result',
		description: 'Wait for an earlier run and get its outputs, at no charge',
		action: 'Get the result of a workflow run',
		fields: getResultFields,
		execute: async (session, itemIndex) => await getResult(session, itemIndex, 'workflow'),
	},
};

/** Reads the parameters of an item. @throws SegmindFailure that names the parameter, before any call */
function readGeneration(session: Session, itemIndex: number): Submission {
	const { context, client } = session;
	const slug = textIn(context.getNodeParameter('slug', itemIndex, ''));
	assertExpressions(session, itemIndex, 'Workflow Slug', rawParameter(session, 'slug'));
	const path = `/workflows/v2/${pathSegment(slug, 'Workflow Slug')}`;
	const inputs = readInputs(session, itemIndex);
	const options = readOptions(context, itemIndex);
	return {
		itemIndex,
		responds: 'reference',
		url: joinUrl(client.urls.baseUrl, path),
		subject: `workflow '${slug}'`,
		slug,
		madeBy: { workflow: slug },
		isWorkflow: true,
		waits: readWaitForCompletion(context, itemIndex),
		inputs,
		options,
		presentation: readPresentation(session, itemIndex, options),
	};
}
