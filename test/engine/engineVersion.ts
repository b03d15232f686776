/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * One harness for several n8n: this one, and the older ones of dev/n8n/engines. What those have elsewhere, call otherwise or lack is here and nowhere
 * else.
 */
import { globalAgent } from 'node:http';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';

import * as core from 'n8n-core';
import type { IBinaryData, INode, INodeExecutionData, INodeIssues, INodeParameters, INodeTypeDescription, IRunExecutionData } from 'n8n-workflow';
import * as workflow from 'n8n-workflow';

const ENGINE = dirname(require.resolve('n8n-core'));

/** n8n-core brings its own copies of these: its container is the one that holds the engine's services. */
function ofEngine<T extends object>(name: string): T {
	return jest.requireActual<T>(require.resolve(name, { paths: [ENGINE] }));
}

interface EngineLogger {
	info(message: string): void;
	warn(message: string): void;
}
type Token<T> = abstract new (...args: never[]) => T;
const { Container } = ofEngine<{ Container: { get<T>(token: Token<T>): T } }>('@n8n/di');

/** In n8n-core itself until 1.94. */
const { Logger } = 'Logger' in core ? (core as unknown as { Logger: Token<EngineLogger> }) : ofEngine<{ Logger: Token<EngineLogger> }>('@n8n/backend-common');

export type LogLevel = keyof EngineLogger;

export function engineLogger(): EngineLogger {
	return Container.get(Logger);
}

export function binaryData(): core.BinaryDataService {
	return Container.get(core.BinaryDataService);
}

const WORKFLOW = 'workflow1';
/** n8n makes `temp` of none. */
const EXECUTION = '';
/** `init` and `store` of 1.x: a configuration is passed, and the ids of workflow and execution come one by one. */
interface EarlierBinaryData {
	init(config: { mode: string; availableModes: string[]; localStoragePath: string }): Promise<void>;
	store(workflowId: string, executionId: string, bytes: Buffer | Readable, binary: IBinaryData): Promise<IBinaryData>;
}
const isEarlier = core.BinaryDataConfig === undefined;

/** Puts n8n's binaries on disk, as production does, instead of into the items. */
export async function storeBinariesOnDisk(): Promise<void> {
	const filesystem = { mode: 'filesystem' as const, availableModes: ['filesystem' as const] };
	if (isEarlier) {
		const localStoragePath = `${process.env.N8N_USER_FOLDER}/binaryData`;
		await (binaryData() as unknown as EarlierBinaryData).init({ ...filesystem, localStoragePath });
	} else {
		Object.assign(Container.get(core.BinaryDataConfig), filesystem);
		await binaryData().init();
	}
}

/** Puts a file into n8n's store. */
export async function stored(bytes: Buffer | Readable, binary: IBinaryData): Promise<IBinaryData> {
	return isEarlier
		? await (binaryData() as unknown as EarlierBinaryData).store(WORKFLOW, EXECUTION, bytes, binary)
		: await binaryData().store({ type: 'execution', workflowId: WORKFLOW, executionId: EXECUTION }, bytes, binary);
}

/** Gives a file in n8n's store another id; nothing when binaries are kept in the items. */
export async function moveStored(from: string, to: string): Promise<void> {
	const [, fileId] = from.split(':');
	if (fileId) await binaryData().rename(fileId, to.split(':')[1]);
}

/** An execution about to start with one node; 1.x has no function for it. */
export function runDataFor(node: INode, items: INodeExecutionData[]): IRunExecutionData {
	const nodeExecutionStack = [{ node, data: { main: [items] }, source: null }];
	return 'createRunExecutionData' in workflow
		? workflow.createRunExecutionData({ executionData: { nodeExecutionStack } })
		: ({
				startData: {},
				resultData: { runData: {} },
				executionData: { contextData: {}, nodeExecutionStack, metadata: {}, waitingExecution: {}, waitingExecutionSource: {} },
			} as unknown as IRunExecutionData);
}

/** Earlier in 1.x the helpers for parameters take no description of the node's type. */
const takesDescription = workflow.NodeHelpers.getNodeParameters.length > 5;
type AnyArguments = (...args: unknown[]) => unknown;

/** A node's parameters as the editor stores them, or with every default. */
export function parametersOf(description: INodeTypeDescription, node: INode, defaults: boolean): INodeParameters {
	const { getNodeParameters } = workflow.NodeHelpers as unknown as { getNodeParameters: AnyArguments };
	return getNodeParameters(description.properties, node.parameters, defaults, false, node, ...(takesDescription ? [description] : [])) as INodeParameters;
}

/** What the editor would mark in red; null when nothing. */
export function issuesOf(description: INodeTypeDescription, node: INode): INodeIssues | null {
	const { getNodeParametersIssues } = workflow.NodeHelpers as unknown as { getNodeParametersIssues: AnyArguments };
	return getNodeParametersIssues(description.properties, node, ...(takesDescription ? [description] : [])) as INodeIssues | null;
}

/** 1.x keeps connections open for the next call, newer n8n opens one for each: an address that is to refuse the next call must have none left. */
export function closeConnections(): void {
	globalAgent.destroy();
}

/** A poller's context. Older n8n tells a poll no time; it is given one here too, so that no test waits for the node's own 50 s. */
export function pollContext(budgetMs: number, ...[poller, node, additionalData, mode, activation]: ConstructorParameters<typeof core.PollContext>): core.PollContext {
	const rest = [undefined, undefined, undefined, undefined, undefined] as const;
	const context = new core.PollContext(poller, node, additionalData, mode, activation, ...rest, () => budgetMs);
	return 'getPollBudgetMs' in context ? context : Object.assign(context, { getPollBudgetMs: () => budgetMs });
}

/** `getWorkflowSettings`: without it a node cannot see the workflow's own time-out. */
export const hasWorkflowSettings = 'getWorkflowSettings' in core.ExecuteContext.prototype;
const [major, minor] = jest.requireActual<{ version: string }>('n8n-core/package.json').version.split('.').map(Number);
/** `$json` is the delivery in the parameters of a webhook (not in 2.27, in 2.30); before, an expression there fails. */
export const hasDeliveryInExpressions = major * 100 + minor >= 230;
/** `$fromAI` takes what the model gave from the item, as with Agent 3 (not in 1.85, in 2.0); before, only inside the run of an agent. */
export const hasModelValuesInItems = major >= 2;
