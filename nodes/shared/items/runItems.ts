import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { FailureFacts } from '../base/failure';
import { redact } from '../base/redact';
import { DEFAULT_MAX_CONCURRENCY, readOption, RUN_OPTIONS } from '../descriptions/options';
import { badInput } from '../errors/failures';
import { say } from '../errors/say';
import { evaluationFailure } from '../parameters/evaluation';
import { itemAt, type Item } from '../run/item';
import {
	isCalledByAgent,
	isRunByEngineForAgent,
	openRun,
	type NodeRun,
	type Run,
} from '../run/run';
import { errorMemberOf, factsOf, factsOfFailedItem, inputFieldsOf, messageOf } from './itemErrors';
import { showHints } from './hints';
import { errorOfRun, failedItemsOf, succeededItemsOf, type ItemEnd } from './runError';

/** A node's work for one item, which makes one item or a list. Throws SegmindFailure, or n8n's error for a wrong expression. */
export type ItemWork<AnyItem = Item> = (
	item: AnyItem,
) => Promise<INodeExecutionData | INodeExecutionData[]>;

/**
 * Runs a node's work for all its items, up to Max Items at Once at a time. Waits until every item has ended, so that one bad item never wastes the others.
 * `properties` are the parameters in the node's description. Under a Continue mode, failures become items; under Stop, one error lists them. If the
 * engine runs the node for an agent, the error is thrown in any mode, because n8n passes its message to the agent. If an agent calls the node itself, a
 * thrown error would get lost, so it becomes an item.
 */
export async function runItems(
	context: IExecuteFunctions,
	properties: readonly INodeProperties[],
	work: ItemWork,
): Promise<INodeExecutionData[][]> {
	const count = context.getInputData().length;
	let run: Run | undefined;
	let ends: ItemEnd[];
	try {
		run = await openRun(context, properties);
		ends = await runAll(run, count, work);
	} catch (error) {
		// Nothing was sent: the execution was stopped before, or the credential or an option for all items is wrong.
		const failed = factsOf(error, redact);
		ends = new Array<ItemEnd>(count).fill({ failed });
	}
	return endRun(context, ends, run);
}

/** Ends the run of a node, all of whose items have ended: reports it, closes the journal, and returns the items that leave the node, or throws. */
export function endRun(
	context: IExecuteFunctions,
	ends: ItemEnd[],
	run: NodeRun | undefined,
): INodeExecutionData[][] {
	const failedItems = failedItemsOf(ends);
	const hasFailures = failedItems.length > 0;
	const isStopped = failedItems.some(({ facts }) => facts.kind === 'stopped');
	const isAgentCall = isCalledByAgent(context);
	const returnsErrors =
		isAgentCall || (context.continueOnFail() && !isRunByEngineForAgent(context));
	// n8n discards the output of a stopped run. An error keeps its finished items for the next run in the editor.
	const throwsError = hasFailures && (isStopped || !returnsErrors);
	showHints(context, ends, run);
	if (run) {
		const delivered = new Set(succeededItemsOf(ends));
		// After a failed first item, n8n 1.85 uses up all tries, even after one in which all succeeded.
		const mayRunAgain = run.node.retryOnFail === true && returnsErrors;
		run.journal.end({ delivered, throwsError, mayRunAgain });
	}
	if (throwsError) throw errorOfRun(context, ends, run);
	return [
		ends.flatMap((end, at) => {
			const items = 'items' in end ? end.items : [failedItem(context, at, end.failed)];
			return items.map((item) => ({ ...item, pairedItem: { item: at } }));
		}),
	];
}

/** Returns the item that a failure becomes. For an agent that calls the node itself, the error is a text. */
function failedItem(
	context: IExecuteFunctions,
	at: number,
	failed: FailureFacts,
): INodeExecutionData {
	const error = isCalledByAgent(context) ? messageOf(failed, true) : errorMemberOf(failed);
	return { json: { error, ...inputFieldsOf(context, at) } };
}

/** Returns the first item's Max Items at Once. A wrong one fails each item that has it, so here the default counts. */
function maxConcurrencyOf(run: Run): number {
	try {
		return readOption(itemAt(run, 0).parameters, RUN_OPTIONS.maxConcurrency);
	} catch {
		return DEFAULT_MAX_CONCURRENCY;
	}
}

async function runAll(run: Run, count: number, work: ItemWork): Promise<ItemEnd[]> {
	const ends: ItemEnd[] = new Array<ItemEnd>(count);
	let nextIndex = 0;
	const worker = async () => {
		while (nextIndex < count) {
			const at = nextIndex;
			nextIndex++;
			try {
				const item = itemAt(run, at);
				readOption(item.parameters, RUN_OPTIONS.maxConcurrency);
				await assertSameCredential(run, at);
				ends[at] = { items: [await work(item)].flat() };
			} catch (error) {
				ends[at] = { failed: factsOfFailedItem(run, at, error) };
			}
		}
	};
	const workers = Math.min(maxConcurrencyOf(run), count);
	await Promise.all(Array.from({ length: workers }, worker));
	return ends;
}

/**
 * Makes sure that an item has the run's credential, which is the first item's: an expression in the credential may choose another one for each item, whose
 * owner would pay.
 * @throws SegmindFailure if the key or an address differs from the first item's
 */
export async function assertSameCredential(run: NodeRun, index: number): Promise<void> {
	if (index === 0 || (await hasSameCredential(run, index))) return;
	// A refresh of the session between the two readings makes them differ once.
	if (await hasSameCredential(run, index)) return;
	throw badInput(
		say`This item has another credential than the first item, but all items of a run must have the same`,
		say`Add the node Loop Over Items with a batch size of 1 before this node.`,
	);
}

async function hasSameCredential(run: NodeRun, index: number): Promise<boolean> {
	try {
		const own = run.credentialOf(index);
		const first = run.credentialOf(0);
		return (await own) === (await first);
	} catch (error) {
		throw evaluationFailure({ label: 'the credential', isSecret: true }, error, run.redact);
	}
}
