import type { ICredentialType, INodeTypes } from 'n8n-workflow';

import { builtCredentials, builtNodes, instanceOf } from '../../base/builtNodes';
import { nodeTypesBy, type AnyNodeType } from '../../engine/nodeTypes';

/** n8n's own nodes that users build the polling loop of: their files by type name. */
const STOCK: Record<string, string> = {
	'n8n-nodes-base.httpRequest': 'HttpRequest/HttpRequest',
	'n8n-nodes-base.wait': 'Wait/Wait',
	'n8n-nodes-base.if': 'If/If',
	'n8n-nodes-base.extractFromFile': 'Files/ExtractFromFile/ExtractFromFile',
};

/** Ours as built, and n8n's own as installed; loaded at the first need. */
export function nodeTypes(): INodeTypes {
	const known: Record<string, AnyNodeType> = builtNodes();
	return nodeTypesBy((type) => (known[type] ??= stock(`nodes/${STOCK[type]}.node.js`)));
}

/** Ours, and the one by which HTTP Request sends a key. */
export function credentialTypes(): ICredentialType[] {
	return [...builtCredentials(), stock('credentials/HttpHeaderAuth.credentials.js')];
}

function stock<T>(path: string): T {
	return instanceOf(`n8n-nodes-base/dist/${path}`);
}
