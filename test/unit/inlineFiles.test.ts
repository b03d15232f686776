/** Which strings of a JSON result count as files. */
import { extractInlineFiles } from '../../nodes/shared/output/inlineFiles';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(61, 7)]);
const MP4 = Buffer.concat([Buffer.from('\0\0\0\x20ftypisom', 'latin1'), Buffer.alloc(90, 7)]);
const ID3 = Buffer.concat([Buffer.from('ID3\x03', 'latin1'), Buffer.alloc(90, 7)]);
const MP3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413, 7)]);
const UNKNOWN = Buffer.alloc(99, 7);
const PNG_BASE64 = PNG.toString('base64');

it.each<[string, unknown]>([
	['a data URL with a parameter', { image: `data:image/png;x=y;base64,${PNG_BASE64}` }],
	['a data URL of the wrong type', { image: `data:text/plain;base64,${PNG_BASE64}` }],
	['base64 with line breaks', { image: PNG_BASE64.replace(/(.{20})/g, '$1\r\n') }],
	['base64 in the output', { output: { images: [PNG_BASE64] } }],
	['a list as output', { output: [PNG_BASE64] }],
])('finds %s', (_what, value) => {
	const { value: rest, files } = extractInlineFiles(value);
	expect(files).toEqual([{ bytes: PNG, mimeType: 'image/png' }]);
	expect(JSON.stringify(rest)).not.toContain('iVBOR');
});

it.each<[unknown]>([
	[{ output: PNG_BASE64 }],
	[{ text: PNG_BASE64 }],
	[{ output: { choices: [{ message: { content: PNG_BASE64 } }] } }],
	...[
		'iVBORw0KGgo=',
		'iVBORw0KGgo is how a PNG begins in base64, and this sentence is longer than that',
		UNKNOWN.toString('base64'),
		`//server/${'path/'.repeat(40)}`,
		'a'.repeat(128),
		`https://x.example/${'a'.repeat(99)}.png`,
		'generations/ab12.png',
	].map((image): [unknown] => [{ image }]),
])('finds no file in %j', (value) => {
	expect(extractInlineFiles(value)).toMatchObject({ value, files: [] });
});

it('returns all files complete and in order, and leaves the other members unchanged', () => {
	const rest = { status: 'Success', scores: [0.5, 0.25] };
	const image = [PNG, MP4].map((bytes) => bytes.toString('base64'));
	const audio = [ID3, MP3].map((bytes) => bytes.toString('base64'));
	const { files, value } = extractInlineFiles({ image, ...rest, audio });
	expect(files.map(({ mimeType }) => mimeType)).toEqual([
		'image/png',
		'video/mp4',
		'audio/mpeg',
		'audio/mpeg',
	]);
	expect(files.map(({ bytes }) => bytes)).toEqual([PNG, MP4, ID3, MP3]);
	expect(value).toMatchObject(rest);
});
