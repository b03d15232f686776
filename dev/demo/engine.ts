import './userFolder';

import { WorkflowExecute } from 'n8n-core';
import { ExecutionLifecycleHooks } from 'n8n-core/dist/execution-engine/execution-lifecycle-hooks';
import type {
	ICredentialDataDecryptedObject,
	INodeTypes,
	IRun,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { builtCredentials, builtNodes } from './builtPackage';
import { CredentialStore } from './credentialStore';
import type { Example } from './examples';
import { stockNodes } from './stockNodes';

export interface Surroundings {
	/** Values of the credential Segmind API. */
	credential: ICredentialDataDecryptedObject;
	/** Pressing Stop in n8n. */
	signal: AbortSignal;
	/** Gets what nodes tell the person who watches a manual run. */
	told: (message: string) => void;
}

/**
 * Runs an example as n8n runs it when somebody presses Execute Workflow: its engine, our built nodes.
 * A failed execution is no throw: look at `data.resultData.error`, and at `status` for a stopped one.
 */
export async function runExample(
	example: Example,
	{ credential, signal, told }: Surroundings,
): Promise<IRun> {
	const { name, nodes, connections, settings } = example;
	const workflow = new Workflow({
		id: name,
		name,
		nodes,
		connections,
		settings,
		active: false,
		nodeTypes: nodeTypes(),
	});
	const execution = new WorkflowExecute(
		additionalData(example, { segmindApi: credential }, told),
		'manual',
	).run({
		workflow,
		startNode: workflow.getStartNode() ?? nodes[0],
	});
	const stop = () => execution.cancel();
	signal.addEventListener('abort', stop, { once: true });
	try {
		return await execution;
	} finally {
		signal.removeEventListener('abort', stop);
	}
}

function nodeTypes(): INodeTypes {
	const types = { ...stockNodes, ...builtNodes() };
	return {
		getByName: (type) => types[type],
		getByNameAndVersion: (type) => types[type],
		getKnownTypes: () => ({}),
	};
}

/** What the engine wants to know from the n8n around it. `credentials`: values by type. */
export function additionalData(
	example: Example,
	credentials: Record<string, ICredentialDataDecryptedObject>,
	told: (message: string) => void,
): IWorkflowExecuteAdditionalData {
	const executionId = 'demo';
	const hooks = new ExecutionLifecycleHooks('manual', executionId, {
		...example,
		id: example.name,
		active: false,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
	});
	const nowhere = 'http://localhost';
	return {
		executionId,
		hooks,
		credentialsHelper: new CredentialStore(builtCredentials(), credentials),
		sendDataToUI: (_type: string, { messages = [] }: { messages?: unknown[] }) =>
			messages.map(String).forEach(told),
		restApiUrl: nowhere,
		instanceBaseUrl: nowhere,
		webhookBaseUrl: nowhere,
		webhookTestBaseUrl: nowhere,
		webhookWaitingBaseUrl: nowhere,
		formWaitingBaseUrl: nowhere,
		variables: {},
		currentNodeParameters: undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
}
