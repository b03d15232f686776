import type { INodeParameters } from 'n8n-workflow';

import type { Execution } from '../../dev/n8n/n8nApi';
import { fillAccount } from '../../dev/n8n/sampleAccount';
import { errorOf, itemsOf, node, slug, started } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();
let picture: string;
beforeEach(async () => {
	host.it.emulator.reset();
	({ picture } = await fillAccount(host.it.emulator));
});

/** Activates webhook → node, calls its production URL and waits for the execution. */
async function inProduction(type: string, parameters: INodeParameters): Promise<Execution> {
	const production = { ...host.it, hooks: host.it.n8n.url };
	const { id } = await started(production, [node(type, parameters)]);
	return await host.it.api.ended(id);
}

test.each<[type: string, operation: string, parameters: () => INodeParameters, wanted: object]>([
	[
		'segmind',
		'generate',
		() => ({ model: slug('nano-banana'), prompt: 'a lighthouse', options: {} }),
		{ status: 'COMPLETED', model: 'nano-banana' },
	],
	[
		'segmindWorkflow',
		'run',
		() => ({
			slug: 'product-photo',
			options: { requestBody: '{"prompt":"a pot"}' },
		}),
		{ status: 'COMPLETED', workflow: 'product-photo' },
	],
	[
		'segmindAsset',
		'upload',
		() => ({ source: 'url', url: picture, options: {} }),
		{ url: expect.any(String) },
	],
	['segmindCredits', 'get', () => ({}), { credits: 100, total: 100 }],
	['segmindEndpoint', 'getAll', () => ({ options: {} }), { endpoint_name: 'product-photos' }],
	[
		'segmindFineTune',
		'getAll',
		() => ({ resource: 'job', options: {} }),
		{ name: 'sneakers', status: 'AVAILABLE' },
	],
	[
		'segmindAccount',
		'getProfile',
		() => ({ resource: 'session' }),
		{ username: 'emulated-user', email: 'user@example.com' },
	],
])('%s runs in production', async (type, operation, parameters, wanted) => {
	const execution = await inProduction(type, { operation, ...parameters() });
	expect(errorOf(execution)).toBe('');
	expect([execution.status, execution.mode]).toEqual(['success', 'webhook']);
	expect(itemsOf(execution, type)[0].json).toMatchObject(wanted);
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
		const execution = await inProduction('segmind', {
			resource,
			operation,
			prompt: 'waves',
			options: operation === 'edit' ? { additionalParameters: { values: [image] } } : {},
		});
		expect(errorOf(execution)).toBe('');
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

describe('the Test button', () => {
	test.each(['segmindApi', 'segmindSessionApi'] as const)('accepts a good %s', async (type) => {
		const { api, credentials } = host.it;
		expect(await api.testCredential(type, credentials[type])).toEqual({
			status: 'OK',
			message: expect.any(String),
		});
	});

	test('refuses a wrong API key', async () => {
		const { api, emulator } = host.it;
		const data = { ...emulator.credentials, apiKey: 'SG_wrong' };
		const ref = await api.createCredential('segmindApi', 'wrong', data);
		const { status, message } = await api.testCredential('segmindApi', ref);
		expect([status, message]).toEqual(['Error', expect.stringContaining('Wrong key')]);
	});
});

test('the editor gets every node and its icons', async () => {
	const { api, n8n } = host.it;
	const types = JSON.parse((await api.download('/types/nodes.json')).toString()) as Array<{
		name: string;
		iconUrl?: string | { light: string; dark: string };
	}>;
	const ours = types.filter(({ name }) => name.startsWith('n8n-nodes-segmind.'));
	const names = ours.map(({ name }) => name.split('.')[1]).filter((name) => !name.endsWith('Tool'));
	expect(names.sort()).toEqual([
		'segmind',
		'segmindAccount',
		'segmindAsset',
		'segmindCredits',
		'segmindEndpoint',
		'segmindFineTune',
		'segmindFineTuneTrigger',
		'segmindTrigger',
		'segmindWorkflow',
	]);
	// Each action node can be an agent's tool.
	expect(ours).toHaveLength(9 + 7);
	for (const { iconUrl } of ours) {
		const { light, dark } = iconUrl as { light: string; dark: string };
		for (const path of [light, dark]) {
			const icon = await fetch(`${n8n.url}/${path}`);
			expect([path, icon.status, icon.headers.get('content-type')]).toEqual([
				path,
				200,
				expect.stringContaining('svg'),
			]);
		}
	}
});
