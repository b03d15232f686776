import fc from 'fast-check';

import { mediaIn, mediaInOutputs, parsedOutput } from '../../nodes/shared/output/media';

const HOST = 'https://images.segmind.com';
const PNG = `${HOST}/generations/ab12.png`;
const MP4 = `${HOST}/outputs/cd34.mp4`;
const FRAME = `${HOST}/outputs/cd34-last.png`;
const MP3 = `${HOST}/outputs/ef56.mp3`;

/** The addresses found in a result, its output parsed as the node does. */
const urlsIn = (body: Record<string, unknown>) =>
	mediaIn(
		body,
		parsedOutput(body.output),
		typeof body.output === 'string' ? 'ending' : 'members',
	).map(({ url }) => url);

describe('the media of a result', () => {
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
		[
			'fields that say so, without an extension',
			{
				image: `${HOST}/f/1`,
				video: { url: `${HOST}/f/2`, last_frame_url: `${HOST}/f/3` },
				audio: [`${HOST}/f/4`],
			},
			[1, 2, 3, 4].map((at) => `${HOST}/f/${at}`),
		],
		[
			'members that say so, of an output that is no text',
			{
				output: [
					{ image: `${HOST}/f/1` },
					{ url: `${HOST}/f/2`, content_type: 'image/png' },
					{ url: `${HOST}/f/3` },
				],
			},
			[`${HOST}/f/1`, `${HOST}/f/2`],
		],
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
		['an address as text', { output: 'http://169.254.169.254/latest/meta-data/' }],
		[
			'an address whose host or query ends like a file',
			{
				output: [
					'http://internal.mp4',
					'http://169.254.169.254/?x=.png',
					'http://a.example/#b.png',
				],
			},
		],
		[
			'JSON text, whatever it calls itself',
			{
				output: JSON.stringify({
					url: 'http://10.0.0.1/a',
					content_type: 'image/png',
					images: [{ url: 'http://10.0.0.1/b', content_type: 'image/png' }],
					last_frame_url: 'http://10.0.0.1/c',
				}),
			},
		],
		['an object with an address and no type', { output: { url: 'http://10.0.0.1/a' } }],
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

describe('any text output', () => {
	const address = fc.oneof(
		fc.webUrl({ withFragments: true, withQueryParameters: true }),
		fc.constantFrom(
			'http://169.254.169.254/latest',
			'http://localhost:5678/rest/settings',
			`${PNG}?a=1`,
			PNG,
			'http://[::1]/x',
		),
	);
	const { tree } = fc.letrec((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 6 },
			address,
			fc.string(),
			fc.array(tie('tree'), { maxLength: 3 }),
			fc.dictionary(
				fc.constantFrom(
					'url',
					'images',
					'image',
					'video',
					'audio',
					'last_frame_url',
					'content_type',
					'output',
					'urls',
					'keyname',
					'value',
					'data',
					'type',
				),
				fc.oneof(tie('tree'), fc.constantFrom('image/png', 'image')),
				{ maxKeys: 4 },
			),
		),
	}));
	const endsAsAFile = (url: string) =>
		/\.(png|jpe?g|webp|gif|bmp|svg|tiff?|avif|heic|mp4|mov|webm|mkv|avi|mp3|wav|ogg|opus|flac|m4a|aac|aiff|glb|obj)$/i.test(
			new URL(url).pathname,
		);

	it('brings no file but by its ending, as bare text or as JSON', () => {
		fc.assert(
			fc.property(tree, fc.boolean(), (value, bare) => {
				const output = bare && typeof value === 'string' ? value : JSON.stringify(value);
				for (const url of urlsIn({ output })) expect([url, endsAsAFile(url)]).toEqual([url, true]);
			}),
			{ numRuns: 1_000, seed: 2 },
		);
	});
});

describe('the media among the outputs of a workflow', () => {
	it('are known by the declared type, or by the extension', () => {
		const values = [
			{ value: `${HOST}/f/1`, type: 'image' },
			{ value: MP4 },
			{ value: `${HOST}/about` },
			{ value: { url: `${HOST}/f/2`, content_type: 'image/png' } },
			{ value: 'http://10.0.0.1/x', type: 'url' },
			{ value: 'http://10.0.0.1/x', type: 'any' },
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
