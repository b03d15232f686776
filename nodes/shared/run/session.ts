import type { IExecuteFunctions, INode, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { systemClock, type Clock } from '../base/clock';
import { stopped, type FailureFacts } from '../base/failure';
import { redact } from '../base/redact';
import { Expectations } from '../request/expectations';
import { gateFor, type Gate } from '../service/rateLimiter';
import type { ServiceUrls } from '../service/origins';
import { digest } from '../base/hash';
import { Journal } from '../journal/journal';

export const SEGMIND_API = 'segmindApi';

/** Where calls are made from: an execution, or a trigger's poll. */
export type ServiceContext = IExecuteFunctions | IPollFunctions;

/** What a call to the service needs, in an execution as in a poll. */
export interface CallSession {
	context: ServiceContext;
	clock: Clock;
	/** Fires when the execution is stopped. */
	signal?: AbortSignal;
	/** No call lasts beyond this, ms since the epoch; undefined in an execution, which ends when it ends. */
	endsAt?: number;
	/** Set once no later call can succeed. */
	halt?: FailureFacts;
	urls: ServiceUrls;
	gate: Gate;
	/** Service time minus local time, ms, from the `date` of its last answer. */
	serverOffsetMs: number;
	redact(text: string): string;
}

/** What putting out a finished request needs. */
export interface OutputSession extends CallSession {
	isTool: boolean;
	spent: number;
	hints: Set<string>;
}

/** What all items of one execution of any node share, whatever its credential. */
export interface RunSession {
	context: IExecuteFunctions;
	node: INode;
	items: INodeExecutionData[];
	journal: Journal;
	clock: Clock;
	/** Fires when the execution is stopped. */
	signal?: AbortSignal;
	/** True when an AI agent calls the node as a tool. */
	isTool: boolean;
	/** Set once no later item can succeed: items not yet sent fail without a call. */
	halt?: FailureFacts;
	/** Requests of this execution by item index, for the error that lists them. */
	requestIds: Map<number, string>;
	/** USD charged in this execution, as far as the service said so. */
	spent: number;
	hints: Set<string>;
	/** A value read once a run, such as the balance. */
	once<T>(key: string, read: () => Promise<T>): Promise<T>;
	redact(text: string): string;
}

/** What all items of one execution of a node with the Segmind API credential share. */
export interface Session extends RunSession {
	urls: ServiceUrls;
	gate: Gate;
	expectations: Expectations;
	/** Uploads under way, by content key, so that a file fanned out to many items goes up once. */
	uploads: Map<string, Promise<string>>;
	/** Service time minus local time, ms, from the `date` of its last answer. */
	serverOffsetMs: number;
}

/**
 * Reads credential, cancel signal and journal of an execution.
 * @throws SegmindFailure when the execution has been stopped already: n8n calls execute() again under Retry On Fail (platform fact 14)
 */
export async function openSession(context: IExecuteFunctions): Promise<Session> {
	assertNotStopped(context);
	const { urls, secrets, id } = await readCredential(context);
	return {
		...runSession(context, SEGMIND_API, secrets),
		urls,
		gate: gateFor(`${id}|${urls.baseUrl}`),
		expectations: new Expectations(),
		uploads: new Map(),
		serverOffsetMs: 0,
	};
}

/** @throws SegmindFailure when the execution has been stopped */
export function assertNotStopped(context: IExecuteFunctions): void {
	if (context.getExecutionCancelSignal?.()?.aborted) throw stopped();
}

/** The part of a session that no credential decides; `secrets` may grow while it runs. */
export function runSession(
	context: IExecuteFunctions,
	credentialName: string,
	secrets: readonly string[],
): RunSession {
	const memo = new Map<string, Promise<unknown>>();
	return {
		context,
		node: context.getNode(),
		items: context.getInputData(),
		journal: new Journal(context, credentialName, !isCalledInPlace(context)),
		clock: systemClock,
		signal: context.getExecutionCancelSignal?.(),
		isTool: isToolUse(context),
		requestIds: new Map(),
		spent: 0,
		hints: new Set(),
		once: async <T>(key: string, read: () => Promise<T>) => {
			if (!memo.has(key)) memo.set(key, read());
			return await (memo.get(key) as Promise<T>);
		},
		redact: (text) => redact(text, secrets),
	};
}

export async function readCredential(
	context: ServiceContext,
): Promise<{ urls: ServiceUrls; secrets: string[]; id: string }> {
	const credential = await context.getCredentials(SEGMIND_API);
	const text = (name: string) => String(credential[name] ?? '').trim();
	return {
		urls: {
			baseUrl: text('baseUrl'),
			uploadUrl: text('uploadUrl'),
			endpointAdminUrl: text('endpointAdminUrl'),
			endpointAdminStagingUrl: text('endpointAdminStagingUrl'),
		},
		secrets: [text('apiKey')],
		// Without a stored id (tests, inline credentials) keys are told apart by their digest.
		id: context.getNode().credentials?.[SEGMIND_API]?.id ?? digest(text('apiKey')),
	};
}

/** Platform fact 38: `isToolExecution` is false under Agent 3, which marks the node in two other ways. */
export function isToolUse(context: IExecuteFunctions): boolean {
	return (
		isCalledInPlace(context) || isRunForAgent(context) || context.getNode().type.endsWith('Tool')
	);
}

/** True when the engine runs the node for an agent, of version 3. It hands a thrown error's message on, and items of the error output get lost. */
export function isRunForAgent(context: IExecuteFunctions): boolean {
	return context.getNode().rewireOutputLogTo === 'ai_tool';
}

/**
 * True when an agent, not the engine, calls execute(), inside the agent's own run; those before version 3 do. Such a call is never repeated
 * under its run index, parallel ones may share theirs, and what it throws reaches the model as an empty text.
 */
export function isCalledInPlace(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() === true;
}

/** Tells the person watching a manual run; n8n shows it in the browser's console (platform fact 17). */
export function tell(session: Session, itemIndex: number, text: string): void {
	if (session.context.getMode() === 'manual')
		session.context.sendMessageToUI(`Segmind, item ${itemIndex}: ${text}`);
}
