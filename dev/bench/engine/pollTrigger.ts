import { PollContext } from 'n8n-core';
import type { INode } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { additionalData } from '../../demo/engine';
import { costOf } from './cost';
import type { PollReport, PollRun } from './messages';
import { nodeTypes } from './nodeTypes';

const TYPE = 'n8n-nodes-segmind.segmindTrigger';

/** The poll with which n8n activates Segmind Trigger. */
export async function pollTrigger({ parameters, credentials }: PollRun): Promise<PollReport> {
	const node: INode = {
		id: 'trigger',
		name: 'Segmind Trigger',
		type: TYPE,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { segmindApi: { id: 'bench', name: 'bench' } },
	};
	const types = nodeTypes();
	const workflow = new Workflow({
		id: 'bench',
		nodes: [node],
		connections: {},
		active: true,
		nodeTypes: types,
		settings: {},
	});
	const surroundings = additionalData(
		{ name: 'bench', nodes: [node], connections: {}, settings: {} },
		credentials,
		() => {},
	);
	const context = new PollContext(workflow, node, surroundings, 'trigger', 'activate');
	const { value, cost } = await costOf(
		async () => await types.getByNameAndVersion(TYPE).poll?.call(context),
	);
	return { ...cost, items: value?.[0].length ?? 0 };
}
