import { CAUSES, type Row } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import type { RunSession } from './session';

/** Leaves at once when the execution is stopped; the work itself goes on, so that the id of a submission is logged. */
export async function untilStopped<T>(
	{ signal }: Pick<RunSession, 'signal'>,
	work: Promise<T>,
	row: Row = CAUSES.stoppedSending,
): Promise<T> {
	if (!signal) return await work;
	let leave: () => void = () => {};
	const left = new Promise<never>((_resolve, reject) => {
		leave = () => reject(failureOf('stopped', row, {}, { charge: 'unknown' }));
	});
	signal.addEventListener('abort', leave, { once: true });
	// Once left, nobody waits for the outcome any more; an acceptance has been journaled and logged.
	work.catch(() => undefined);
	try {
		return await Promise.race([work, left]);
	} finally {
		signal.removeEventListener('abort', leave);
	}
}
