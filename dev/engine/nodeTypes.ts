import type { INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

export type AnyNodeType = INodeType | IVersionedNodeType;

/** Returns the node types of an n8n instance. n8n calls `typeOf` with a full type name each time that it needs the node type. */
export function createNodeTypes(typeOf: (type: string) => AnyNodeType): INodeTypes {
	return {
		getByName: typeOf,
		getByNameAndVersion: (type, version) => NodeHelpers.getVersionedNodeType(typeOf(type), version),
		getKnownTypes: () => ({}),
	};
}

/** Returns the node types of an n8n instance in which every node has the same type. */
export function nodeTypesOfOne(nodeType: INodeType): INodeTypes {
	return createNodeTypes(() => nodeType);
}
