import { startEmulator, type Emulator } from '../../dev/emulator';
import { bare, type Loose } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator();
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const url = (): string => `${emulator.urls.admin}/inference-model-information/list`;
const key = 'Inference Segmind Model Information List With Details';
async function listed(): Promise<Loose[]> {
	return (await bare(emulator, url())).json[key];
}
const entryOf = (list: Loose[], slug: string): Loose =>
	list.find((entry) => entry && entry.slug === slug);

test('needs no key, marks retired models and knows no private ones', async () => {
	const list = await listed();
	expect(list.length).toBeGreaterThan(40);
	expect(entryOf(list, 'veo-3.1')).toMatchObject({
		title: 'Veo 3.1',
		type: 'textToVideo',
		is_visible: true,
		is_depreciated: false,
	});
	expect(entryOf(list, 'sd1.5-txt2img')).toMatchObject({ is_depreciated: true });
	expect(entryOf(list, 'my-endpoint')).toBeUndefined();
});

test('each model has its own parameters', async () => {
	const sets = (await listed()).map(({ slug, parameters }) => [slug, Object.keys(parameters)]);
	const of = new Map(sets as Array<[string, string[]]>);
	expect(of.get('bg-removal-v2')).toEqual(['image', 'type', 'custom_color']);
	expect(of.get('ace-step-music')).not.toContain('prompt');
	expect(new Set(sets.map(([, names]) => String(names))).size).toBeGreaterThan(30);
});

test('describes parameters as the user interface takes them', async () => {
	const list = await listed();
	expect(entryOf(list, 'kling-2.6').parameters).toMatchObject({
		prompt: { type: 'str', label: 'Prompt', isRequired: true, displayOrder: 1 },
		duration: { type: 'str', component: 'dropdown', options: ['5', '10'] },
		mode: { component: 'dropdown', options: ['std', 'pro'] },
		cfg_scale: { type: 'float', min: 0, max: 1 },
	});
	expect(entryOf(list, 'flux-dev').parameters).toMatchObject({
		steps: { component: 'slider', min: 1, max: 50, default: 25, affectsPricing: true },
		seed: { type: 'int', isAdvanced: true },
		base64: { hidden: true },
	});
	expect(entryOf(list, 'runway-gen4-turbo').parameters).toMatchObject({
		promptText: { type: 'str', isRequired: true },
		promptImage: { type: 'image', isRequired: true },
	});
	for (const { parameters } of list) {
		const orders = Object.values<Loose>(parameters).map(({ displayOrder }) => displayOrder);
		expect(new Set(orders).size).toBe(orders.length);
	}
});

test('slow, and out of reach', async () => {
	emulator.fault({ on: 'models', do: { delayMs: 60 } });
	const start = performance.now();
	expect((await bare(emulator, url())).status).toBe(200);
	expect(performance.now() - start).toBeGreaterThanOrEqual(58);
	await emulator.refuse('admin');
	// The first call may still use a pooled connection, which is cut.
	await expect(bare(emulator, url())).rejects.toThrow();
	await expect(bare(emulator, url())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	await emulator.listen('admin');
});
