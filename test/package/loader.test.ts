/** The built package (dist) in n8n's own loader: types, icons, codex files, and the parameters of each node. */
import { PackageDirectoryLoader } from 'n8n-core';
import type { INode, INodeProperties, INodePropertyCollection, INodeType } from 'n8n-workflow';

import manifest from '../../package.json';
import { ROOT } from '../../dev/base/project';
import { issuesOf, parametersOf } from '../../dev/engine/version';

const NAMES = manifest.n8n.nodes.map((path) => path.split('/')[2]);
const TYPES = NAMES.map((name) => name[0].toLowerCase() + name.slice(1));

const loader = new PackageDirectoryLoader(ROOT);
beforeAll(async () => await loader.loadAll());

function nodeType(name: string): INodeType {
	return loader.getNode(name).type as INodeType;
}

test('all nodes and credentials load', () => {
	expect(loader.types.nodes.map(({ name }) => name.replace(/^.*\./, '')).sort()).toEqual(
		[...TYPES].sort(),
	);
	const credentials = loader.types.credentials.map(({ name }) => name);
	expect(credentials.sort()).toEqual(['segmindApi', 'segmindSessionApi']);
});

describe.each(TYPES)('%s', (name) => {
	test('has its connections, icon and codex', () => {
		const { description } = nodeType(name);
		expect(description.outputs).toEqual(['main']);
		expect(description.inputs).toEqual(name.endsWith('Trigger') ? [] : ['main']);
		expect(description.codex).toMatchObject({ categories: expect.any(Array) });
		const known = loader.types.nodes.find((type) => type.name.endsWith(name));
		for (const url of Object.values(known?.iconUrl as object))
			expect(url).toMatch(/^icons\/.*\.svg$/);
	});

	test('has no parameter issues in any operation, except for required fields', () => {
		const { description } = nodeType(name);
		for (const parameters of choicesOf(description.properties)) {
			const node: INode = {
				id: '1',
				name,
				type: name,
				typeVersion: 1,
				position: [0, 0],
				parameters,
			};
			const complete = { ...node, parameters: parametersOf(description, node, true) };
			expect(complete.parameters).toMatchObject(parameters);
			const required = description.properties
				.filter((property) => property.required)
				.map((property) => property.name);
			const missing = Object.keys(issuesOf(description, complete)?.parameters ?? {});
			expect(missing.filter((parameter) => !required.includes(parameter))).toEqual([]);
		}
	});

	test('a display condition names a parameter of the same level or begins at the root, as older n8n requires', () => {
		expect(unknownNames(nodeType(name).description.properties)).toEqual([]);
	});
});

/** Returns the names in display conditions that older n8n can't find (docs/n8n.md N280), also in nested parameters. */
function unknownNames(parameters: INodeProperties[]): string[] {
	const names = parameters.map((parameter) => parameter.name);
	return parameters.flatMap(({ displayOptions: { show, hide } = {}, type, options = [] }) => [
		...Object.keys({ ...show, ...hide }).filter(
			(name) => !/^[@/]/.test(name) && !names.includes(name),
		),
		...(type === 'collection' ? unknownNames(options as INodeProperties[]) : []),
		...(type === 'fixedCollection'
			? (options as INodePropertyCollection[]).flatMap(({ values }) => unknownNames(values))
			: []),
	]);
}

/** Returns every combination of resource and operation, and an empty one. */
function choicesOf(
	properties: INodeProperties[],
): Array<{ resource?: string; operation?: string }> {
	const chosen = properties
		.filter((property) => property.name === 'operation')
		.flatMap(({ options, displayOptions }) => {
			const resources = (displayOptions?.show?.resource as string[] | undefined) ?? [undefined];
			const operations = (options ?? []).map((option) => (option as { value: string }).value);
			return resources.flatMap((resource) =>
				operations.map((operation) => ({ ...(resource && { resource }), operation })),
			);
		});
	return [{}, ...chosen];
}
