import type { ICredentialType, INodeTypes } from 'n8n-workflow';

import { builtCredentials, builtNodes, instanceOf } from '../../base/builtNodes';
import { nodeTypesBy, type AnyNodeType } from '../../engine/nodeTypes';

/** The n8n nodes that users build a polling loop with: file by type name. */
const STOCK: Record<string, string> = {
	'n8n-nodes-base.httpRequest': 'HttpRequest/HttpRequest',
	'n8n-nodes-base.wait': 'Wait/Wait',
	'n8n-nodes-base.if': 'If/If',
	'n8n-nodes-base.extractFromFile': 'Files/ExtractFromFile/ExtractFromFile',
};

/** Our built nodes and n8n's installed nodes, loaded when first used. */
export function nodeTypes(): INodeTypes {
	const known: Record<string, AnyNodeType> = builtNodes();
	return nodeTypesBy((type) => (known[type] ??= stock(`nodes/${STOCK[type]}.node.js`)));
}

/** Our credentials, and the one that HTTP Request uses to send a key. */
export function credentialTypes(): ICredentialType[] {
	return [...builtCredentials(), stock('credentials/HttpHeaderAuth.credentials.js')];
}

function stock<T>(path: string): T {
	return instanceOf(`n8n-nodes-base/dist/${path}`);
}
