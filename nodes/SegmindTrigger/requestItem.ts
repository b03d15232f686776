import type { INodeExecutionData } from 'n8n-workflow';

import { kindOf } from '../shared/catalogue/modelList';
import { isOfWorkflow, type RequestRef } from '../shared/service/requestRef';
import { withOutputField } from '../shared/output/arrangement';
import { dropUndefined, renameError } from '../shared/output/outputFields';
import { makeOutput } from '../shared/output/makeOutput';
import type { OutputSpec } from '../shared/output/presentation';
import type { Result } from '../shared/output/result';
import type { FailedRequest } from '../shared/request/poll/requestEnd';
import { isTransientFault } from './faults';
import { timeLeft, type PollRun } from './pollRun';

/** Which of the listed requests start the workflow, and how to present them. */
export interface ListedOptions {
	/** The statuses that start the workflow: COMPLETED, FAILED; [] stands for both. */
	states: string[];
	simplify: boolean;
	downloadOutput: boolean;
	/** The name of the binary field of the first file. */
	outputField: string;
}

/** Makes the item of an ended request with its files; undefined if the deadline passed before the files were downloaded. */
export async function requestItem(
	run: PollRun,
	ref: RequestRef,
	end: Result | FailedRequest,
	{ simplify, downloadOutput, outputField }: ListedOptions,
): Promise<INodeExecutionData | undefined> {
	const { request_id, model, workflow } = ref;
	const madeBy = dropUndefined({ model, workflow });
	if (end.kind === 'failed') {
		const error_message = end.reason || 'the service gave no reason';
		const body = simplify || !end.body ? {} : renameError(end.body);
		return { json: { ...body, request_id, status: 'FAILED', ...madeBy, error_message } };
	}
	const spec: OutputSpec = {
		itemIndex: 0,
		requestId: request_id,
		maker: isOfWorkflow(ref) ? 'workflow' : 'unknown',
		madeBy,
		makes: kindOf(model ?? '', run.client.urls.endpointAdminUrl),
		making: { simplify, downloadOutput, isJson: false, prompt: '', timeoutMs: timeLeft(run) },
	};
	const made = await makeOutput(run, spec, end).catch((error: unknown) => {
		if (!isTransientFault(error)) throw error;
		return undefined;
	});
	if (made === undefined) return undefined;
	const { json, binary } = withOutputField(made, outputField);
	return binary ? { json, binary } : { json };
}
