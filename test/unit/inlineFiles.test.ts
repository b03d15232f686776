/** Which strings of a JSON result don't count as files. test/engine/results has those that do. */
import { extractInlineFiles } from '../../nodes/shared/output/inlineFiles';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(61, 7)]);
const UNKNOWN = Buffer.alloc(99, 7);
const PNG_BASE64 = PNG.toString('base64');

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
