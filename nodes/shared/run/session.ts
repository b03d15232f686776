import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeProperties,
	IPollFunctions,
} from 'n8n-workflow';

import { systemClock, type Clock } from '../base/clock';
import { redact } from '../base/redact';
import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import { Journal } from '../journal/journal';
import { Client, readCredential } from '../service/client';

/** What a finished request needs to become an item, in an execution as in a poll. The clock, and when all must end, are the client's. */
export interface OutputSession {
	context: IExecuteFunctions | IPollFunctions;
	client: Client;
	isTool: boolean;
	/** USD charged so far, as far as the service said so. */
	spent: number;
	/** Shown on the node's output. */
	hints: Set<string>;
}

/** What all items of one execution of any node share, with or without a client. */
export interface RunSession {
	context: IExecuteFunctions;
	node: INode;
	items: INodeExecutionData[];
	journal: Journal;
	clock: Clock;
	/** Fires when the execution is stopped. */
	signal?: AbortSignal;
	/** ms since the epoch. */
	startedAt: number;
	/** True when an AI agent calls the node as a tool. */
	isTool: boolean;
	/** True in the editor. */
	isManual: boolean;
	/** Requests of this execution by item index, for the error that lists them; undefined for one that was accepted and named no id. */
	requestIds: Map<number, string | undefined>;
	/** Items whose request an earlier attempt sent, or that the request history showed: the run says so. */
	resumed: Map<number, 'resumed' | 'found'>;
	/** Items whose request is still unfinished although they left the node. */
	unfinished: Set<number>;
	spent: number;
	/** Published averages of what this execution sent, USD. */
	expectedCost: number;
	hints: Set<string>;
	/** A value read once a run, such as the balance. */
	memoize<T>(key: string, read: () => Promise<T>): Promise<T>;
	redact(text: string): string;
}

/** What all items of one execution of a node with the Segmind API credential share. */
export interface Session extends RunSession {
	client: Client;
	/** Uploads under way, by content key, so that a file fanned out to many items is uploaded once. */
	uploads: Map<string, Promise<string>>;
}

/**
 * Reads credential, cancel signal and journal of an execution. `properties` are those of the node's description.
 * @throws SegmindFailure when the execution has been stopped already: n8n calls execute() again under Retry On Fail (docs/n8n.md N149, N150)
 */
export async function openSession(
	context: IExecuteFunctions,
	properties: readonly INodeProperties[],
): Promise<Session> {
	assertNotStopped(context);
	const { urls, secrets, credential } = await readCredential(context);
	const run = runSession(context, { properties, credential: credential.id, secrets });
	const { clock, signal } = run;
	return {
		...run,
		client: new Client({ context, urls, secrets, credential, clock, signal }),
		uploads: new Map(),
	};
}

/** @throws SegmindFailure when the execution has been stopped */
export function assertNotStopped(context: IExecuteFunctions): void {
	if (!context.getExecutionCancelSignal?.()?.aborted) return;
	throw failureOf('stopped', CAUSES.stoppedAtStart);
}

interface RunSettings {
	properties: readonly INodeProperties[];
	/** Id of the credential. */
	credential: string;
	/** They may grow while it runs. */
	secrets: readonly string[];
}

/** The part of a session that no credential decides. */
export function runSession(
	context: IExecuteFunctions,
	{ properties, credential, secrets }: RunSettings,
): RunSession {
	const memo = new Map<string, Promise<unknown>>();
	const isTool = isToolUse(context);
	return {
		context,
		node: context.getNode(),
		items: context.getInputData(),
		journal: new Journal(context, {
			properties,
			credential,
			isKept: !isCalledByAgent(context),
			isRemembered: !isTool,
		}),
		clock: systemClock,
		startedAt: systemClock.now(),
		signal: context.getExecutionCancelSignal?.(),
		isTool,
		isManual: context.getMode() === 'manual' && !isTool,
		requestIds: new Map(),
		resumed: new Map(),
		unfinished: new Set(),
		spent: 0,
		expectedCost: 0,
		hints: new Set(),
		memoize: async <T>(key: string, read: () => Promise<T>) => {
			if (!memo.has(key)) memo.set(key, read());
			return await (memo.get(key) as Promise<T>);
		},
		redact: (text) => redact(text, secrets),
	};
}

/** `isToolExecution` is false under Agent 3, which marks the node in two other ways (docs/n8n.md N210, N211). */
export function isToolUse(context: IExecuteFunctions): boolean {
	return (
		isCalledByAgent(context) ||
		isRunByEngineForAgent(context) ||
		context.getNode().type.endsWith('Tool')
	);
}

/** True when the engine runs the node for an agent, of version 3. It hands a thrown error's message on, and items of the error output get lost. */
export function isRunByEngineForAgent(context: IExecuteFunctions): boolean {
	return context.getNode().rewireOutputLogTo === 'ai_tool';
}

/**
 * True when an agent, not the engine, calls execute(), inside the agent's own run; those before version 3 do. Such a call is never repeated
 * under its run index, parallel ones may share theirs, and what it throws reaches the model as an empty text.
 */
export function isCalledByAgent(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() === true;
}

/** Shows the person watching a manual run how far an item is; n8n prints it in the browser's console (docs/n8n.md N152). */
export function showProgress(session: RunSession, itemIndex: number, text: string): void {
	if (session.context.getMode() === 'manual')
		session.context.sendMessageToUI(`Segmind, item ${itemIndex}: ${text}`);
}
