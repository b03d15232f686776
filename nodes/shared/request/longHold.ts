import type { Session } from '../run/session';

/** A production execution that held its worker for longer is told of ways that hold none, ms. */
const LONG_HOLD_MS = 5 * 60_000;

/** Does the work of an item that is waited for. Who watches in the editor, or an agent that needs the answer, has to wait anyway. */
export async function hintingLongHold<T>(session: Session, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} finally {
		const isProduction = session.context.getMode() !== 'manual' && !session.isTool;
		if (isProduction && session.clock.now() - session.startedAt > LONG_HOLD_MS)
			session.hints.add(
				'This execution held its worker for more than five minutes. With Submit, n8n\'s Wait and Get Result in a loop it need hold none, and survives a restart of n8n: see the page "Long jobs" in the documentation of this package (docs/long-jobs.md), which has workflows to paste.',
			);
	}
}
