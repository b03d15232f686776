/** Finds the fields of a node in its description. */
import { NodeHelpers, type INode, type INodeProperties } from 'n8n-workflow';

/** What a node's description says about a field. */
export interface Field {
	/** The name that errors use: as the user sees it. */
	label: string;
	/** Whether it must not be empty. */
	isRequired: boolean;
	/** Whether no error may quote it. */
	isSecret: boolean;
	default: unknown;
}

/** Returns the field at a path such as `options.timeoutSeconds`; undefined if the node has none there. */
export type FindField = (path: string) => Field | undefined;

/** Returns the finder of a node's fields. Of several fields with one name, it finds the one that the node's parameters show. */
export function fieldFinder(properties: readonly INodeProperties[], node: INode): FindField {
	const found = new Map<string, Field | undefined>();
	return (path) => {
		if (!found.has(path)) found.set(path, fieldAt(path, properties, node));
		return found.get(path);
	};
}

function fieldAt(
	path: string,
	properties: readonly INodeProperties[],
	node: INode,
): Field | undefined {
	const [name, memberName] = path.split('.');
	const named = properties.filter((property) => property.name === name);
	const isShown = (property: INodeProperties) =>
		NodeHelpers.displayParameter(node.parameters, property, node, null);
	const property = named.find(isShown) ?? named.at(0);
	const member = property?.options?.find((option) => option.name === memberName);
	// The rows of a table have no field of their own.
	if (!property || !member || !('type' in member)) return property && fieldOf(property);
	const field = fieldOf(member);
	return { ...field, label: `${property.displayName} > ${field.label}` };
}

function fieldOf(property: INodeProperties): Field {
	return {
		label: property.displayName,
		isRequired: property.required === true,
		isSecret: property.typeOptions?.password === true,
		default: property.default,
	};
}
