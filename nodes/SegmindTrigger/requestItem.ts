import type { INodeExecutionData } from 'n8n-workflow';

import { kindOf } from '../shared/catalogue/modelList';
import { isOfWorkflow, type RequestRef } from '../shared/service/requestRef';
import { dropUndefined, renameError } from '../shared/output/outputFields';
import { makeOutput } from '../shared/output/makeOutput';
import type { OutputSpec } from '../shared/output/presentation';
import type { Result } from '../shared/output/result';
import type { FailedRequest } from '../shared/request/poll/requestEnd';
import type { PollRun } from './pollRun';

/** Makes the item of an ended request. It has the URLs of its files: of those of a poll, n8n would never delete any (docs/triggers.md). */
export async function requestItem(
	run: PollRun,
	ref: RequestRef,
	end: Result | FailedRequest,
	simplify: boolean,
): Promise<INodeExecutionData> {
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
		making: { simplify, downloadOutput: false, isJson: false, prompt: '', timeoutMs: 0 },
	};
	const { json, binary } = await makeOutput(run, spec, end);
	return binary ? { json, binary } : { json };
}
