/** The three workflows published on this emulator: inputs, their types, and the named outputs. */

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
	/** Values stand bare instead of as {data, type}. */
	plain?: boolean;
}

const publishedWorkflows: readonly PublishedWorkflow[] = [
	{
		slug: 'product-photo',
		cost: 0.0819,
		inputs: [
			{ name: 'prompt', type: 'text', required: true },
			{ name: 'reference', type: 'url', required: false },
		],
		outputs: [
			{ keyname: 'final_image', type: 'image' },
			{ keyname: 'caption', type: 'text' },
		],
	},
	{
		slug: 'story-video',
		cost: 0.447,
		inputs: [
			{ name: 'story', type: 'text', required: true },
			{ name: 'seconds', type: 'number', required: false },
		],
		outputs: [
			{ keyname: 'final_video', type: 'video' },
			{ keyname: 'narration', type: 'audio' },
		],
	},
	{
		slug: 'plain-values',
		cost: 0.0055,
		inputs: [{ name: 'prompt', type: 'text', required: true }],
		outputs: [
			{ keyname: 'picture', type: 'image' },
			{ keyname: 'title', type: 'text' },
			{ keyname: 'score', type: 'number' },
			{ keyname: 'approved', type: 'boolean' },
		],
		plain: true,
	},
];

export function findWorkflow(slug: string): PublishedWorkflow | undefined {
	return publishedWorkflows.find((workflow) => workflow.slug === slug);
}

/** What is wrong with the inputs, in words, or undefined. */
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
