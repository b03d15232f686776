import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { searchModels } from '../shared/catalogue/listSearch';
import { fields } from './fields';
import { pollOnce } from './poll';

export class SegmindTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Trigger',
		name: 'segmindTrigger',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ { requestFinished: "request finished", fineTuneStatusChanged: "fine-tune status changed", creditsBelow: "credits below " + $parameter["threshold"] }[$parameter["event"]] }}',
		description:
			'Starts the workflow when a request finishes, a fine-tune changes its status, or credits run low',
		defaults: { name: 'Segmind Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties: fields,
	};

	methods = { listSearch: { searchModels } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollOnce(this);
	}
}
