/** Every shape a result comes in, as items, files and text. */
import type { IDataObject } from 'n8n-workflow';

import type { ResultShape } from '../../dev/emulator';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES, PARTS } from '../../nodes/shared/errors/errorTable';
import { saying } from '../helpers/errorTexts';
import { bytesOf } from '../helpers/runNode';
import { model, running } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const run = async (slug: string, more: IDataObject = {}, options: IDataObject = {}) =>
	await runNode({ parameters: running({ model: model(slug), ...more } as never, options) });

describe('v2', () => {
	test.each([
		['nano-banana-pro', 'image/png'],
		['seedance-2.0', 'video/mp4'],
		['gemini-2.5-flash-tts', 'audio/'],
	])('%s gives its file, addresses, cost and balance', async (slug, mimeType) => {
		const { items, json } = await run(slug);
		expect(items[0].binary?.data.mimeType).toContain(mimeType);
		expect(items[0].binary?.data.fileName).toMatch(/\.\w+$/);
		expect(json[0]).toMatchObject({
			status: 'COMPLETED',
			model: slug,
			url: expect.stringMatching(/^http/),
			cost: expect.any(Number),
			remaining_credits: expect.any(Number),
		});
		expect(json[0].cost).toBe(emulator.it.charged);
	});

	test.each<[ResultShape]>([
		['images'],
		['video'],
		['videoArray'],
		['audio'],
		['outputUrl'],
		['outputUrls'],
		['outputJson'],
		['outputObject'],
	])('shape %s: every file once, in order', async (resultShape) => {
		emulator.it.set({ resultShape });
		const { json, items } = await run('nano-banana-pro');
		const urls = (json[0].urls ?? [json[0].url]) as string[];
		expect(json[0].url).toBe(urls[0]);
		expect('urls' in json[0]).toBe(urls.length > 1);
		expect(new Set(urls).size).toBe(urls.length);
		expect(Object.keys(items[0].binary ?? {})).toEqual(
			urls.map((_url, at) => (at === 0 ? 'data' : `data_${at}`)),
		);
	});

	test('a null output is fetched again, then reported as unreadable', async () => {
		emulator.it.set({ resultShape: 'outputNull' });
		const { error } = await run('nano-banana-pro');
		expect(error?.message).toMatch(saying(CAUSES.resultUnread.what));
		expect(error?.description).toContain(CHARGE.completed);
		expect(emulator.it.callsOf('result').length).toBeGreaterThan(5);
	});

	test.each(['full', 'missing', 'null', 'ms'] as const)('metrics %s', async (metrics) => {
		emulator.it.set({ metrics });
		expect((await run('nano-banana-pro')).json[0].status).toBe('COMPLETED');
	});

	test.each(['gpt-5.4', 'claude-4.5-sonnet', 'gemini-2.5-flash'])(
		"%s answers with its text and usage first, without the provider's answer",
		async (slug) => {
			const { json, items } = await run(slug);
			expect(Object.keys(json[0]).slice(0, 3)).toEqual(['text', 'request_id', 'status']);
			expect(json[0]).toMatchObject({
				text: expect.stringMatching(/\S/),
				usage: expect.any(Object),
			});
			expect(json[0]).not.toHaveProperty('output');
			expect(json[0]).not.toHaveProperty('url');
			expect(items[0].binary).toBeUndefined();
			const whole = await run(slug, { simplify: false });
			expect(whole.json[0]).toHaveProperty('output');
		},
	);

	test('what was made comes first, the rest after it, nothing twice', async () => {
		expect(Object.keys((await run('nano-banana-pro')).json[0])).toEqual([
			'url',
			'request_id',
			'status',
			'model',
			'cost',
			'remaining_credits',
			'seed',
		]);
	});

	test('simplify off: the response as it came, without a top-level error', async () => {
		const { json } = await run('nano-banana-pro', { simplify: false });
		expect(json[0]).toHaveProperty('images');
		expect(json[0]).not.toHaveProperty('error');
		expect(json[0]).not.toHaveProperty('url');
	});

	test('Put Output File in Field and Download Files', async () => {
		const named = await run('nano-banana-pro', {}, { outputField: 'picture' });
		expect(Object.keys(named.items[0].binary ?? {})).toEqual(['picture']);
		const none = await run('nano-banana-pro', {}, { downloadOutput: false });
		expect(none.items[0].binary).toBeUndefined();
		expect(none.json[0].url).toMatch(/^http/);
	});
});

describe('a download that fails never fails the paid item', () => {
	test.each([
		['404', { status: 404 }],
		['a cut connection', { truncate: 20 }],
		['an error of the host', { status: 500 }],
	] as const)('%s: the URL stays, and a hint says why', async (_name, fault) => {
		emulator.it.fault({ on: 'file', times: 'always', do: fault });
		const { json, items, hints, error } = await run('nano-banana-pro');
		expect(error).toBeUndefined();
		expect(json[0].url).toMatch(/^http/);
		expect(items[0].binary).toBeUndefined();
		expect(hints.join()).toContain('could not be downloaded');
	});

	test('a transient fault is overcome', async () => {
		emulator.it.fault({ on: 'file', do: { truncate: 20 } });
		const { items, hints } = await run('nano-banana-pro');
		expect((await bytesOf(items[0])).subarray(1, 4).toString()).toBe('PNG');
		expect(hints).toEqual([]);
	});
});

describe('v1', () => {
	const v1 = async (slug: string, more: IDataObject = {}) =>
		await run(slug, more, { answerInOneCall: true });

	test.each([
		['nano-banana-pro', 'image/png'],
		['seedance-2.0', 'video/mp4'],
		['chatterbox-tts', 'audio/'],
	])('%s: bytes become a file, headers become fields', async (slug, mimeType) => {
		const { items, json, error } = await v1(slug, slug === 'chatterbox-tts' ? {} : {});
		expect(error).toBeUndefined();
		expect(items[0].binary?.data.mimeType).toContain(mimeType);
		expect(json[0]).toMatchObject({
			request_id: emulator.it.jobs[0].requestId,
			model: slug,
			cost: expect.any(Number),
			remaining_credits: expect.any(Number),
			seed: expect.any(String),
		});
	});

	test.each(['base64', 'base64Array'] as const)('%s in JSON becomes a file', async (v1Shape) => {
		emulator.it.set({ v1Shape });
		const { items, json } = await v1('nano-banana-pro');
		expect((await bytesOf(items[0])).subarray(1, 4).toString()).toBe('PNG');
		expect(JSON.stringify(json[0]).length).toBeLessThan(2_000);
	});

	test('an address in JSON is downloaded', async () => {
		emulator.it.set({ v1Shape: 'videoUrl' });
		const { items, json } = await v1('seedance-2.0');
		expect(json[0].url).toMatch(/^http/);
		expect(items[0].binary?.data.mimeType).toBe('video/mp4');
	});

	test.each(['application/json', 'text/html', 'application/octet-stream'])(
		'bytes labelled %s are recognised',
		async (v1ContentType) => {
			emulator.it.set({ v1ContentType });
			const { items } = await v1('nano-banana-pro');
			expect(items[0].binary?.data.mimeType).toBe('image/png');
		},
	);

	test.each(['gpt-5.4', 'claude-4.5-sonnet', 'gemini-2.5-flash'])('%s: text', async (slug) => {
		expect((await v1(slug)).json[0].text).toEqual(expect.stringMatching(/\S/));
	});

	test('files come as binary even with Download Files off', async () => {
		const { items } = await run(
			'nano-banana-pro',
			{},
			{ answerInOneCall: true, downloadOutput: false },
		);
		expect(items[0].binary).toHaveProperty('data');
	});

	test('an empty answer is an error that says it may have been charged', async () => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: 'v1', do: { body: '', contentType: 'application/json' } });
		const { error } = await v1('nano-banana-pro');
		expect(error?.message).toMatch(saying(CAUSES.unusableOutput.what, PARTS.emptyAnswer));
		expect(error?.description).toContain(CHARGE.unknown);
	});
});

test('v1 with simplify off: the object as it came, and what the headers said', async () => {
	const { json } = await run('gpt-5.4', { simplify: false }, { answerInOneCall: true });
	expect(Object.keys(json[0])).toEqual(expect.arrayContaining(['choices', 'request_id', 'cost']));
	expect(json[0]).not.toHaveProperty('output');
});
