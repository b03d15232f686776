import { fillAccount } from '../../dev/n8n/sampleAccount';
import { errorOf, itemsOf, node, started } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();
let picture: string;
beforeEach(async () => {
	host.it.emulator.reset();
	({ picture } = await fillAccount(host.it.emulator));
});

test.each([
	['image', 'generate'],
	['image', 'edit'],
	['video', 'generate'],
	['audio', 'generate'],
	['text', 'generate'],
])(
	'%s, %s: the default model runs, and the item has what the editor was told',
	async (resource, operation) => {
		const { api } = host.it;
		const image = { name: 'image', type: 'string', stringValue: picture };
		const options = operation === 'edit' ? { additionalParameters: { values: [image] } } : {};
		const parameters = { resource, operation, prompt: 'waves', options };
		const production = { ...host.it, hooks: host.it.n8n.url };
		const { id } = await started(production, [node('segmind', parameters)]);
		const execution = await api.ended(id);
		expect([execution.mode, errorOf(execution)]).toEqual(['webhook', '']);
		const address = `/schemas/n8n-nodes-segmind.segmind/1.0.0/${resource}/${operation}.json`;
		const { properties } = JSON.parse((await api.download(address)).toString()) as {
			properties: Record<string, { type: string }>;
		};
		const [{ json }] = itemsOf(execution, 'segmind');
		const types = Object.entries(properties).map(([name, { type }]) => [name, type]);
		expect(Object.keys(json)[0]).toBe(types[0][0]);
		expect(types.map(([name]) => [name, typeof json[name]])).toEqual(types);
	},
);

// That good ones are accepted is in test/browser/panels.ts.
test('the Test button refuses a wrong API key', async () => {
	const { api, emulator } = host.it;
	const data = { ...emulator.credentials, apiKey: 'SG_wrong' };
	const ref = await api.createCredential('segmindApi', 'wrong', data);
	const { status, message } = await api.testCredential('segmindApi', ref);
	expect([status, message]).toEqual(['Error', expect.stringContaining('Wrong key')]);
});
