import '../engine/environment';

import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeExecutionData,
	NodeApiError,
} from 'n8n-workflow';

import { builtCredentials, builtNodes } from '../base/builtNodes';
import { CredentialStore } from '../engine/credentialStore';
import { execute } from '../engine/execution';
import { createNodeTypes } from '../engine/node';

interface RunOptions {
	/** Values of the credential Segmind API. */
	credential: ICredentialDataDecryptedObject;
	/** Aborting the signal is like pressing Stop in n8n. */
	signal: AbortSignal;
	/** Receives the messages that the node sends to the editor. */
	onMessage: (message: string) => void;
}

/** Runs one of our built nodes in n8n's engine. A failed node doesn't throw: it has an error, and outputs on its success branch only. */
export async function runNode(
	node: INode,
	items: INodeExecutionData[],
	{ credential, signal, onMessage }: RunOptions,
): Promise<{ outputs: INodeExecutionData[]; error?: NodeApiError }> {
	const types = builtNodes();
	const { data } = await execute({
		workflowId: node.id,
		executionId: 'demo',
		nodes: [node],
		nodeTypes: createNodeTypes((type) => types[type]),
		credentials: new CredentialStore(builtCredentials(), { segmindApi: credential }),
		mode: 'manual',
		input: items,
		signal,
		onMessage,
	});
	const { runData, error } = data.resultData;
	const [outputs, failed] = runData[node.name]?.at(-1)?.data?.main ?? [];
	return {
		outputs: outputs ?? [],
		error: (failed?.[0]?.json.error ?? error) as NodeApiError | undefined,
	};
}
