import type { INodeExecutionData } from 'n8n-workflow';

import { textIn } from '../../inputs/values';
import type { Presentation } from '../../output/finishedRequest';
import { readOptions } from '../../run/options';
import type { Session } from '../../run/session';
import { runRequest } from '../lifecycle';
import type { Generation } from '../rules/submission';

/** Options and `simplify` of an item; warns once when n8n itself would end the execution before our time-out. */
export function readPresentation(session: Session, itemIndex: number): Presentation {
	const options = readOptions(session.context, itemIndex);
	const limit = Number(session.context.getWorkflowSettings?.().executionTimeout);
	if (limit > 0 && limit * 1_000 < options.timeoutMs) {
		session.hints.add(
			`The workflow's own timeout of ${limit} s is shorter than this node's Timeout of ${options.timeoutMs / 1_000} s: n8n may end the execution while a paid request is running. Raise the workflow's or lower the node's. If it does, the ID is in the n8n log, and Get Result fetches it.`,
		);
	}
	return {
		simplify: session.context.getNodeParameter('simplify', itemIndex, true) !== false,
		options,
		prompt: textIn(session.context.getNodeParameter('prompt', itemIndex, '')),
		input: options.includeInputItem ? session.items[itemIndex].json : undefined,
	};
}

/** After this long on a worker, ms, a production execution gets a hint about ways that keep no place there. */
const LONG_RUN_MS = 5 * 60_000;

/** Makes what an item asks for. Who watches in the editor, or an agent that needs the answer, has to wait anyway. */
export async function generate(
	session: Session,
	generation: Generation,
): Promise<INodeExecutionData> {
	try {
		return await runRequest(session, generation);
	} finally {
		const mayLeave = generation.waits && generation.responds === 'reference';
		const isProduction = session.context.getMode() !== 'manual' && !session.isTool;
		if (mayLeave && isProduction && session.clock.now() - session.startedAt > LONG_RUN_MS)
			session.hints.add(
				'This execution was active for more than five minutes. A loop is not active while the request runs, and survives a restart of n8n: this node with Wait for Completion off, n8n\'s Wait set to 66 seconds or more, Get Result with Wait for Completion off, then an If that goes back to Wait until status is COMPLETED. The page "Long jobs" in the documentation of this package has it ready to paste.',
			);
	}
}
