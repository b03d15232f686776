import { SegmindFailure } from '../base/failure';
import type { RunSession } from './session';

/** Leaves at once when the execution is stopped; the work itself goes on, so that the id of a submission is logged. */
export async function untilStopped<T>(
	{ signal }: Pick<RunSession, 'signal'>,
	work: Promise<T>,
	consequence = 'If Segmind accepts it, its request ID appears in the n8n log; it runs on and is charged if it completes.',
): Promise<T> {
	if (!signal) return await work;
	let leave: () => void = () => {};
	const left = new Promise<never>((_resolve, reject) => {
		leave = () =>
			reject(
				new SegmindFailure({
					message: 'The execution was stopped while a request was being sent',
					description: consequence,
					stopped: true,
				}),
			);
	});
	signal.addEventListener('abort', leave, { once: true });
	// Once left, nobody waits for the outcome any more; an acceptance has been journalled and logged.
	work.catch(() => undefined);
	try {
		return await Promise.race([work, left]);
	} finally {
		signal.removeEventListener('abort', leave);
	}
}
