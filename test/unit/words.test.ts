/** All nodes use the same names for the same parameters. */
import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { ACTION_NODES } from '../helpers/packageNodes';

const nodes = [...Object.values(ACTION_NODES), SegmindTrigger, SegmindFineTuneTrigger].map(
	(nodeType) => new nodeType().description,
);

const parameters = nodes
	.flatMap(({ properties }) => properties.flatMap(withMembers))
	.filter(({ type }) => type !== 'notice');

function withMembers(parameter: INodeProperties): INodeProperties[] {
	const { type, options = [] } = parameter;
	if (type === 'collection')
		return [parameter, ...(options as INodeProperties[]).flatMap(withMembers)];
	if (type !== 'fixedCollection') return [parameter];
	return [parameter, ...(options as INodePropertyCollection[]).flatMap(({ values }) => values)];
}

test('a parameter has the same display name in every node', () => {
	const displayNames = new Map<string, Set<string>>();
	for (const { name, displayName } of parameters)
		displayNames.set(name, (displayNames.get(name) ?? new Set()).add(displayName));
	const ambiguous = [...displayNames].filter(([, names]) => names.size > 1);
	// In some of the service's calls, `name` is the name of a file.
	expect(Object.fromEntries(ambiguous)).toEqual({ name: new Set(['Name', 'File Name']) });
});
