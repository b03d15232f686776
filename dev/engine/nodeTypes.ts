import type { INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

export type AnyNodeType = INodeType | IVersionedNodeType;

/** The node types of an n8n. `typeOf` returns one by its full name, and is called again each time. */
export function nodeTypesBy(typeOf: (type: string) => AnyNodeType): INodeTypes {
	return {
		getByName: typeOf,
		getByNameAndVersion: (type, version) => NodeHelpers.getVersionedNodeType(typeOf(type), version),
		getKnownTypes: () => ({}),
	};
}

/** An n8n in which every node is of one type. */
export function onlyNodeType(nodeType: INodeType): INodeTypes {
	return nodeTypesBy(() => nodeType);
}
