import type { INode } from 'n8n-workflow';

import { readExample } from '../../dev/base/workflows';
import type { Execution, SavedWorkflow } from '../../dev/n8n/n8nApi';
import { readyToRun, type Furnishing } from '../../dev/n8n/sampleAccount';
import type { SingleN8n } from '../../dev/n8n/singleN8n';
import { errorOf, until } from './n8nWorkflows';

/** Imports an example; `change` alters parameters by the name of their node, `pinData` stands for the output of nodes. */
export async function importedExample(
	{ api, credentials }: SingleN8n,
	file: string,
	furnishing: Furnishing,
	change: Record<string, Partial<INode['parameters']>> = {},
	pinData: object = {},
): Promise<SavedWorkflow> {
	const workflow = readyToRun(readExample(file), furnishing);
	const nodes = workflow.nodes.map((node) => ({
		...node,
		parameters: { ...node.parameters, ...change[node.name] } as INode['parameters'],
	}));
	return await api.createWorkflow({ ...workflow, nodes, pinData }, credentials);
}

/** Waits for an execution, which must succeed. */
export async function succeeded({ api }: SingleN8n, id: string): Promise<Execution> {
	const execution = await api.ended(id);
	expect(errorOf(execution)).toBe('');
	expect(execution.status).toBe('success');
	return execution;
}

/** Waits for the first execution of an active workflow. @throws when that takes too long */
export async function firstExecution(
	{ api }: SingleN8n,
	{ id }: SavedWorkflow,
): Promise<Execution> {
	await until(async () => (await api.executions(id)).length > 0);
	return await api.ended((await api.executions(id)).at(-1)!.id, ['waiting']);
}
