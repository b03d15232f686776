/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/**
 * Hides the differences between the installed engine and the older engines in dev/n8n/engines. Only this file and binaries.ts know what older
 * engines have elsewhere, name differently or lack.
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

/** n8n-core brings its own copies of some packages. The container in its copy of `@n8n/di` is the one with the engine's services. */
const requireFromEngine = createRequire(require.resolve('n8n-core'));

type Log = (message: string, metadata?: object) => void;
type EngineLogger = Record<'debug' | 'info' | 'warn', Log>;
type Token<T> = abstract new (...args: never[]) => T;
const { Container } = requireFromEngine('@n8n/di') as { Container: { get<T>(token: Token<T>): T } };

/** The logger is in n8n-core until n8n 1.94, and in a separate package in later versions. */
const { Logger } = ('Logger' in core
	? core
	: requireFromEngine('@n8n/backend-common')) as unknown as { Logger: Token<EngineLogger> };

export type LogLevel = keyof EngineLogger;

interface Evaluators {
	setEvaluator(name: string): void;
}

// In n8n 1, the engine by itself has another evaluator of expressions than the one that the server and the editor set by default.
if ('ExpressionEvaluatorProxy' in workflow)
	(workflow.ExpressionEvaluatorProxy as Evaluators).setEvaluator('tournament');

/** Returns a service of the engine. */
export function fromEngine<T>(token: Token<T>): T {
	return Container.get(token);
}

export const engineLogger = () => fromEngine(Logger);
export const binaryData = () => fromEngine(core.BinaryDataService);

/** Stops what the engine keeps running until n8n shuts down: in 2.0, a timer that looks for unused SSH connections. */
export function endEngine(): void {
	const { SSHClientsManager } = requireFromEngine('./execution-engine/ssh-clients-manager.js') as {
		SSHClientsManager: Token<{ onShutdown(): void }>;
	};
	fromEngine(SSHClientsManager).onShutdown();
}

/** Creates the data of an execution that is about to start at a node. n8n 1.x has no function for this. */
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

/** In early versions of 1.x, the helpers for parameters take no description of the node type. */
export const takesDescription = workflow.NodeHelpers.getNodeParameters.length > 5;

/** Calls a helper for parameters. The description of the node type comes after the other arguments. */
function callHelper(
	helper: 'getNodeParameters' | 'getNodeParametersIssues' | 'displayParameter',
	description: INodeTypeDescription,
	...others: unknown[]
): unknown {
	const call = workflow.NodeHelpers[helper] as (...all: unknown[]) => unknown;
	return call(...others, ...(takesDescription ? [description] : []));
}

/** Returns a node's parameters as the editor stores them, or with all defaults. */
export function parametersOf(
	description: INodeTypeDescription,
	node: INode,
	withDefaults: boolean,
): INodeParameters {
	const { properties } = description;
	const others = [properties, node.parameters, withDefaults, false, node];
	return callHelper('getNodeParameters', description, ...others) as INodeParameters;
}

/** Returns the problems that the editor marks in red, or null if there are none. */
export function issuesOf(description: INodeTypeDescription, node: INode): INodeIssues | null {
	const { properties } = description;
	return callHelper('getNodeParametersIssues', description, properties, node) as INodeIssues | null;
}

/** Whether the editor shows a parameter. */
export function isShown(
	description: INodeTypeDescription,
	node: INode,
	property: INodeProperties,
): boolean {
	return callHelper('displayParameter', description, node.parameters, property, node) as boolean;
}

/** Closes connections that n8n 1 keeps open for the next call (newer n8n doesn't), so that the next call can meet a refused connection. */
export function closeConnections(): void {
	globalAgent.destroy();
}

/** Creates the context of a poll. It has a time limit in older n8n too, which has none, so that no test waits for the node's own limit of 50 s. */
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

/** Whether nodes can read the workflow's settings, and so its timeout. */
export const hasWorkflowSettings = 'getWorkflowSettings' in core.ExecuteContext.prototype;
