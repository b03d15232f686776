import type { Output } from '../../journal/entry';
import { fill } from '../../errors/failures';
import { HINTS } from '../../errors/hintTable';
import type { Presentation } from '../../output/presentation';
import { textIn } from '../../parameters/values';
import { readOutputFormat } from '../../inputs/answerFormat';
import { replacesFields } from '../../inputs/readInputs';
import { readWaitForCompletion, type Options } from '../../run/readOptions';
import type { Item } from '../../run/item';
import type { Run } from '../../run/run';
import { runRequest } from '../lifecycle';
import type { Submission } from '../submission';

/** Reads the presentation parameters of an item. Adds a hint if n8n ends the execution before our timeout. */
export function readPresentation(
	item: Item,
	{ timeoutMs, downloadOutput, outputField }: Options,
): Presentation {
	const { run, parameters } = item;
	const limit = Number(run.context.getWorkflowSettings?.().executionTimeout);
	const waits = readWaitForCompletion(item);
	if (waits && limit > 0 && limit * 1_000 < timeoutMs) {
		const timeout = timeoutMs / 1_000;
		run.report.addHint({ text: fill(HINTS.workflowTimeout, { limit, timeout }) });
	}
	return {
		simplify: parameters.isOn('simplify'),
		makes: undefined,
		isTranscript: false,
		isJson: readOutputFormat(item) === 'json',
		prompt: replacesFields(item) ? '' : textIn(parameters.value('prompt')),
		downloadsFiles: downloadOutput ?? !run.isTool,
		outputField,
		timeoutMs,
	};
}

/** A production execution that lasts longer gets a hint about ways that don't occupy a worker. */
const LONG_RUN_MS = 5 * 60_000;

/** Makes what an item asks for. Adds a hint about a long run, but not in the editor or for agents: both wait for the result anyway. */
export async function generate(run: Run, generation: Submission): Promise<Output> {
	try {
		return await runRequest(run, generation);
	} finally {
		const canReturnUnfinished = generation.waits && generation.responds === 'reference';
		const isProduction = run.context.getMode() !== 'manual' && !run.isTool;
		if (canReturnUnfinished && isProduction && run.clock.now() - run.startedAt > LONG_RUN_MS)
			run.report.addHint({ text: HINTS.longExecution });
	}
}
