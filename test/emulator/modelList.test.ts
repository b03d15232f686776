/** The public list of models. */
import type { Orders } from '../../dev/emulator';
import { bare, submit, useDrivenEmulator, type Loose } from './client';

const { emulator } = useDrivenEmulator();

async function body(orders: Partial<Orders> = {}): Promise<Loose> {
	emulator.it.set(orders);
	return (await bare(emulator.it, `${emulator.it.urls.admin}/inference-model-information/list`))
		.json;
}
/** The entries under their usual key, by slug. */
async function listed(orders: Partial<Orders> = {}): Promise<Map<string, Loose>> {
	const [entries] = Object.values<Loose[]>(await body(orders));
	return new Map(entries.map((entry) => [entry?.slug, entry]));
}

test('needs no key, marks retired models and knows no private ones', async () => {
	const list = await listed();
	expect(list.get('veo-3.1')).toMatchObject({ type: 'textToVideo', is_depreciated: false });
	expect(list.get('sd1.5-txt2img')).toMatchObject({ is_depreciated: true });
	expect(list.has('my-endpoint')).toBe(false);
	const sets = [...list.values()].map(({ parameters }) => String(Object.keys(parameters)));
	expect(new Set(sets).size).toBeGreaterThan(30);
	expect(list.get('kling-2.6').parameters).toMatchObject({
		prompt: { type: 'str', label: 'Prompt', isRequired: true, displayOrder: 1 },
		duration: { type: 'str', component: 'dropdown', options: ['5', '10'] },
		cfg_scale: { type: 'float', min: 0, max: 1 },
	});
	expect(await body({ modelList: false })).not.toHaveProperty('length');
});

test.each<[Orders['modelParameters'], unknown]>([
	['missing', undefined],
	['null', null],
	['list', expect.arrayContaining([expect.objectContaining({ name: 'prompt' })])],
	['textDefaults', expect.objectContaining({ steps: expect.objectContaining({ min: '1' }) })],
	['unknown', expect.objectContaining({ steps: expect.objectContaining({ type: 'tensor' }) })],
	['hostile', expect.objectContaining({ no_object: 'str', '=1+1': expect.anything() })],
])('parameters by order: %s', async (modelParameters, seen) => {
	expect((await listed({ modelParameters })).get('flux-dev').parameters).toEqual(seen);
});

test.each<[Orders['modelListPlace'], (body: Loose) => unknown[]]>([
	['array', (list) => list],
	['models', ({ models }) => models],
	['data', ({ data }) => data.models],
])('the list in another place: %s', async (modelListPlace, listIn) => {
	expect(listIn(await body({ modelListPlace })).length).toBeGreaterThan(40);
});

test('hidden, extra and hostile entries', async () => {
	const orders = { hiddenModels: ['flux-dev'], extraModels: 3000, hostileModels: true };
	const list = await listed(orders);
	expect(list.get('flux-dev').is_visible).toBe(false);
	expect((await submit(emulator.it, 'flux-dev')).status).toBe(200);
	expect(list.has('extra-model-3000')).toBe(true);
	expect(list.get('__proto__').title).toBe('=__proto__');
});
