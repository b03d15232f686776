import type { ICredentialType, INodeTypes } from 'n8n-workflow';

import { builtCredentials, builtNodes, instanceOf } from '../../base/builtNodes';
import { createNodeTypes, type AnyNodeType } from '../../engine/nodeTypes';

/** The files of n8n's own nodes that users build a polling loop with, by type name. */
const STOCK_FILES: Record<string, string> = {
	'n8n-nodes-base.httpRequest': 'HttpRequest/HttpRequest',
	'n8n-nodes-base.wait': 'Wait/Wait',
	'n8n-nodes-base.if': 'If/If',
	'n8n-nodes-base.extractFromFile': 'Files/ExtractFromFile/ExtractFromFile',
};

/** Returns our built nodes, and n8n's installed nodes, which are loaded on first use. */
export function loadNodeTypes(): INodeTypes {
	const known: Record<string, AnyNodeType> = builtNodes();
	return createNodeTypes(
		(type) => (known[type] ??= loadStock(`nodes/${STOCK_FILES[type]}.node.js`)),
	);
}

/** Returns our credentials, and the credential with which HTTP Request sends a key. */
export function loadCredentialTypes(): ICredentialType[] {
	return [...builtCredentials(), loadStock('credentials/HttpHeaderAuth.credentials.js')];
}

function loadStock<T>(path: string): T {
	return instanceOf(`n8n-nodes-base/dist/${path}`);
}
