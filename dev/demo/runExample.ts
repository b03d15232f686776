import '../engine/environment';

import type { ICredentialDataDecryptedObject, IRun } from 'n8n-workflow';

import { builtCredentials, builtNodes } from '../base/builtNodes';
import type { WorkflowFile } from '../base/workflows';
import { CredentialStore } from '../engine/credentialStore';
import { execute } from '../engine/execution';
import { createNodeTypes } from '../engine/nodeTypes';
import { stockNodes } from './stockNodes';

interface RunOptions {
	/** Values of the credential Segmind API. */
	credential: ICredentialDataDecryptedObject;
	/** Aborting the signal is like pressing Stop in n8n. */
	signal: AbortSignal;
	/** Receives the messages that nodes send to the editor. */
	onMessage: (message: string) => void;
}

/**
 * Runs an example like Execute Workflow in n8n: in n8n's engine, with our built nodes. A failed execution doesn't throw: `data.resultData.error` has
 * its error, and `status` shows whether it was stopped.
 */
export async function runExample(
	{ name, nodes, connections, settings }: WorkflowFile,
	{ credential, signal, onMessage }: RunOptions,
): Promise<IRun> {
	const types = { ...stockNodes, ...builtNodes() };
	return await execute({
		workflowId: name,
		executionId: 'demo',
		nodes: sortStartFirst(nodes),
		connections,
		settings,
		nodeTypes: createNodeTypes((type) => types[type]),
		credentials: new CredentialStore(builtCredentials(), { segmindApi: credential }),
		mode: 'manual',
		input: [{ json: {} }],
		signal,
		onMessage,
	});
}

/** Moves the node with which Execute Workflow starts to the front. */
function sortStartFirst(nodes: WorkflowFile['nodes']): WorkflowFile['nodes'] {
	const isStart = ({ type }: (typeof nodes)[0]) => type === 'n8n-nodes-base.manualTrigger';
	return [...nodes.filter(isStart), ...nodes.filter((node) => !isStart(node))];
}
