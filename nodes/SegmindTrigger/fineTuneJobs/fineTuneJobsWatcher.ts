import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { SegmindFailure } from '../../shared/base/failure';
import { rawBody } from '../../shared/output/finished';
import { emitsExisting, readWords } from '../parameters';
import type { Watcher } from '../watcher';
import { listJobs, type Job } from './jobList';
import { changesIn, jobStatuses, type JobStatuses } from './jobStatuses';

/** Fine-Tune Status Changed: jobs whose status changed to a chosen one; with none chosen, to any. */
export function fineTuneJobsWatcher(context: IPollFunctions): Watcher<JobStatuses> {
	const chosen = readWords(context, 'statuses');
	const emitExisting = emitsExisting(context);
	return {
		name: 'fineTuneStatusChanged',
		state: jobStatuses,
		async find(session, kept) {
			const jobs = await listJobs(session);
			const { changes, statuses } = changesIn(kept, jobs, chosen, emitExisting);
			return {
				state: statuses,
				items: changes.map((change) => itemOf(change, change.previous)),
			};
		},
		/** The jobs as they are; those with a chosen status, if any has one. */
		async sample(session) {
			const jobs = await listJobs(session);
			if (jobs.length === 0) throw noJobs();
			const matching = jobs.filter(({ status }) => chosen.length === 0 || chosen.includes(status));
			return (matching.length > 0 ? matching : jobs).map((job) => itemOf(job, null));
		},
	};
}

function itemOf({ id, status, body }: Job, previous: string | null): INodeExecutionData {
	return { json: { ...rawBody(body), finetune_id: id, status, previous_status: previous } };
}

function noJobs(): SegmindFailure {
	return new SegmindFailure({
		message: 'There is no fine-tune job to show',
		description:
			'The account of this credential has none. Segmind has deprecated fine-tuning and takes no new jobs.',
	});
}
