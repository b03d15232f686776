/** A dry run of an item: all that a run checks before it sends the request. It leaves nothing in the journal, and looks for no earlier request there. */
import type { IDataObject } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { formatUsd } from '../base/text';
import { stoppedFailure } from '../errors/failures';
import { say } from '../errors/say';
import { makeBody } from '../inputs/sentBody';
import type { Output } from '../journal/entry';
import { dropUndefined } from '../output/outputFields';
import { assertBalance, readBalance } from '../run/balance';
import { currentPrice, reserveInDryRun } from '../run/costLimit';
import type { Run } from '../run/run';
import { parseResult } from '../service/schemas';
import type { Submission } from './submission';

/**
 * Returns what a run would send for an item, and its expected cost in USD. Files have their names there. Uploads nothing, and makes no call that is charged.
 * @throws SegmindFailure if a run would not send it
 */
export async function dryRun(run: Run, submission: Submission): Promise<Output> {
	const { context, journal, events, signal } = run;
	const { itemIndex, slug, madeBy, inputs, options } = submission;
	await checkKey(run);
	if (signal?.aborted) throw stoppedFailure();
	await assertBalance(run, options.minimumBalance);
	const cost = await currentPrice(context, submission, signal);
	const { text } = await makeBody(run, inputs, 'show');
	const { maximumCost } = options;
	if (maximumCost !== undefined) {
		const id = `${journal.runIndex}:${itemIndex}`;
		reserveInDryRun(context, maximumCost, id, { slug, estimate: cost });
	}
	events.wouldSend(itemIndex, cost);
	const body = parseResult(text) as IDataObject;
	return { json: dropUndefined({ dry_run: true, ...madeBy, expected_cost: cost, body }) };
}

/** Reads the balance, which is free, for a hint. @throws SegmindFailure if the key is wrong */
async function checkKey(run: Run): Promise<void> {
	const balance = await readBalance(run).catch(ignoreUnlessFatal);
	if (!balance) return;
	run.events.addHint({ text: say`The balance of the account is ${formatUsd(balance.total)} USD.` });
}

/** Without Min Balance, a run doesn't read the balance. */
function ignoreUnlessFatal(error: unknown): undefined {
	if (error instanceof SegmindFailure && error.facts.fatal) throw error;
	return undefined;
}
