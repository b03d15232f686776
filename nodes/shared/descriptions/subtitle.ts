import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * Returns an expression, without its braces, for the name of the chosen operation, such as `Upload File`, or `API Key: Create` if the node has resources. The
 * names are part of the expression, because an expression can read only the parameters' values.
 */
export function operationTitle(properties: readonly INodeProperties[]): string {
	const resources = choicesOfField(properties.find(({ name }) => name === 'resource'));
	const nameEntries = properties
		.filter(({ name }) => name === 'operation')
		.flatMap((property) => {
			const resource = property.displayOptions?.show?.resource?.[0];
			const object = resources.find(({ value }) => value === resource)?.name;
			return choicesOfField(property).map(({ name, value }) => [
				`${String(resource ?? '')}.${String(value)}`,
				object === undefined ? name : `${object}: ${name}`,
			]);
		});
	const namesJson = JSON.stringify(Object.fromEntries(nameEntries));
	return `(${namesJson})[($parameter["resource"] ?? "") + "." + $parameter["operation"]]`;
}

function choicesOfField(property: INodeProperties | undefined): INodePropertyOptions[] {
	return (property?.options ?? []) as INodePropertyOptions[];
}
