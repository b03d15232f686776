/** What the editor offers where an AI agent calls a node; n8n calls that type by the node's name with Tool behind it. */
import { NodeHelpers, type INodePropertyOptions } from 'n8n-workflow';

import { actionNode } from '../helpers/packageNodes';

test('Segmind Asset has no public URL as a source', () => {
	const { description } = actionNode('segmindAsset');
	const source = description.properties.find(({ name }) => name === 'source');
	const offered = (name: string) =>
		(source?.options as INodePropertyOptions[])
			.filter((option) => NodeHelpers.displayParameter({}, option, null, { ...description, name }))
			.map(({ value }) => value);
	expect(offered('segmindAsset')).toEqual(['binary', 'dataUrl', 'url']);
	expect(offered('segmindAssetTool')).toEqual(['binary', 'dataUrl']);
});
