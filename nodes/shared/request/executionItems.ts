/** What the output items of executions need beyond a result. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { Output } from '../journal/entry';
import { uploadFiles } from '../media/uploadFiles';
import { dropUndefined } from '../output/outputFields';
import type { UploadForAgent } from '../output/makeOutput';
import type { OutputSpec } from '../output/presentation';
import type { Run } from '../run/run';
import { FIRST_STATUS, type AcceptedRequest } from './poll/acceptedRequest';

/** Returns how an agent, which can't receive files, gets their URLs (docs/n8n.md N211); undefined if no agent gets the item. */
export function agentUploader(run: Run): UploadForAgent | undefined {
	if (!run.isTool) return undefined;
	return async (files) => await uploadFiles(run, files);
}

/**
 * Makes the output of an unfinished request. It has everything that Get Result needs later, in any process. A loop in the user's workflow ends on
 * COMPLETED, so a request whose result could not be read yet doesn't show that.
 */
export function unfinishedOutput(
	{ madeBy }: Pick<OutputSpec, 'madeBy'>,
	{ ref, status = FIRST_STATUS }: AcceptedRequest,
): Output {
	const { request_id, submitted_at, poll_url, status_url, response_url } = ref;
	const addresses = { poll_url, status_url, response_url };
	const shownStatus = status.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : status;
	const json = { request_id, status: shownStatus, submitted_at, ...madeBy, ...addresses };
	return { json: dropUndefined(json) };
}

/** Whether the stored files still exist: n8n may have pruned the execution that stored them. */
export async function binariesExist(
	{ context }: Run,
	binary: INodeExecutionData['binary'],
): Promise<boolean> {
	const ids = Object.values(binary ?? {}).flatMap(({ id }) => (id === undefined ? [] : [id]));
	try {
		await Promise.all(ids.map(async (id) => await context.helpers.getBinaryMetadata(id)));
		return true;
	} catch (error) {
		context.logger.debug(
			`Segmind: a stored file of an earlier attempt no longer exists (${(error as Error).message}); fetching it again`,
		);
		return false;
	}
}
