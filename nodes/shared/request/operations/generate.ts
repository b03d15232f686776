import type { INodeExecutionData } from 'n8n-workflow';

import type { RunOptions } from '../../descriptions/options';
import { say } from '../../errors/say';
import { arrangedItems } from '../../output/arrangement';
import type { Item } from '../../run/item';
import type { Run } from '../../run/run';
import { dryRun } from '../dryRun';
import { runRequest } from '../lifecycle';
import type { Submission } from '../submission';

/** Adds a hint if n8n ends the execution before the node's timeout. */
export function warnOfWorkflowTimeout({ context, events }: Run, { timeoutMs }: RunOptions): void {
	const limit = Number(context.getWorkflowSettings?.().executionTimeout);
	const timeout = timeoutMs / 1_000;
	if (!(limit > 0 && limit < timeout)) return;
	const text = say`The workflow's own timeout of ${limit} s is shorter than this node's Timeout of ${timeout} s, so n8n may end the execution while a paid request is running. Increase the workflow's timeout or decrease the node's. If n8n ends the execution, the ID of the request is in the n8n log, and you can get the result with Get Result.`;
	events.addHint({ text });
}

/** A production execution that lasts longer gets a hint about ways that don't occupy a worker. */
const LONG_RUN_MS = 5 * 60_000;

const LONG_EXECUTION = say`This execution was active for more than five minutes. For long jobs, use a loop instead: it occupies no worker while the request runs, and survives a restart of n8n. Turn Wait for Completion off in this node, then add n8n's Wait (66 seconds or more), Get Result with Wait for Completion off, and an If that returns to Wait until status is COMPLETED. You can copy the loop from the "Long jobs" page of the documentation.`;

/** Makes what an item asks for. Adds a hint about a long run, but not in the editor or for agents: both wait for the result anyway. */
export async function generate(item: Item, submission: Submission): Promise<INodeExecutionData[]> {
	const { run } = item;
	const { options, presentation } = submission;
	if (options.dryRun) return arrangedItems(item, await dryRun(run, submission), presentation);
	if (submission.waits) warnOfWorkflowTimeout(run, options);
	try {
		return arrangedItems(item, await runRequest(run, submission), presentation);
	} finally {
		const canReturnUnfinished = submission.waits && submission.responds === 'reference';
		const isProduction = run.context.getMode() !== 'manual' && !run.isTool;
		if (canReturnUnfinished && isProduction && run.clock.now() - run.startedAt > LONG_RUN_MS)
			run.events.addHint({ text: LONG_EXECUTION });
	}
}
