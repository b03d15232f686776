import { z } from 'zod';

/**
 * Whose status changed. Pure.
 *
 * Kept is the last known status of each job. Statuses the user did not choose start nothing and so are not saved by n8n; after a restart a job is
 * compared with the status saved last, and a chosen status that differs from it is emitted, once. Bounded: jobs that left the list are kept (an
 * answer may lack some) while there is room, 2,000 in all.
 */
export type JobStatuses = Record<string, string>;

/** What n8n has stored, as this version writes it. */
export const jobStatuses = z.record(z.string());

export interface JobChange {
	id: string;
	status: string;
	previous: string | null;
}

const MOST_KEPT = 2_000;

export function changesIn(
	kept: JobStatuses | undefined,
	listed: Array<{ id: string; status: string }>,
	chosen: readonly string[],
	emitExisting: boolean,
): { changes: JobChange[]; statuses: JobStatuses } {
	const before = new Map(Object.entries(kept ?? {}));
	const now = new Map(listed.map(({ id, status }) => [id, status]));
	const changes = [...now].flatMap(([id, status]) => {
		const previous = before.get(id) ?? null;
		const isNews = kept === undefined ? emitExisting : previous !== status;
		return isNews && (chosen.length === 0 || chosen.includes(status))
			? [{ id, status, previous }]
			: [];
	});
	const gone = [...before].filter(([id]) => !now.has(id));
	const room = Math.max(0, MOST_KEPT - now.size);
	const keptGone = room === 0 ? [] : gone.slice(-room);
	return { changes, statuses: Object.fromEntries([...keptGone, ...now]) };
}
