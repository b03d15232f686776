import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** A node's subtitle: the display name of the chosen operation, because an expression only has its value; for Get Many also the resource. */
export function operationSubtitle(properties: readonly INodeProperties[]): string {
	const resources = optionsOf(properties.find(({ name }) => name === 'resource'));
	const names = properties
		.filter(({ name }) => name === 'operation')
		.flatMap((property) => {
			const resource = property.displayOptions?.show?.resource?.[0];
			const object = resources.find(({ value }) => value === resource)?.name;
			return optionsOf(property).map(({ name, value }) => [
				`${String(resource ?? '')}.${String(value)}`,
				object !== undefined && name === 'Get Many' ? `${object}: ${name}` : name,
			]);
		});
	const map = JSON.stringify(Object.fromEntries(names));
	return `={{ (${map})[($parameter["resource"] ?? "") + "." + $parameter["operation"]] }}`;
}

function optionsOf(property: INodeProperties | undefined): INodePropertyOptions[] {
	return (property?.options ?? []) as INodePropertyOptions[];
}
