import { z } from 'zod';

/**
 * The last known status of each job, by id. Pure.
 *
 * A status that the user did not choose starts nothing, so n8n does not save it (docs/n8n.md N220). After a restart a job is compared with the
 * status saved last, and a chosen status that differs from it is emitted, once. A job that is missing from an answer is kept while there is
 * room, since answers may be incomplete.
 */
export type JobStatuses = Record<string, string>;

/** What n8n has stored, as this version writes it. */
export const jobStatuses = z.record(z.string());

/** A job whose status changed. */
type Changed<Job> = Job & {
	/** Its status before; null for a job not seen before. */
	previous: string | null;
};

const MOST_KEPT = 2_000;

/**
 * Compares the listed jobs, one entry an id, with the statuses kept.
 * @param chosen statuses that start the workflow; empty for all
 * @param emitExisting whether every job counts as changed at the first poll, when nothing was kept
 */
export function changesIn<Job extends { id: string; status: string }>(
	kept: JobStatuses | undefined,
	listed: readonly Job[],
	chosen: readonly string[],
	emitExisting: boolean,
): { changes: Array<Changed<Job>>; statuses: JobStatuses } {
	const before = new Map(Object.entries(kept ?? {}));
	const now = new Map(listed.map(({ id, status }) => [id, status]));
	const changes = listed.flatMap((job) => {
		const previous = before.get(job.id) ?? null;
		const isNew = kept === undefined ? emitExisting : previous !== job.status;
		const isChosen = chosen.length === 0 || chosen.includes(job.status);
		return isNew && isChosen ? [{ ...job, previous }] : [];
	});
	const missing = [...before].filter(([id]) => !now.has(id));
	const room = Math.max(0, MOST_KEPT - now.size);
	const keptMissing = room === 0 ? [] : missing.slice(-room);
	return { changes, statuses: Object.fromEntries([...keptMissing, ...now]) };
}
