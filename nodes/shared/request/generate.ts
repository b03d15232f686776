import type { INodeExecutionData } from 'n8n-workflow';

import type { Presentation } from '../output/finished';
import type { Session } from '../run/session';
import { runToEnd, submitOnly, type Generation } from './runToEnd';

/** After this long on a worker, ms, a production execution gets a hint about ways that keep no place there. */
const LONG_RUN_MS = 5 * 60_000;

/** Makes what an item asks for, and waits for it; with Wait for Completion off it gives the request instead. */
export async function generate(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { context } = session;
	if (context.getNodeParameter('waitForCompletion', generation.itemIndex, true) === false)
		return await submitOnly(session, generation, presentation);
	return await withLongRunHint(
		session,
		async () => await runToEnd(session, generation, presentation),
	);
}

/** Does the work of an item that is waited for. Who watches in the editor, or an agent that needs the answer, has to wait anyway. */
async function withLongRunHint<T>(session: Session, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} finally {
		const isProduction = session.context.getMode() !== 'manual' && !session.isTool;
		if (isProduction && session.clock.now() - session.startedAt > LONG_RUN_MS)
			session.hints.add(
				'This execution was active for more than five minutes. A loop is not active while the request runs, and survives a restart of n8n: this node with Wait for Completion off, n8n\'s Wait set to 66 seconds or more, Get Result with Wait for Completion off, then an If that goes back to Wait until status is COMPLETED. The page "Long jobs" in the documentation of this package has it ready to paste.',
			);
	}
}
