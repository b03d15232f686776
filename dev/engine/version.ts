/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/**
 * The engine of this n8n, and of the older ones of dev/n8n/engines: what those have elsewhere, call otherwise or lack is here and in binaries.ts,
 * and nowhere else.
 */
import { globalAgent } from 'node:http';
import { createRequire } from 'node:module';

import * as core from 'n8n-core';
import type {
	INode,
	INodeExecutionData,
	INodeIssues,
	INodeParameters,
	INodeProperties,
	INodeTypeDescription,
	IRunExecutionData,
} from 'n8n-workflow';
import * as workflow from 'n8n-workflow';

/** n8n-core brings its own copies of some packages: its container is the one that holds the engine's services. */
const requireOfEngine = createRequire(require.resolve('n8n-core'));

type Log = (message: string, metadata?: object) => void;
type EngineLogger = Record<'debug' | 'info' | 'warn', Log>;
type Token<T> = abstract new (...args: never[]) => T;
const { Container } = requireOfEngine('@n8n/di') as { Container: { get<T>(token: Token<T>): T } };

/** In n8n-core itself until 1.94. */
const { Logger } = ('Logger' in core
	? core
	: requireOfEngine('@n8n/backend-common')) as unknown as { Logger: Token<EngineLogger> };

export type LogLevel = keyof EngineLogger;

/** A service of the engine. */
export function fromEngine<T>(token: Token<T>): T {
	return Container.get(token);
}

export const engineLogger = () => fromEngine(Logger);
export const binaryData = () => fromEngine(core.BinaryDataService);

/** Ends what the engine keeps open until n8n shuts down: in 2.0 a timer that looks for unused SSH connections. */
export function endEngine(): void {
	const { SSHClientsManager } = requireOfEngine('./execution-engine/ssh-clients-manager.js') as {
		SSHClientsManager: Token<{ onShutdown(): void }>;
	};
	fromEngine(SSHClientsManager).onShutdown();
}

/** An execution about to start with one node; 1.x has no function for it. */
export function runDataFor(node: INode, items: INodeExecutionData[]): IRunExecutionData {
	const nodeExecutionStack = [{ node, data: { main: [items] }, source: null }];
	return 'createRunExecutionData' in workflow
		? workflow.createRunExecutionData({ executionData: { nodeExecutionStack } })
		: ({
				startData: {},
				resultData: { runData: {} },
				executionData: {
					contextData: {},
					nodeExecutionStack,
					metadata: {},
					waitingExecution: {},
					waitingExecutionSource: {},
				},
			} as unknown as IRunExecutionData);
}

/** Earlier in 1.x the helpers for parameters take no description of the node's type. */
const takesDescription = workflow.NodeHelpers.getNodeParameters.length > 5;

/** What a helper for parameters says; the description of the node's type comes after the other arguments. */
function helped(
	helper: 'getNodeParameters' | 'getNodeParametersIssues' | 'displayParameter',
	description: INodeTypeDescription,
	...others: unknown[]
): unknown {
	const ask = workflow.NodeHelpers[helper] as (...all: unknown[]) => unknown;
	return ask(...others, ...(takesDescription ? [description] : []));
}

/** A node's parameters as the editor stores them, or with every default. */
export function parametersOf(
	description: INodeTypeDescription,
	node: INode,
	defaults: boolean,
): INodeParameters {
	const { properties } = description;
	const others = [properties, node.parameters, defaults, false, node];
	return helped('getNodeParameters', description, ...others) as INodeParameters;
}

/** What the editor would mark in red; null when nothing. */
export function issuesOf(description: INodeTypeDescription, node: INode): INodeIssues | null {
	const { properties } = description;
	return helped('getNodeParametersIssues', description, properties, node) as INodeIssues | null;
}

/** Whether the editor shows a parameter. */
export function isShown(
	description: INodeTypeDescription,
	node: INode,
	property: INodeProperties,
): boolean {
	return helped('displayParameter', description, node.parameters, property, node) as boolean;
}

/** n8n 1 keeps connections open for the next call; newer n8n opens one for each call. If the next connection is to be refused, none may be left. */
export function closeConnections(): void {
	globalAgent.destroy();
}

/** A poller's context. Older n8n gives a poll no time limit; here it has one too, so that no test waits for the node's own 50 s. */
export function pollContext(
	budgetMs: number,
	...[poller, node, additionalData, mode, activation]: ConstructorParameters<
		typeof core.PollContext
	>
): core.PollContext {
	const rest = [undefined, undefined, undefined, undefined, undefined] as const;
	const context = new core.PollContext(
		poller,
		node,
		additionalData,
		mode,
		activation,
		...rest,
		() => budgetMs,
	);
	return 'getPollBudgetMs' in context
		? context
		: Object.assign(context, { getPollBudgetMs: () => budgetMs });
}

/** `getWorkflowSettings`: without it a node cannot see the workflow's own time-out. */
export const hasWorkflowSettings = 'getWorkflowSettings' in core.ExecuteContext.prototype;
