import { CAUSES, type ErrorRow } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import type { RunSession } from './session';

/**
 * Waits for the work. The work goes on after Stop, so that the ID of a submission gets logged.
 * @throws SegmindFailure as soon as the execution is stopped
 */
export async function raceWithStop<T>(
	{ signal }: Pick<RunSession, 'signal'>,
	work: Promise<T>,
	row: ErrorRow = CAUSES.stoppedSending,
): Promise<T> {
	if (!signal) return await work;
	let rejectOnStop: () => void = () => {};
	const stop = new Promise<never>((_resolve, reject) => {
		rejectOnStop = () => reject(failureOf('stopped', row, {}, { charge: 'unknown' }));
	});
	signal.addEventListener('abort', rejectOnStop, { once: true });
	// After Stop nobody waits for the outcome, so a later rejection must not count as unhandled. The journal and the log have the acceptance.
	work.catch(() => undefined);
	try {
		return await Promise.race([work, stop]);
	} finally {
		signal.removeEventListener('abort', rejectOnStop);
	}
}
