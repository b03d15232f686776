import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { SegmindFailure } from '../shared/base/failure';
import { textOfMember } from '../shared/base/text';
import { CAUSES } from '../shared/errors/errorTable';
import { failureOf } from '../shared/errors/failures';
import { renameError } from '../shared/output/finishedItem';
import { readManaged } from '../shared/manage/managedCalls';
import { unusableFailure } from '../shared/service/responseErrors';
import { jsonOf } from '../shared/service/responses';
import { joinUrl } from '../shared/service/origins';
import { listOrEmpty, isObject, isRequestId } from '../shared/service/schemas';
import { emitsExisting, readWords } from './parameters';
import type { PollSession } from './pollSession';
import type { Watcher } from './watcher';

/**
 * The last known status of each job, as pairs instead of an object, because an ID may be `__proto__`. After a restart of n8n it's the last saved state
 * (docs/n8n.md N220), and a chosen status that differs from it is emitted once.
 */
export type JobStatuses = Array<[id: string, status: string]>;

/** The schema of the stored state. */
export const jobStatuses = z.array(z.tuple([z.string(), z.string()]));

/** A fine-tune job of the account. */
interface Job {
	id: string;
	/** The status in capitals. */
	status: string;
	/** The job as the service lists it. */
	body: Record<string, unknown>;
}

/** A job whose status changed. */
type ChangedJob<T> = T & {
	/** Its earlier status; null for a new job. */
	previous: string | null;
};

/** At most this many jobs are watched: the first ones in the account's list. */
const MAX_JOBS = 2_000;

/** Returns the watcher for Fine-Tune Status Changed: emits jobs whose status changed to a chosen one or, without a choice, to any other. */
export function fineTuneJobsWatcher(context: IPollFunctions): Watcher<JobStatuses> {
	const chosen = readWords(context, 'statuses');
	const emitExisting = emitsExisting(context);
	return {
		name: 'fineTuneStatusChanged',
		state: jobStatuses,
		async find(session, storedState) {
			const jobs = await listJobs(session);
			const { changes, statuses } = findChanges(storedState, jobs, chosen, emitExisting);
			return {
				state: statuses,
				items: changes.map((change) => itemOf(change, change.previous)),
			};
		},
		/** Returns the jobs with a chosen status or, if there are none, all jobs. */
		async sample(session) {
			const jobs = await listJobs(session);
			if (jobs.length === 0) throw noJobsFailure();
			const matching = jobs.filter(({ status }) => chosen.length === 0 || chosen.includes(status));
			return (matching.length > 0 ? matching : jobs).map((job) => itemOf(job, null));
		},
	};
}

function itemOf({ id, status, body }: Job, previous: string | null): INodeExecutionData {
	return { json: { ...renameError(body), finetune_id: id, status, previous_status: previous } };
}

function noJobsFailure(): SegmindFailure {
	return failureOf('other', CAUSES.noFineTuneJobs);
}

/**
 * Lists the jobs with GET /finetune/request/list (docs/service.md S342), which returns a list, or an object that contains one. Leaves out jobs without
 * an ID; of several entries with the same ID, the last one counts.
 * @throws SegmindFailure if there is no list
 */
async function listJobs({ client }: PollSession): Promise<Job[]> {
	const subject = 'the list of fine-tune jobs';
	const url = joinUrl(client.urls.baseUrl, '/finetune/request/list');
	const response = await readManaged({ client }, { method: 'GET', url }, subject);
	const body = jsonOf(response);
	if (!Array.isArray(body) && !isObject(body))
		throw unusableFailure(client, response, { purpose: 'manage', subject });
	const jobs = listOrEmpty(body).filter(isObject).map(jobOf);
	// ID and status are stored, so neither may be long.
	const usableJobs = jobs.filter(({ id, status }) => id !== '' && [id, status].every(isRequestId));
	return [...new Map(usableJobs.map((job) => [job.id, job])).values()];
}

function jobOf(body: Record<string, unknown>): Job {
	return {
		id: textOfMember(body, 'finetune_id', 'id'),
		status: textOfMember(body, 'status').toUpperCase(),
		body,
	};
}

/**
 * Compares the listed jobs, one entry per ID, with the stored statuses.
 * @param chosen statuses that start the workflow; empty for all
 * @param emitExisting whether every job counts as changed at the first poll
 */
export function findChanges<T extends { id: string; status: string }>(
	storedState: JobStatuses | undefined,
	listed: readonly T[],
	chosen: readonly string[],
	emitExisting: boolean,
): { changes: Array<ChangedJob<T>>; statuses: JobStatuses } {
	const before = new Map(storedState);
	const jobs = listed.slice(0, MAX_JOBS);
	const now = new Map(jobs.map(({ id, status }) => [id, status]));
	const changes = jobs.flatMap((job) => {
		const previous = before.get(job.id) ?? null;
		const isNew = storedState === undefined ? emitExisting : previous !== job.status;
		const isChosen = chosen.length === 0 || chosen.includes(job.status);
		return isNew && isChosen ? [{ ...job, previous }] : [];
	});
	const missing = [...before].filter(([id]) => !now.has(id));
	return { changes, statuses: [...now, ...missing].slice(0, MAX_JOBS) };
}
