/** What the nodes call things: one word for one thing, over all of them. */
import type { INodeProperties, INodePropertyCollection, INodePropertyMode } from 'n8n-workflow';

import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { ACTION_NODES } from '../helpers/packageNodes';

const NODES = [...Object.values(ACTION_NODES), SegmindTrigger, SegmindFineTuneTrigger].map(
	(nodeType) => new nodeType().description,
);

const parameters = NODES.flatMap(({ name, properties }) =>
	properties.flatMap(withMembers).map((parameter) => ({ node: name, parameter })),
).filter(({ parameter }) => parameter.type !== 'notice');

function withMembers(parameter: INodeProperties): INodeProperties[] {
	const { type, options = [] } = parameter;
	if (type === 'collection')
		return [parameter, ...(options as INodeProperties[]).flatMap(withMembers)];
	if (type !== 'fixedCollection') return [parameter];
	return [parameter, ...(options as INodePropertyCollection[]).flatMap(({ values }) => values)];
}

/** What stands for each key, where it is more than one. */
function several(pairs: Array<[key: string, said: string | undefined]>): Record<string, unknown> {
	const found = new Map<string, Set<string | undefined>>();
	for (const [key, said] of pairs) found.set(key, (found.get(key) ?? new Set()).add(said));
	return Object.fromEntries(
		[...found].filter(([, all]) => all.size > 1).map(([key, all]) => [key, [...all]]),
	);
}

test('a parameter of one name is called the same in every node', () => {
	const names = parameters.map(({ parameter }): [string, string] => [
		parameter.name,
		parameter.displayName,
	]);
	// The service calls the name of a file so.
	expect(several(names)).toEqual({ name: ['Name', 'File Name'] });
});

test("a picker's modes are called what n8n shows for them", () => {
	const labels: Record<string, string> = { list: 'From List', id: 'By ID', url: 'By URL' };
	const modes = parameters.flatMap(({ node, parameter }) =>
		((parameter.modes ?? []) as INodePropertyMode[]).map((mode) => ({
			where: `${node}.${parameter.name}`,
			...mode,
		})),
	);
	expect(modes.length).toBeGreaterThan(10);
	expect(
		modes.filter(({ name, displayName }) => displayName !== (labels[name] ?? displayName)),
	).toEqual([]);
});
