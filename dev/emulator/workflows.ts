/** The three workflows published on this emulator: inputs, their types, and the named outputs. */
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
	cost: number;
	inputs: WorkflowInput[];
	outputs: WorkflowOutput[];
	/** Whether values are plain instead of {data, type}. */
	plain?: boolean;
}

const publishedWorkflows = published as PublishedWorkflow[];

export function findWorkflow(slug: string): PublishedWorkflow | undefined {
	return publishedWorkflows.find((workflow) => workflow.slug === slug);
}

/** What is wrong with the inputs, as text, or undefined. */
export function inputFault(
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
