import type { INodeExecutionData } from 'n8n-workflow';

import type { RequestRef } from '../shared/journal/entry';
import { dropUndefined, finishedItem, renameError } from '../shared/output/finishedItem';
import { storeInlineFiles } from '../shared/output/inlineFiles';
import { parseOutput } from '../shared/output/media';
import { readNamedOutputs } from '../shared/output/namedOutputs';
import type { CompletedRequest, FailedRequest } from '../shared/request/poll/outcome';
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
	outcome: CompletedRequest | FailedRequest,
	{ simplify, downloadOutput, outputField }: ListedOptions,
): Promise<INodeExecutionData | undefined> {
	const madeBy = dropUndefined({ model, workflow });
	if (outcome.kind === 'failed') {
		const error_message = outcome.reason || 'the service gave no reason';
		const body = simplify || !outcome.body ? {} : renameError(outcome.body);
		return { json: { ...body, request_id, status: 'FAILED', ...madeBy, error_message } };
	}
	const { body, fromHistory } = outcome;
	// An ID alone doesn't show whether it belongs to a workflow.
	const output = parseOutput(body.output);
	const isNamed = Array.isArray(output) && output.length > 0 && readNamedOutputs(output)?.isWhole;
	const isWorkflow = workflow !== undefined || isNamed === true;
	const isGuess = workflow === undefined;
	const finished = { itemIndex: 0, requestId: request_id, madeBy, body, isWorkflow, isGuess };
	const options = { timeoutMs: timeLeft(session), downloadOutput, outputField };
	return await storeInlineFiles(session, { ...finished, fromHistory }, { options })
		.then(async (stored) => await finishedItem(session, stored, { simplify, options }))
		.catch((error: unknown) => {
			if (!isTransientFault(error)) throw error;
			return undefined;
		});
}
