import '../engine/environment';

import type { ICredentialDataDecryptedObject, IRun } from 'n8n-workflow';

import { builtCredentials, builtNodes } from '../base/builtNodes';
import type { WorkflowFile } from '../base/workflows';
import { CredentialStore } from '../engine/credentialStore';
import { execute } from '../engine/execution';
import { nodeTypesBy } from '../engine/nodeTypes';
import { stockNodes } from './stockNodes';

interface Watching {
	/** Values of the credential Segmind API. */
	credential: ICredentialDataDecryptedObject;
	/** Pressing Stop in n8n. */
	signal: AbortSignal;
	/** Gets what nodes tell the person who watches a manual run. */
	told: (message: string) => void;
}

/**
 * Runs an example like Execute Workflow in n8n: in n8n's engine, with our built nodes. A failed execution doesn't throw: see `data.resultData.error`,
 * and `status` for a stopped one.
 */
export async function runExample(
	{ name, nodes, connections, settings }: WorkflowFile,
	{ credential, signal, told }: Watching,
): Promise<IRun> {
	const types = { ...stockNodes, ...builtNodes() };
	return await execute({
		workflowId: name,
		executionId: 'demo',
		nodes: startingFirst(nodes),
		connections,
		settings,
		nodeTypes: nodeTypesBy((type) => types[type]),
		credentials: new CredentialStore(builtCredentials(), { segmindApi: credential }),
		mode: 'manual',
		input: [{ json: {} }],
		signal,
		told,
	});
}

/** The nodes with the one that Execute Workflow starts from in front. */
function startingFirst(nodes: WorkflowFile['nodes']): WorkflowFile['nodes'] {
	const isStart = ({ type }: (typeof nodes)[0]) => type === 'n8n-nodes-base.manualTrigger';
	return [...nodes.filter(isStart), ...nodes.filter((node) => !isStart(node))];
}
