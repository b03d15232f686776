import type { INodeExecutionData } from 'n8n-workflow';

import type { RequestRef } from '../shared/journal/entry';
import { dropUndefined, finishedItem, renameError } from '../shared/output/finishedItem';
import { storeInlineFiles } from '../shared/output/inlineFiles';
import { parseOutput } from '../shared/output/media';
import { isObject, type StatusResponse } from '../shared/service/schemas';
import { isTransientFault } from './faults';
import { timeLeft, type PollSession } from './pollSession';
import type { EndedOutcome } from './requestCheck';

/** How to present an ended request. */
export interface RequestPresentation {
	simplify: boolean;
	downloadOutput: boolean;
	/** Name of the binary field of the first file. */
	outputField: string;
}

/** Makes the item of an ended request with its files; undefined if the deadline passed before the files were downloaded. */
export async function requestItem(
	session: PollSession,
	{ request_id, model, workflow }: RequestRef,
	outcome: EndedOutcome,
	{ simplify, downloadOutput, outputField }: RequestPresentation,
): Promise<INodeExecutionData | undefined> {
	const madeBy = dropUndefined({ model, workflow });
	if (outcome.kind === 'expired') return { json: { request_id, status: 'EXPIRED', ...madeBy } };
	if (outcome.kind === 'failed') {
		const error_message = outcome.reason || 'the service gave no reason';
		const body = simplify || !outcome.body ? {} : renameError(outcome.body);
		return { json: { ...body, request_id, status: 'FAILED', ...madeBy, error_message } };
	}
	const { body, fromHistory } = outcome;
	const isWorkflow = workflow !== undefined || hasNamedOutputs(body);
	const isGuess = workflow === undefined;
	const timeoutMs = timeLeft(session);
	const finished = { itemIndex: 0, requestId: request_id, madeBy, body, isWorkflow, isGuess };
	const options = { timeoutMs, downloadOutput, outputField };
	return await storeInlineFiles(session, { ...finished, fromHistory }, { options })
		.then(async (stored) => await finishedItem(session, stored, { simplify, options }))
		.catch((error: unknown) => {
			if (!isTransientFault(error)) throw error;
			return undefined;
		});
}

/** Whether the output looks like a workflow's. An ID alone doesn't show whether it belongs to a workflow. */
function hasNamedOutputs(body: StatusResponse): boolean {
	const output = parseOutput(body.output);
	return (
		Array.isArray(output) &&
		output.length > 0 &&
		output.every((entry) => isObject(entry) && typeof entry.keyname === 'string')
	);
}
