/** The public list of models. */
import { bare, useDrivenEmulator, type Loose } from './client';

const { emulator } = useDrivenEmulator();

/** The entries under their usual key, by slug. */
async function listed(): Promise<Map<string, Loose>> {
	const address = `${emulator.it.urls.admin}/inference-model-information/list`;
	const [entries] = Object.values<Loose[]>((await bare(emulator.it, address)).json);
	return new Map(entries.map((entry) => [entry?.slug, entry]));
}

test('needs no key, marks retired models and knows no private ones', async () => {
	const list = await listed();
	expect(list.get('veo-3.1')).toMatchObject({ type: 'textToVideo', is_depreciated: false });
	expect(list.get('sd1.5-txt2img')).toMatchObject({ is_depreciated: true });
	expect(list.has('my-endpoint')).toBe(false);
	expect(list.get('kling-2.6').parameters).toMatchObject({
		prompt: { type: 'str', label: 'Prompt', isRequired: true, displayOrder: 1 },
		duration: { type: 'str', component: 'dropdown', options: ['5', '10'] },
		cfg_scale: { type: 'float', min: 0, max: 1 },
	});
});
