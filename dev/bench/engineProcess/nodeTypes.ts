/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createRequire } from 'node:module';

import type { INodeTypes } from 'n8n-workflow';

import { builtNodes } from '../../base/builtNodes';
import { nodeTypesBy, type AnyNodeType } from '../../engine/nodeTypes';

const load = createRequire(__filename);

/** n8n's own nodes that users build the polling loop of, by type name. */
const STOCK: Record<string, [path: string, name: string]> = {
	'n8n-nodes-base.httpRequest': ['HttpRequest/HttpRequest', 'HttpRequest'],
	'n8n-nodes-base.wait': ['Wait/Wait', 'Wait'],
	'n8n-nodes-base.if': ['If/If', 'If'],
	'n8n-nodes-base.extractFromFile': ['Files/ExtractFromFile/ExtractFromFile', 'ExtractFromFile'],
};

/** Ours as built, and n8n's own as installed; loaded at the first need. */
export function nodeTypes(): INodeTypes {
	const known: Record<string, AnyNodeType> = builtNodes();
	return nodeTypesBy((type) => (known[type] ??= stockNode(type)));
}

function stockNode(type: string): AnyNodeType {
	const [path, name] = STOCK[type];
	const loaded = load(`n8n-nodes-base/dist/nodes/${path}.node.js`) as Record<
		string,
		new () => AnyNodeType
	>;
	return new loaded[name]();
}
