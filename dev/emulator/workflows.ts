/** The three workflows that are published on the emulator, with their inputs and named outputs. */
import published from './publishedWorkflows.json';

interface WorkflowInput {
	name: string;
	type: 'text' | 'url' | 'number';
	required: boolean;
}

interface WorkflowOutput {
	keyname: string;
	type: 'image' | 'video' | 'audio' | 'text' | 'number' | 'boolean';
}

export interface PublishedWorkflow {
	slug: string;
	/** The ID and version by which it was called before workflows had slugs (docs/service.md S153). */
	id?: string;
	cost: number;
	inputs: WorkflowInput[];
	outputs: WorkflowOutput[];
	/** Whether an output's value is the data itself instead of {data, type}. */
	plain?: boolean;
}

const publishedWorkflows = published as PublishedWorkflow[];

export function findWorkflow(slug: string): PublishedWorkflow | undefined {
	return publishedWorkflows.find((workflow) => workflow.slug === slug);
}

export function findWorkflowById(id: string): PublishedWorkflow | undefined {
	return publishedWorkflows.find((workflow) => workflow.id === id);
}

/** Returns what is wrong with the inputs, or undefined if they are valid. */
export function inputProblem(
	workflow: PublishedWorkflow,
	input: Record<string, unknown>,
): string | undefined {
	for (const { name, type, required } of workflow.inputs) {
		const value = input[name];
		if (value === undefined || value === null || value === '') {
			if (required) return `Missing required input: ${name}`;
			continue;
		}
		if (type === 'number' ? typeof value !== 'number' : typeof value !== 'string') {
			return `Invalid type for input ${name}: expected ${type === 'number' ? 'number' : 'string'}`;
		}
		if (type === 'url' && !/^https?:\/\//.test(String(value)))
			return `Invalid value for input ${name}: expected a URL`;
	}
	return undefined;
}
