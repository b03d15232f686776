import fc from 'fast-check';

import { readV1, v1Headers } from '../../nodes/shared/output/v1Answer';
import { processorMsOf } from '../helpers/processorTime';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(61, 7)]);
const MP4 = Buffer.concat([Buffer.from('\0\0\0\x20ftypisom', 'latin1'), Buffer.alloc(90, 7)]);
const MP3 = Buffer.concat([Buffer.from('ID3\x03', 'latin1'), Buffer.alloc(90, 7)]);

const read = (body: Buffer | string, label?: string) =>
	readV1({
		status: 200,
		headers: label === undefined ? {} : { 'content-type': label },
		body: Buffer.isBuffer(body) ? body : Buffer.from(body),
	});

const readJson = (value: unknown, label = 'application/json') => {
	const content = read(JSON.stringify(value), label);
	if (content?.kind !== 'json') throw new Error(`It was read as ${content?.kind ?? 'nothing'}`);
	return content;
};

describe('bytes', () => {
	it.each<[Buffer, string | undefined, string]>([
		[PNG, 'image/png', 'image/png'],
		[PNG, 'image/png; charset=binary', 'image/png'],
		[MP4, 'video/mp4', 'video/mp4'],
		[MP3, 'audio/mp3', 'audio/mp3'],
		// The label is wrong or missing: the first bytes tell.
		[PNG, 'application/json', 'image/png'],
		[PNG, 'text/html', 'image/png'],
		[PNG, 'video/mp4', 'image/png'],
		[PNG, 'application/octet-stream', 'image/png'],
		[PNG, undefined, 'image/png'],
		[MP4, 'audio/mpeg', 'video/mp4'],
		// Unknown first bytes: the label tells.
		[Buffer.alloc(99, 7), 'audio/wav', 'audio/wav'],
		[Buffer.alloc(99, 7), 'application/octet-stream', 'application/octet-stream'],
		[Buffer.from('<!-- drawn --><svg/>'), 'image/svg+xml', 'image/svg+xml'],
		[Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text/xml', 'image/svg+xml'],
	])('%p labelled %p are a file of type %s', (body, label, mimeType) => {
		expect(read(body, label)).toEqual({ kind: 'file', file: { bytes: body, mimeType } });
	});
});

describe('JSON', () => {
	it.each([
		'application/json',
		'application/json; charset=utf-8',
		'image/png',
		'text/plain',
		undefined,
	])('is read as such when it is labelled %p', (label) => {
		const content = read(' {"choices": [{"text": "Hi"}], "n": null}', label);
		expect(content).toEqual({
			kind: 'json',
			body: { choices: [{ text: 'Hi' }], n: null },
			files: [],
		});
	});

	it('that is a list becomes the output', () => {
		expect(readJson([{ url: 'https://x.example/a.png' }]).body).toEqual({
			output: [{ url: 'https://x.example/a.png' }],
		});
	});

	it('that is a text becomes text', () => {
		expect(read('"https://x.example/a.png"', 'application/json')).toEqual({
			kind: 'text',
			text: 'https://x.example/a.png',
		});
	});

	it('is passed on as it came when it holds no media', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
				const plain = JSON.parse(JSON.stringify(body)) as unknown;
				expect(readJson(body)).toEqual({ kind: 'json', body: plain, files: [] });
			}),
			{ numRuns: 300, seed: 1 },
		);
	});
});

describe('base64 inside JSON', () => {
	it.each([
		`AAAA${' '.repeat(60_000)}!`,
		`${'A '.repeat(60_000)}=!`,
		`AAAA${'= '.repeat(60_000)}A`,
		`${' '.repeat(60_000)}`,
	])('is told from other text at once: %#', (image) => {
		expect(processorMsOf(() => void readJson({ image }))).toBeLessThan(500);
	});

	it.each<[string, (base64: string) => unknown]>([
		['a text', (image) => ({ image, infer_time: 1 })],
		['a data URL', (image) => ({ image: `data:image/png;base64,${image}` })],
		['a data URL with a parameter', (image) => ({ image: `data:image/png;x=y;base64,${image}` })],
		['a data URL of the wrong type', (image) => ({ image: `data:text/plain;base64,${image}` })],
		['text with line breaks', (image) => ({ image: image.replace(/(.{20})/g, '$1\r\n') })],
		['a member of an object', (image) => ({ data: { b64: image } })],
		['a list of one', (image) => ({ masks: [image] })],
		['a list at the top', (image) => [image]],
	])('is taken out as a file when it is %s', (_, wrap) => {
		const content = readJson(wrap(PNG.toString('base64')));
		expect(content.files).toEqual([{ bytes: PNG, mimeType: 'image/png' }]);
		const rest = JSON.stringify(content.body);
		expect(rest).not.toContain('iVBOR');
		expect(rest).toContain(`[image/png, ${PNG.length} bytes: in binary]`);
	});

	it('keeps every file, in order, and all that is no file', () => {
		const content = readJson({
			image: [PNG.toString('base64'), MP4.toString('base64')],
			status: 'Success',
			overlay_image: MP3.toString('base64'),
			scores: [0.5, 0.25],
		});
		expect(content.files.map(({ mimeType }) => mimeType)).toEqual([
			'image/png',
			'video/mp4',
			'audio/mpeg',
		]);
		expect(content.body).toMatchObject({ status: 'Success', scores: [0.5, 0.25] });
	});

	it('is whole, of any length', () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 60, maxLength: 7_000 }), (tail) => {
				const bytes = Buffer.concat([PNG, tail]);
				const { files } = readJson({ image: bytes.toString('base64') });
				expect(files).toHaveLength(1);
				expect(files[0].bytes.equals(bytes)).toBe(true);
			}),
			{ numRuns: 100, seed: 2 },
		);
	});

	it.each([
		['short text', 'iVBORw0KGgo='],
		['words', 'iVBORw0KGgo is how a PNG begins in base64, and this sentence is longer than that'],
		['base64 of no media', Buffer.alloc(99, 7).toString('base64')],
		['a hash', 'a'.repeat(128)],
		['an address', `https://x.example/${'a'.repeat(99)}.png`],
	])('is not seen in %s', (_, image) => {
		expect(readJson({ image })).toEqual({ kind: 'json', body: { image }, files: [] });
	});
});

describe('text', () => {
	it('is text when it is labelled so', () => {
		expect(read('Hello, wörld', 'text/plain; charset=utf-8')).toEqual({
			kind: 'text',
			text: 'Hello, wörld',
		});
	});
});

describe('what cannot be used', () => {
	it.each<[string, string | undefined]>([
		['', 'application/json'],
		['', 'image/png'],
		['', undefined],
		['<html><body>Gateway</body></html>', 'text/html'],
		['{"broken": ', 'application/json'],
		['null', 'application/json'],
		['5', 'application/json'],
		['Hello', undefined],
	])('%j labelled %p is nothing', (body, label) => {
		expect(read(body, label)).toBeUndefined();
	});

	it('is never a thrown error, whatever the answer', () => {
		fc.assert(
			fc.property(
				fc.uint8Array({ maxLength: 200 }),
				fc.oneof(fc.string(), fc.constantFrom('application/json', 'image/png', 'text/plain')),
				(body, label) => {
					const content = read(Buffer.from(body), label);
					if (body.length === 0) expect(content).toBeUndefined();
					else if (content) expect(['json', 'file', 'text']).toContain(content.kind);
				},
			),
			{ numRuns: 1_000, seed: 3 },
		);
	});
});

describe('the headers of a v1 answer', () => {
	it('become cost, credits, time and seed', () => {
		expect(
			v1Headers({
				'x-cost': '0.0042',
				'x-remaining-credits': '-1.5',
				'x-generation-time': '3.25',
				'x-seed-value': '12345678901234567890',
				'x-gpu-info': 'A100',
			}),
		).toEqual({
			cost: 0.0042,
			remaining_credits: -1.5,
			generation_time: 3.25,
			seed: '12345678901234567890',
		});
	});

	it('are left out when they are missing or unreadable', () => {
		expect(v1Headers({})).toEqual({});
		expect(v1Headers({ 'x-cost': '', 'x-remaining-credits': 'NaN', 'x-seed-value': '' })).toEqual(
			{},
		);
	});
});
