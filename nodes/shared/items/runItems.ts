import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { CHARGE, errorForN8n, SegmindFailure, type FailureFacts } from '../base/failure';
import { oneLine } from '../base/readable';
import { redact } from '../base/redact';
import { usd } from '../base/text';
import { memory } from '../journal/memory';
import { readMaxConcurrency } from '../run/options';
import {
	isCalledByAgent,
	isRunByEngineForAgent,
	isToolUse,
	openSession,
	type RunSession,
	type Session,
} from '../run/session';

type ItemOutcome = { items: INodeExecutionData[] } | { failed: FailureFacts };

/** What a node does for one item: one item, or a list. Throws SegmindFailure (or what n8n throws for a bad expression). */
export type ItemWork<S extends RunSession = Session> = (
	session: S,
	itemIndex: number,
) => Promise<INodeExecutionData | INodeExecutionData[]>;

/**
 * Runs a node's work for all its items, as many at a time as `maxConcurrency` says, and settles every one before it reports: one bad item never
 * wastes the others. `properties` are those of the node's description. Under a Continue mode failures are items, under Stop one error lists them.
 * Of a tool that the engine runs for an agent, n8n hands a thrown error on as text whatever the mode; where an agent calls the tool itself it would
 * get lost, and is an item.
 */
export async function runItems(
	context: IExecuteFunctions,
	properties: readonly INodeProperties[],
	work: ItemWork,
): Promise<INodeExecutionData[][]> {
	return await runItemsIn(context, async () => await openSession(context, properties), work);
}

/** The same for a session of another credential. */
export async function runItemsIn<S extends RunSession>(
	context: IExecuteFunctions,
	open: () => Promise<S>,
	work: ItemWork<S>,
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const startedAt = Date.now();
	let session: S | undefined;
	let outcomes: ItemOutcome[];
	try {
		session = await open();
		if (session.journal.remembers) memory.begin(session.journal.remembers);
		outcomes = await settleAll(session, items.length, readMaxConcurrency(context), work);
	} catch (error) {
		// Nothing was sent: the execution was stopped before it began, or the credential or an option for all items is bad.
		const failed = factsOf(error, (text) => redact(text));
		outcomes = items.map(() => ({ failed }));
	}
	const stop = outcomes.find(
		(outcome): outcome is { failed: FailureFacts } =>
			'failed' in outcome && outcome.failed.kind === 'stopped',
	);
	const failures = outcomes.some((outcome) => 'failed' in outcome);
	const isCalled = isCalledByAgent(context);
	const asItems = isCalled || (context.continueOnFail() && !isRunByEngineForAgent(context));
	const throws = failures && (stop !== undefined || !asItems);
	if (session) {
		settleJournal(session, outcomes, throws);
		report(session, outcomes, Date.now() - startedAt);
	}
	for (const [at, outcome] of outcomes.entries())
		if ('failed' in outcome)
			context.logger.debug(`Segmind item ${at} failed (execution ${context.getExecutionId()})`, {
				...outcome.failed,
			});
	if (throws) throw listedError(context, outcomes, session);
	const errorOf = (failed: FailureFacts) =>
		isCalled ? messageFor(failed, true) : errorMember(failed);
	return [
		outcomes.flatMap((outcome, at) =>
			'items' in outcome
				? outcome.items.map((item) => ({ ...item, pairedItem: { item: at } }))
				: [{ json: { error: errorOf(outcome.failed) }, pairedItem: { item: at } }],
		),
	];
}

/**
 * What left the node as a good item is made again when it is asked for again. The journal of the run goes when nothing of it can be retried: all went
 * well, or failures left as items and n8n does not run the node again because of them.
 */
function settleJournal(session: RunSession, outcomes: ItemOutcome[], throws: boolean): void {
	const { journal, node } = session;
	const failures = outcomes.some((outcome) => 'failed' in outcome);
	const mayRunAgain = failures && node.retryOnFail === true;
	if (!throws)
		for (const [at, outcome] of outcomes.entries())
			if ('items' in outcome) journal.of(at).delivered();
	if (!throws && !mayRunAgain) journal.clearRun();
	if (journal.remembers) memory.end(journal.remembers, mayRunAgain);
}

async function settleAll<S extends RunSession>(
	session: S,
	count: number,
	width: number,
	work: ItemWork<S>,
): Promise<ItemOutcome[]> {
	const outcomes: ItemOutcome[] = new Array<ItemOutcome>(count);
	let next = 0;
	const worker = async () => {
		for (let at = next++; at < count; at = next++) {
			try {
				outcomes[at] = { items: [await work(session, at)].flat() };
			} catch (error) {
				const facts = factsOf(error, session.redact);
				const known = session.requestIds.has(at)
					? withRequestId(facts, session.requestIds.get(at))
					: withoutRequest(facts);
				const failed = withRetryNote(known, session.context);
				const isHeld = session.isTool && session.journal.of(at).entry !== undefined;
				outcomes[at] = { failed: isHeld ? withNewRequestNote(failed) : failed };
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
	return outcomes;
}

function factsOf(error: unknown, clean: (text: string) => string): FailureFacts {
	if (error instanceof SegmindFailure) return error.facts;
	const { message, description } = error as { message?: string; description?: string | null };
	return new SegmindFailure('other', {
		message: clean(message || String(error)),
		description: clean(description || ''),
	}).facts;
}

/** Every error of an item whose request was accepted names that request, whatever went wrong afterwards. */
function withRequestId(failed: FailureFacts, requestId: string | undefined): FailureFacts {
	const description = failed.description || CHARGE.acceptedIfCompletes;
	if (requestId === undefined) return { ...failed, description };
	const shownId = oneLine(requestId);
	const message = failed.message.includes(shownId)
		? failed.message
		: `${failed.message} (request ${shownId})`;
	return { ...failed, message, description, requestId: failed.requestId ?? requestId };
}

function withoutRequest(failed: FailureFacts): FailureFacts {
	const description = failed.description || 'Nothing is known to have been sent for this item.';
	return { ...failed, description };
}

/** What a retry does. n8n offers none in a called workflow, which begins anew (docs/n8n.md N139), nor where failures leave as items. */
function withRetryNote(failed: FailureFacts, context: IExecuteFunctions): FailureFacts {
	const { retry, description, requestId, candidates } = failed;
	if (retry === undefined) return failed;
	const known =
		requestId !== undefined || candidates !== undefined
			? 'use Get Result with the request ID in that case'
			: 'look at the request history in the Segmind console first';
	const note =
		isCalledWorkflow(context) || context.continueOnFail()
			? `A workflow that tries again by itself sends a new request. To avoid paying twice, ${known}.`
			: retry;
	return { ...failed, description: `${description} ${note}` };
}

function isCalledWorkflow(context: IExecuteFunctions): boolean {
	return context.getMode() === 'integrated';
}

/** The text means n8n's retries; a model that calls the tool again sends, and pays for, a new request. */
function withNewRequestNote(failed: FailureFacts): FailureFacts {
	return {
		...failed,
		description: `${failed.description} Calling this tool again is not a retry: it sends a new request.`,
	};
}

/** Agents see nothing but the message (docs/n8n.md N211). */
function messageFor(failed: FailureFacts, isTool: boolean): string {
	return isTool ? `${failed.message.replace(/\.$/, '')}. ${failed.description}` : failed.message;
}

function errorMember(failed: FailureFacts): IDataObject {
	const { httpCode, requestId, message, description, outcomeUnknown } = failed;
	const status = outcomeUnknown ? 'UNKNOWN' : failed.status;
	return {
		message,
		description,
		...(httpCode === undefined ? {} : { httpCode }),
		...(requestId === undefined ? {} : { request_id: requestId }),
		...(status === undefined ? {} : { status }),
	};
}

/** The one error of a run under Stop: every failed item with its request id, and the ids of those that succeeded. */
function listedError(
	context: IExecuteFunctions,
	outcomes: ItemOutcome[],
	session: RunSession | undefined,
): Error {
	const failed = outcomes.flatMap((outcome, at) =>
		'failed' in outcome ? [{ at, facts: outcome.failed }] : [],
	);
	const [first] = failed;
	const isTool = isToolUse(context);
	const text =
		outcomes.length === 1
			? { message: messageFor(first.facts, isTool), description: first.facts.description }
			: listText(outcomes, failed, { session, isTool, isCalled: isCalledWorkflow(context) });
	const { httpCode } = first.facts;
	const error = errorForN8n(context.getNode(), { ...text, httpCode }, first.at);
	error.context.failedItems = failed.map(({ at, facts }) => ({ item: at, ...facts }));
	return error;
}

function listText(
	outcomes: ItemOutcome[],
	failed: Array<{ at: number; facts: FailureFacts }>,
	run: { session: RunSession | undefined; isTool: boolean; isCalled: boolean },
) {
	const { session, isTool, isCalled } = run;
	const lines = failed.map(({ at, facts }) => {
		const id = oneLine(facts.requestId ?? session?.requestIds.get(at) ?? '');
		return `Item ${at}${id && !facts.message.includes(id) ? ` (request ${id})` : ''}: ${facts.message}`;
	});
	const succeeded = outcomes.flatMap((outcome, at) =>
		'items' in outcome
			? [`item ${at}${session?.requestIds.has(at) ? `: ${session.requestIds.get(at) ?? ''}` : ''}`]
			: [],
	);
	const reasons = [...new Set(failed.map(({ facts }) => facts.description))];
	const rest =
		succeeded.length > 0
			? `Succeeded (${succeeded.length})${isCalled ? '; Get Result fetches them again' : ', not paid again on a retry as long as the node asks for the same'}: ${succeeded.join(', ')}.`
			: '';
	const message =
		failed.length === outcomes.length
			? `All ${outcomes.length} items failed. ${failed[0].facts.message}`
			: `${failed.length} of ${outcomes.length} items failed. ${failed[0].facts.message}`;
	const description = [...lines, ...reasons, rest]
		.filter((line) => line !== '')
		.map(oneLine)
		.join('\n');
	return { message: isTool ? `${message}\n${description}` : message, description };
}

function report(session: RunSession, outcomes: ItemOutcome[], tookMs: number): void {
	const hints = [...session.hints];
	if (session.requestIds.size > 1) {
		const bad = outcomes.filter((outcome) => 'failed' in outcome).length;
		const open = session.unfinished.size;
		const unfinished = open > 0 ? `, ${open} unfinished` : '';
		const cost = session.spent > 0 ? `, ${usd(session.spent)} USD` : '';
		hints.push(
			`${session.requestIds.size} requests, ${outcomes.length - bad - open} items done${unfinished}, ${bad} failed${cost}, ${(tookMs / 1_000).toFixed(1)} s`,
		);
	}
	if (session.isManual && session.expectedCost > 0)
		hints.push(
			`Cost: ${session.spent > 0 ? `${usd(session.spent)} USD` : 'not reported yet'}; about ${usd(session.expectedCost)} USD was expected (from published averages).`,
		);
	if (hints.length > 0)
		session.context.addExecutionHints?.(
			...hints.map((message) => ({
				message: oneLine(message),
				location: 'outputPane' as const,
				type: 'info' as const,
			})),
		);
}
