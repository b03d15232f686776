import type { INodeExecutionData } from 'n8n-workflow';

import { fill } from '../../errors/failures';
import { HINTS } from '../../errors/hintTable';
import { textIn } from '../../inputs/values';
import type { Presentation } from '../../output/presentation';
import { readWaitForCompletion, type Options } from '../../run/options';
import type { Session } from '../../run/session';
import { runRequest } from '../lifecycle';
import type { Submission } from '../submission';

/** Reads the presentation parameters of an item. Adds a hint if n8n ends the execution before our timeout. */
export function readPresentation(
	session: Session,
	itemIndex: number,
	{ timeoutMs, downloadOutput, outputField }: Options,
): Presentation {
	const limit = Number(session.context.getWorkflowSettings?.().executionTimeout);
	const waits = readWaitForCompletion(session.context, itemIndex);
	if (waits && limit > 0 && limit * 1_000 < timeoutMs) {
		const timeout = timeoutMs / 1_000;
		session.hints.add(fill(HINTS.workflowTimeout, { limit, timeout }));
	}
	return {
		simplify: session.context.getNodeParameter('simplify', itemIndex, true) !== false,
		makes: undefined,
		isTranscript: false,
		isJson: session.context.getNodeParameter('outputFormat', itemIndex, 'text') === 'json',
		prompt: textIn(session.context.getNodeParameter('prompt', itemIndex, '')),
		downloadsFiles: downloadOutput ?? !session.isTool,
		outputField,
		timeoutMs,
	};
}

/** A production execution that lasts longer gets a hint about ways that don't occupy a worker. */
const LONG_RUN_MS = 5 * 60_000;

/** Makes what an item asks for. Adds a hint about a long run, but not in the editor or for agents: both wait for the result anyway. */
export async function generate(
	session: Session,
	generation: Submission,
): Promise<INodeExecutionData> {
	try {
		return await runRequest(session, generation);
	} finally {
		const canReturnUnfinished = generation.waits && generation.responds === 'reference';
		const isProduction = session.context.getMode() !== 'manual' && !session.isTool;
		if (
			canReturnUnfinished &&
			isProduction &&
			session.clock.now() - session.startedAt > LONG_RUN_MS
		)
			session.hints.add(HINTS.longExecution);
	}
}
