import type { INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { searchAllModels } from '../shared/catalogue/modelPicker';
import { fields } from './triggerFields';
import { pollOnce } from './pollOnce';

export class SegmindTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Trigger',
		name: 'segmindTrigger',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ { requestFinished: "Request Finished", fineTuneStatusChanged: "Fine-Tune Status Changed", creditsBelow: "Credits Below " + $parameter["threshold"] }[$parameter["event"]] }}',
		// n8n shows the types `segmind` and `segmindTrigger` as one entry with this text.
		description: 'Generate media and text, or watch requests',
		defaults: { name: 'Segmind Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties: fields,
	};

	methods = { listSearch: { searchModels: searchAllModels } };

	async poll(this: IPollFunctions) {
		return await pollOnce(this);
	}
}
