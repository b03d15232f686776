import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeProperties,
	IPollFunctions,
} from 'n8n-workflow';

import { systemClock, type Clock } from '../base/clock';
import { stableJson } from '../base/hash';
import { redact } from '../base/redact';
import { toOneLine } from '../base/text';
import type { SegmindFailure } from '../base/failure';
import { stoppedFailure } from '../errors/failures';
import { callRegister } from '../journal/callRegister';
import { Journal } from '../journal/journal';
import { fieldFinder, type FindField } from '../parameters/fieldFinder';
import { Client, readCredential } from '../service/client';
import { RunEvents } from './runEvents';

/** What is needed to turn a finished request into an item, in an execution or a poll. Its clock and deadline are those of the client. */
export interface OutputRun {
	context: IExecuteFunctions | IPollFunctions;
	client: Client;
	isTool: boolean;
	events: RunEvents;
}

/** What all items of one execution of any node share, also of Segmind Account, which has no client. */
export interface NodeRun {
	context: IExecuteFunctions;
	node: INode;
	/** Finds a field in the node's description. */
	findField: FindField;
	items: INodeExecutionData[];
	journal: Journal;
	clock: Clock;
	/** Aborts when the execution is stopped. */
	signal?: AbortSignal;
	/** When the run started, in ms since the epoch. */
	startedAt: number;
	/** Whether an AI agent calls the node as a tool. */
	isTool: boolean;
	/** Whether the node runs in the editor. */
	isManual: boolean;
	events: RunEvents;
	/** Returns a text that is equal for items with the same key and addresses in their credential. */
	credentialOf(itemIndex: number): Promise<string>;
	/** Returns the value of `read`, which is called only once per run and key, for example for the balance. */
	memoize<T>(key: string, read: () => Promise<T>): Promise<T>;
	redact(text: string): string;
}

/** What all items of one execution of a node with the Segmind API credential share. */
export interface Run extends NodeRun {
	client: Client;
	/** Uploads under way, by content key, so that a file that many items use is uploaded once. */
	uploads: Map<string, Promise<string>>;
}

/**
 * Opens the run of a node: credential, Stop signal and journal. `properties` are those of the node's description.
 * @throws SegmindFailure if the execution has been stopped already: under Retry On Fail, n8n calls execute() even then (docs/n8n.md N149, N150)
 */
export async function openRun(
	context: IExecuteFunctions,
	properties: readonly INodeProperties[],
): Promise<Run> {
	assertNotStopped(context);
	const credential = await readCredential(context);
	const { credentialId, secrets } = credential;
	const credentialOf = async (itemIndex: number) => {
		const { urls, secrets } =
			itemIndex === 0 ? credential : await readCredential(context, itemIndex);
		return stableJson([urls, secrets]);
	};
	const run = openNodeRun(context, { properties, credentialId, secrets, credentialOf });
	const { clock, signal, journal } = run;
	// No other item may adopt them.
	for (const { requestId, acceptedAt } of journal.storedRequests)
		callRegister.claim(requestId, acceptedAt);
	return {
		...run,
		client: new Client({ ...credential, context, clock, signal }),
		uploads: new Map(),
	};
}

/** @throws SegmindFailure if the execution has been stopped */
export function assertNotStopped(context: IExecuteFunctions): void {
	if (!context.getExecutionCancelSignal?.()?.aborted) return;
	const next = 'The n8n log has the ID of such a request, for Get Result.';
	throw stoppedFailure().with({ charge: 'earlierUnknown', next });
}

/**
 * Waits for the work. The work goes on after Stop, so that the ID of a submission gets logged. `failureAtStop` is called at Stop, when it's known what the
 * work has sent, and returns the error; by default, the error says that nothing was charged.
 * @throws SegmindFailure as soon as the execution is stopped
 */
export async function raceWithStop<T>(
	{ signal }: Pick<NodeRun, 'signal'>,
	work: Promise<T>,
	failureAtStop: () => SegmindFailure = stoppedFailure,
): Promise<T> {
	if (!signal) return await work;
	let rejectOnStop: () => void = () => {};
	const stop = new Promise<never>((_resolve, reject) => {
		rejectOnStop = () => reject(failureAtStop());
	});
	signal.addEventListener('abort', rejectOnStop, { once: true });
	// After Stop nobody waits for the outcome, so a later rejection must not count as unhandled. The journal and the log have the acceptance.
	work.catch(() => undefined);
	try {
		return await Promise.race([work, stop]);
	} finally {
		signal.removeEventListener('abort', rejectOnStop);
	}
}

interface RunSettings {
	properties: readonly INodeProperties[];
	credentialId: string;
	/** Texts to remove from every message. The list may grow during the run. */
	secrets: readonly string[];
	credentialOf: NodeRun['credentialOf'];
}

/** Opens the part of a run that needs no client. Every node has one, whatever its credential. */
export function openNodeRun(
	context: IExecuteFunctions,
	{ properties, credentialId, secrets, credentialOf }: RunSettings,
): NodeRun {
	const memo = new Map<string, Promise<unknown>>();
	const isTool = isToolUse(context);
	const node = context.getNode();
	return {
		context,
		node,
		findField: fieldFinder(properties, node),
		items: context.getInputData(),
		journal: new Journal(context, {
			properties,
			credentialId,
			isKept: !isCalledByAgent(context),
			isRemembered: !isTool,
		}),
		clock: systemClock,
		startedAt: systemClock.now(),
		signal: context.getExecutionCancelSignal?.(),
		isTool,
		isManual: context.getMode() === 'manual' && !isTool,
		events: new RunEvents(),
		credentialOf,
		memoize: async <T>(key: string, read: () => Promise<T>) => {
			if (!memo.has(key)) memo.set(key, read());
			return await (memo.get(key) as Promise<T>);
		},
		redact: (text) => redact(text, secrets),
	};
}

/** Whether an AI agent uses the node as a tool. `isToolExecution` is false under Agent 3, which marks the node in two other ways (docs/n8n.md N210, N211). */
export function isToolUse(context: IExecuteFunctions): boolean {
	return (
		isCalledByAgent(context) ||
		isRunByEngineForAgent(context) ||
		context.getNode().type.endsWith('Tool')
	);
}

/** Whether the engine runs the node for an agent (Agent 3). It passes on the message of a thrown error, but loses items of the error output. */
export function isRunByEngineForAgent(context: IExecuteFunctions): boolean {
	return context.getNode().rewireOutputLogTo === 'ai_tool';
}

/**
 * Whether an agent before version 3 calls execute() inside its own run, instead of the engine. n8n never retries such a call with the same run index,
 * parallel calls may share a run index, and a thrown error reaches the model as an empty text.
 */
export function isCalledByAgent(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() === true;
}

/** Logs what Segmind has accepted at once, in case the execution crashes later. The ID is in the message itself, because n8n prints no metadata. */
export function logAcceptance({ context, node }: Run, itemIndex: number, what: string): void {
	const place = `execution ${context.getExecutionId()}, node "${node.name}", item ${itemIndex + 1}`;
	context.logger.info(toOneLine(`Segmind accepted ${what} (${place})`));
}

/** Shows an item's progress in the browser's console, counted from 1 as in errors. n8n does that only for a manual run. */
export function showProgress(run: Run, itemIndex: number, text: string): void {
	run.context.sendMessageToUI(`Segmind, item ${itemIndex + 1}: ${text}`);
}
