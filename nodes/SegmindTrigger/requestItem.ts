import type { INodeExecutionData } from 'n8n-workflow';

import type { RequestRef } from '../shared/service/requestRef';
import { dropUndefined, renameError } from '../shared/output/fields';
import { makeItem } from '../shared/output/makeItem';
import type { ItemSpec } from '../shared/output/presentation';
import type { Result } from '../shared/output/result';
import type { FailedRequest } from '../shared/request/poll/outcome';
import { isTransientFault } from './faults';
import { timeLeft, type PollSession } from './pollSession';

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
	session: PollSession,
	{ request_id, model, workflow }: RequestRef,
	outcome: Result | FailedRequest,
	{ simplify, downloadOutput, outputField }: ListedOptions,
): Promise<INodeExecutionData | undefined> {
	const madeBy = dropUndefined({ model, workflow });
	if (outcome.kind === 'failed') {
		const error_message = outcome.reason || 'the service gave no reason';
		const body = simplify || !outcome.body ? {} : renameError(outcome.body);
		return { json: { ...body, request_id, status: 'FAILED', ...madeBy, error_message } };
	}
	const spec: ItemSpec = {
		itemIndex: 0,
		requestId: request_id,
		maker: workflow === undefined ? 'unknown' : 'workflow',
		madeBy,
		presentation: {
			simplify,
			makes: undefined,
			isTranscript: false,
			isJson: false,
			prompt: '',
			downloadsFiles: downloadOutput,
			outputField,
			timeoutMs: timeLeft(session),
		},
	};
	const made = await makeItem(session, spec, outcome).catch((error: unknown) => {
		if (!isTransientFault(error)) throw error;
		return undefined;
	});
	if (made === undefined) return undefined;
	const { json, binary } = made;
	return binary ? { json, binary } : { json };
}
