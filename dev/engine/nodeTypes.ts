import type { INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

export type AnyNodeType = INodeType | IVersionedNodeType;

/** The node types of an n8n. `typeOf` returns a node type by its full name; it's called each time that n8n needs one. */
export function createNodeTypes(typeOf: (type: string) => AnyNodeType): INodeTypes {
	return {
		getByName: typeOf,
		getByNameAndVersion: (type, version) => NodeHelpers.getVersionedNodeType(typeOf(type), version),
		getKnownTypes: () => ({}),
	};
}

/** The node types of an n8n in which every node has the same type. */
export function nodeTypesOfOne(nodeType: INodeType): INodeTypes {
	return createNodeTypes(() => nodeType);
}
