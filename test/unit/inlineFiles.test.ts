/** Which texts of a JSON result are files. */
import { extractInlineFiles } from '../../nodes/shared/output/inlineFiles';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(61, 7)]);
const MP4 = Buffer.concat([Buffer.from('\0\0\0\x20ftypisom', 'latin1'), Buffer.alloc(90, 7)]);
const ID3 = Buffer.concat([Buffer.from('ID3\x03', 'latin1'), Buffer.alloc(90, 7)]);
/** A frame of 128 kbit/s at 44.1 kHz has 417 bytes. */
const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413, 7)]);
const MP3 = Buffer.concat([FRAME, FRAME]);
const UNKNOWN = Buffer.alloc(99, 7);
const png = PNG.toString('base64');

const V2 = { maxBytes: 1_000, anywhereDownTo: 0 };
const V1 = { maxBytes: Infinity, anywhereDownTo: 2 };

it.each<[string, unknown]>([
	['base64', { image: png, infer_time: 1 }],
	['a data URL', { image: `data:image/png;base64,${png}` }],
	['a data URL with a parameter', { image: `data:image/png;x=y;base64,${png}` }],
	['a data URL of the wrong type', { image: `data:text/plain;base64,${png}` }],
	['base64 with line breaks', { image: png.replace(/(.{20})/g, '$1\r\n') }],
	['a list', { images: [png] }],
	['a member of a list', { images: [{ b64_json: png }] }],
	['in the output', { output: { images: [png] } }],
	[
		"in a provider's envelope",
		{ output: { candidates: [{ content: { parts: [{ inlineData: { data: png } }] } }] } },
	],
])('%s is a file in a member named after media', (_what, value) => {
	const { value: rest, files } = extractInlineFiles(value, V2);
	expect(files).toEqual([{ bytes: PNG, mimeType: 'image/png' }]);
	expect(JSON.stringify(rest)).not.toContain('iVBOR');
});

it.each<[unknown]>([
	[{ output: png }],
	[{ output: [png] }],
	[{ text: png }],
	[{ output: { choices: [{ message: { content: png } }] } }],
	[{ data: { b64: png } }],
	...[
		'iVBORw0KGgo=',
		'iVBORw0KGgo is how a PNG begins in base64, and this sentence is longer than that',
		UNKNOWN.toString('base64'),
		FRAME.toString('base64'),
		'a'.repeat(128),
		`https://x.example/${'a'.repeat(99)}.png`,
		'generations/ab12.png',
	].map((image): [unknown] => [{ image }]),
])('no file is in %j', (value) => {
	expect(extractInlineFiles(value, V2)).toMatchObject({ value, files: [], tooLarge: 0 });
});

it.each<[unknown]>([[{ data: { b64: png } }], [{ output: [png] }], [{ overlay: png }]])(
	'%j contains a file in a v1 response',
	(value) => {
		expect(extractInlineFiles(value, V1).files).toEqual([{ bytes: PNG, mimeType: 'image/png' }]);
	},
);

it('keeps every file whole and in order, and everything else', () => {
	const rest = { status: 'Success', scores: [0.5, 0.25] };
	const image = [PNG, MP4].map((bytes) => bytes.toString('base64'));
	const audio = [ID3, MP3].map((bytes) => bytes.toString('base64'));
	const { files, value } = extractInlineFiles({ image, ...rest, audio }, V2);
	expect(files.map(({ mimeType }) => mimeType)).toEqual([
		'image/png',
		'video/mp4',
		'audio/mpeg',
		'audio/mpeg',
	]);
	expect(files.map(({ bytes }) => bytes)).toEqual([PNG, MP4, ID3, MP3]);
	expect(value).toMatchObject(rest);
});

it('leaves the bytes of a file that is too large out of the JSON and the files', () => {
	const { files, value, tooLarge } = extractInlineFiles(
		{ image: png, video: png },
		{ ...V2, maxBytes: 50 },
	);
	expect({ files, tooLarge }).toEqual({ files: [], tooLarge: 2 });
	expect(JSON.stringify(value)).not.toContain('iVBOR');
});
