import fc from 'fast-check';

import { mediaIn, mediaInOutputs, parsedOutput } from '../../nodes/shared/output/media';

const HOST = 'https://images.segmind.com';
const PNG = `${HOST}/generations/ab12.png`;
const MP4 = `${HOST}/outputs/cd34.mp4`;
const FRAME = `${HOST}/outputs/cd34-last.png`;
const MP3 = `${HOST}/outputs/ef56.mp3`;

/** The addresses found in a result, its output parsed as the node does. */
const urlsIn = (body: Record<string, unknown>) =>
	mediaIn(body, parsedOutput(body.output)).map(({ url }) => url);

describe('the media of a result (service-facts section 4.3)', () => {
	it.each<[string, Record<string, unknown>, string[]]>([
		['one image', { output: PNG, images: [{ url: PNG, content_type: 'image/png' }] }, [PNG]],
		[
			'several images',
			{ images: [{ url: PNG }, { url: FRAME }], output: [FRAME, MP4] },
			[PNG, FRAME, MP4],
		],
		['a video with its last frame', { video: { url: MP4, last_frame_url: FRAME } }, [MP4, FRAME]],
		['a video as a list', { video: [{ url: MP4 }] }, [MP4]],
		['a video as text', { status: 'Success', video: MP4, infer_time: 3 }, [MP4]],
		['an audio object', { audio: { url: MP3 } }, [MP3]],
		['text output', { output: MP3 }, [MP3]],
		['output without an extension', { output: `${HOST}/f/1` }, [`${HOST}/f/1`]],
		['a list as output', { output: [PNG, MP4] }, [PNG, MP4]],
		['objects as output', { output: [{ url: PNG }, { image: MP4 }] }, [PNG, MP4]],
		['a list as JSON text', { output: JSON.stringify([PNG, { url: MP4 }]) }, [PNG, MP4]],
		['one address twice', { image: PNG, images: [PNG], output: [PNG] }, [PNG]],
		['an address with spaces around it', { output: ` ${PNG}\n` }, [PNG]],
		['the frame beside the video', { video: { url: MP4 }, last_frame_url: FRAME }, [MP4, FRAME]],
	])('%s', (_, body, urls) => {
		expect(urlsIn(body)).toEqual(urls);
	});

	it.each<[string, Record<string, unknown>]>([
		['no output', { output: null }],
		['plain text', { output: 'a cat' }],
		['a sentence with an address', { output: `see ${PNG} for it` }],
		['the addresses of the request itself', { status_url: PNG, poll_url: PNG, response_url: PNG }],
		['data in place of an address', { image: 'iVBORw0KGgo=', video: 'data:video/mp4;base64,AA' }],
		['other schemes', { images: ['ftp://x.example/a.png', 'file:///a.png', 'javascript:1'] }],
		['a page named in an object', { output: { homepage: 'https://x.example/about' } }],
		['numbers and nulls', { images: [null, 1, { url: 5 }, {}], video: {}, audio: [] }],
	])('is none in %s', (_, body) => {
		expect(urlsIn(body)).toEqual([]);
	});

	it('has type and name from the object, wherever the address comes up first', () => {
		const body = {
			image: PNG,
			images: [{ url: PNG, content_type: 'image/webp; q=1', file_name: 'cat.webp' }],
		};
		expect(mediaIn(body, PNG)).toEqual([
			{ url: PNG, mimeType: 'image/webp', fileName: 'cat.webp' },
		]);
		expect(mediaIn({ images: [{ url: PNG, content_type: 5, file_name: '' }] }, null)).toEqual([
			{ url: PNG, mimeType: undefined, fileName: undefined },
		]);
	});

	it('is a list of different http addresses, whatever the result is', () => {
		const leaf = fc.oneof(
			fc.jsonValue({ maxDepth: 2 }),
			fc.webUrl(),
			fc.constantFrom(PNG, MP4, `${PNG} ${MP4}`),
		);
		const { value } = fc.letrec((tie) => ({
			value: fc.oneof(
				{ maxDepth: 12 },
				leaf,
				fc.array(tie('value'), { maxLength: 3 }),
				fc.dictionary(fc.constantFrom('url', 'images', 'video', 'output', 'x'), tie('value'), {
					maxKeys: 3,
				}),
			),
		}));
		fc.assert(
			fc.property(
				fc.dictionary(fc.constantFrom('images', 'video', 'audio', 'output'), value),
				(body) => {
					const urls = urlsIn(body);
					expect(new Set(urls).size).toBe(urls.length);
					for (const url of urls) expect(url).toMatch(/^https?:\/\/\S+$/i);
				},
			),
			{ numRuns: 500, seed: 1 },
		);
	});

	it('is not looked for without end in a result that nests without end', () => {
		let nested: unknown = PNG;
		for (let depth = 0; depth < 5_000; depth++) nested = [nested];
		expect(urlsIn({ images: nested })).toEqual([]);
	});
});

describe('the media among the outputs of a workflow', () => {
	it('are known by the declared type, or by the extension', () => {
		const values = [
			{ value: `${HOST}/f/1`, type: 'image' },
			{ value: MP4 },
			{ value: `${HOST}/about` },
			{ value: PNG, type: 'text' },
			{ value: PNG, type: 'STRING' },
			{ value: [MP3, MP4], type: 'audio' },
			{ value: { url: FRAME, content_type: 'image/png' }, type: 'image' },
			{ value: null, type: 'video' },
		];
		expect(mediaInOutputs(values).map(({ url }) => url)).toEqual([`${HOST}/f/1`, MP4, MP3, FRAME]);
	});
});

describe('an output', () => {
	it.each<[unknown, unknown]>([
		['[{"keyname": "a"}]', [{ keyname: 'a' }]],
		[' {"choices": []}', { choices: [] }],
		['[broken', '[broken'],
		['{{ handlebars }}', '{{ handlebars }}'],
		['5', '5'],
		['"text"', '"text"'],
		['null', 'null'],
		[PNG, PNG],
		[null, null],
		[undefined, undefined],
		[{ a: '{"b": 1}' }, { a: '{"b": 1}' }],
	])('of %j is read as %j', (output, read) => {
		expect(parsedOutput(output)).toEqual(read);
	});
});
