import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { textOfMember } from '../shared/base/text';
import { readManaged } from '../shared/manage/managedCalls';
import { listedItems } from '../shared/output/managedItems';
import { joinUrl } from '../shared/service/addresses';
import { isRequestId } from '../shared/service/schemas';
import { nothingToShow } from './faults';
import type { PollRun } from './pollRun';
import { isChosen, readStatuses, type Watcher } from './watcher';

/**
 * The last known status of each job, as pairs instead of an object, because an ID may be `__proto__`. After a restart of n8n it's the last saved state
 * (docs/n8n.md N220), and a chosen status that differs from it is emitted once.
 */
const jobStatuses = z.array(z.tuple([z.string(), z.string()]));
type JobStatuses = z.infer<typeof jobStatuses>;

/** At most this many jobs are watched: the first ones in the account's list. */
const MAX_JOBS = 2_000;

/** Returns the watcher for Fine-Tune Status Changed: emits jobs whose status changed to a chosen one or, without a choice, to any other. */
export function fineTuneJobsWatcher(context: IPollFunctions): Watcher<JobStatuses> {
	const chosen = readStatuses(context, 'statuses');
	const matches = ({ status }: Job) => isChosen(chosen, status);
	return {
		name: 'fineTuneStatusChanged',
		state: jobStatuses,
		async find(run, stored) {
			const before = new Map(stored);
			const jobs = await listJobs(run);
			const isNew = ({ id, status }: Job) => stored && before.get(id) !== status;
			const changed = jobs.filter((job) => isNew(job) && matches(job));
			const now = new Map(jobs.map(({ id, status }) => [id, status]));
			const unlisted = [...before].filter(([id]) => !now.has(id));
			return {
				state: [...now, ...unlisted].slice(0, MAX_JOBS),
				items: changed.map((job) => jobItem(job, before.get(job.id) ?? null)),
			};
		},
		/** Returns the jobs with a chosen status or, if there are none, all jobs. */
		async sample(run) {
			const jobs = await listJobs(run);
			if (jobs.length === 0) throw nothingToShow('other', 'fine-tune job');
			const matching = jobs.filter(matches);
			return (matching.length > 0 ? matching : jobs).map((job) => jobItem(job, null));
		},
	};
}

/** A fine-tune job of the account. */
interface Job extends INodeExecutionData {
	id: string;
	/** The status in capitals. */
	status: string;
}

function jobItem({ id, status, json }: Job, previous: string | null): INodeExecutionData {
	return { json: { ...json, finetune_id: id, status, previous_status: previous } };
}

/**
 * Lists the jobs (docs/service.md S342). Leaves out jobs without an ID; of several entries with the same ID, the last one counts.
 * @throws SegmindFailure if there is no list
 */
async function listJobs({ client }: PollRun): Promise<Job[]> {
	const subject = 'the call for the list of fine-tune jobs';
	const url = joinUrl(client.urls.baseUrl, '/finetune/request/list');
	const response = await readManaged({ client }, { method: 'GET', url }, subject);
	const jobs = listedItems(client, response, subject).map(({ json }) => ({
		id: textOfMember(json, 'finetune_id', 'id'),
		status: textOfMember(json, 'status').toUpperCase(),
		json,
	}));
	// ID and status are stored, so neither may be long.
	const usable = jobs.filter(({ id, status }) => id !== '' && [id, status].every(isRequestId));
	return [...new Map(usable.map((job) => [job.id, job])).values()].slice(0, MAX_JOBS);
}
