import type { INodeExecutionData } from 'n8n-workflow';

import { requiredText } from '../shared/descriptions/fields';
import { rowsField } from '../shared/descriptions/inputs';
import { STATUS_OUTPUT, type OutputFields } from '../shared/descriptions/outputs';
import type { Operations } from '../shared/items/operations';
import { MAKING_OPTIONS, optionsField, RUN_OPTIONS } from '../shared/descriptions/options';
import { getResultFields, requestField } from '../shared/descriptions/requestFields';
import { workflowIn, workflowRootIn } from '../shared/catalogue/slug';
import { generate } from '../shared/request/operations/generate';
import { getResult } from '../shared/request/operations/getResult';
import { getStatus } from '../shared/request/operations/getStatus';
import { readSubmission } from '../shared/request/submission';
import type { Item } from '../shared/run/item';
import { joinUrl, pathSegment } from '../shared/service/addresses';

/** The output of a finished run. */
const RUN_OUTPUT: OutputFields = {
	url: 'string',
	outputs: 'object',
	request_id: 'string',
	status: 'string',
	workflow: 'string',
	cost: 'number',
	remaining_credits: 'number',
};

const SLUG_EXAMPLE = 'product-photo';

export const operations: Operations = {
	/** Sends POST {baseUrl}/workflows/v2/{slug}, or /workflows/{id}-v{n} for an older workflow (docs/service.md S153), then polls until the run has ended. */
	run: {
		name: 'Run Workflow',
		description: 'Run a published workflow and get its outputs',
		action: 'Run a published workflow',
		fields: [
			requiredText(
				'slug',
				'Workflow Slug',
				'The slug of the published workflow in the Segmind workflow builder, or the URL of its page or its runs',
				`e.g. ${SLUG_EXAMPLE}`,
			),
			rowsField('inputs', 'Inputs', 'The inputs of the workflow, by the names of its input nodes', {
				add: 'Add Input',
				name: 'e.g. prompt',
			}),
			RUN_OPTIONS.waitForCompletion.field,
			MAKING_OPTIONS.simplify.field,
			optionsField('workflow'),
		],
		output: RUN_OUTPUT,
		execute: runWorkflow,
	},
	/** GET {poll_url} or {status_url}. */
	getStatus: {
		name: 'Get Status',
		description: 'Check the status of a run',
		action: 'Get the status of a workflow run',
		fields: [requestField],
		output: STATUS_OUTPUT,
		execute: getStatus,
	},
	/** GET {poll_url} or {status_url} until the run has ended, then GET {response_url}. */
	getResult: {
		name: 'Get Result',
		description: 'Wait for an earlier run and get its outputs, at no charge',
		action: 'Get the result of a workflow run',
		fields: getResultFields,
		output: RUN_OUTPUT,
		execute: async (item) => await getResult(item, 'workflow'),
	},
};

async function runWorkflow(item: Item): Promise<INodeExecutionData[]> {
	const { run, parameters } = item;
	const { baseUrl } = run.client.urls;
	const entered = parameters.text('slug');
	const slug = workflowIn(entered, baseUrl);
	const name = pathSegment(slug, parameters.label('slug'), SLUG_EXAMPLE);
	const url = joinUrl(baseUrl, `${workflowRootIn(entered, baseUrl)}/${name}`);
	const target = { url, slug, isWorkflow: true, responds: 'reference' } as const;
	return await generate(item, await readSubmission(item, target));
}
