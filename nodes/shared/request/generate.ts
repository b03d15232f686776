import type { INodeExecutionData } from 'n8n-workflow';

import type { Presentation } from '../output/finished';
import type { Session } from '../run/session';
import { withLongRunHint } from './longRunHint';
import { runToEnd, submitOnly, type Generation } from './runToEnd';

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
