import type {
	INode,
	INodeParameters,
	INodeType,
	INodeTypes,
	IVersionedNodeType,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

/** The settings of one of our nodes in a workflow. */
export interface NodeSettings {
	parameters: INodeParameters;
	/** `node1` by default. */
	nodeId?: string;
	/** n8n's On Error setting. */
	onError?: INode['onError'];
	/** Max. Tries of Retry On Fail; 1 turns it off. */
	tries?: number;
	/** The ID of all the node's credentials; `credential1` by default. */
	credentialId?: string;
}

/** Returns a node named Segmind, with every credential that its type can have. */
export function nodeOf(
	{ parameters, nodeId = 'node1', onError, tries = 1, credentialId = 'credential1' }: NodeSettings,
	{ description }: INodeType,
): INode {
	return {
		id: nodeId,
		name: 'Segmind',
		type: description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		onError,
		...(tries > 1 && { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 }),
		credentials: Object.fromEntries(
			(description.credentials ?? []).map(({ name }) => [name, { id: credentialId, name }]),
		),
	};
}

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
