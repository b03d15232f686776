/** Which URLs in a result are files. */
import {
	distinctFiles,
	mediaIn,
	mediaInMembers,
	mediaInNamedOutputs,
	parseOutput,
} from '../../nodes/shared/output/mediaUrls';

const HOST = 'https://images.segmind.com';
const PNG = `${HOST}/generations/ab12.png`;
const MP4 = `${HOST}/outputs/cd34.mp4`;
const FRAME = `${HOST}/outputs/cd34-last.png`;
const MP3 = `${HOST}/outputs/ef56.mp3`;
const [F1, F2, F3] = [1, 2, 3].map((at) => `${HOST}/f/${at}`);
const INNER = 'http://10.0.0.1/a';

/** Returns the files in a result, whose output is parsed as in the node. */
const filesIn = ({ output, ...members }: Record<string, unknown>) =>
	distinctFiles([
		...mediaInMembers(members),
		...mediaIn(parseOutput(output), typeof output === 'string' ? 'extension' : 'members'),
	]);
const urlsIn = (body: Record<string, unknown>) => filesIn(body).map(({ url }) => url);

it.each<[Record<string, unknown>, string[]]>([
	[{ output: PNG, images: [{ url: PNG, content_type: 'image/png' }] }, [PNG]],
	[{ images: [{ url: PNG }, { url: FRAME }], output: [FRAME, MP4] }, [PNG, FRAME, MP4]],
	[{ video: { url: MP4, last_frame_url: FRAME } }, [MP4, FRAME]],
	[{ video: { url: MP4 }, last_frame_url: FRAME }, [MP4, FRAME]],
	[{ output: ` ${PNG}\n` }, [PNG]],
	[{ output: [PNG, MP4] }, [PNG, MP4]],
	[{ output: [{ url: PNG }, { image: MP4 }] }, [PNG, MP4]],
	[{ output: JSON.stringify([PNG, { url: MP4 }]) }, [PNG, MP4]],
	[{ image: PNG, images: [PNG], output: [PNG] }, [PNG]],
	// URLs without an extension, in members named after media.
	[{ image: F1, video: { url: F2, last_frame_url: F3 } }, [F1, F2, F3]],
	[{ output: [{ image: F1 }, { url: F2, content_type: 'image/png' }, { url: F3 }] }, [F1, F2]],
	// No files.
	[{ output: `see ${PNG} for it` }, []],
	[{ status_url: PNG, poll_url: PNG, response_url: PNG }, []],
	[{ images: ['ftp://x.example/a.png', 'file:///a.png', 'javascript:1'] }, []],
	[{ images: [null, 1, { url: 5 }, {}], video: {}, audio: [] }, []],
	[{ output: ['http://internal.mp4', `${INNER}/?x=.png`, `${INNER}#b.png`] }, []],
	[{ output: { url: INNER } }, []],
	// Internal URLs in a JSON string, whatever media types it declares.
	[{ output: JSON.stringify({ url: INNER, content_type: 'image/png' }) }, []],
	[{ output: JSON.stringify({ images: [{ url: INNER }], last_frame_url: INNER }) }, []],
])('the files in %j are %j', (body, urls) => {
	expect(urlsIn(body)).toEqual(urls);
});

it('a file gets its type from the object with its URL, even if the URL occurs elsewhere first', () => {
	const typed = { url: PNG, content_type: 'image/webp; q=1', thumbnail: FRAME };
	expect(filesIn({ image: PNG, images: [typed] })).toEqual([
		{ url: PNG, mimeType: 'image/webp' },
		{ url: FRAME },
	]);
	expect(filesIn({ images: [{ url: PNG, content_type: 5 }] })).toEqual([{ url: PNG }]);
});

it('files among the outputs of a workflow are recognized by declared type or extension', () => {
	const values = [
		{ value: F1, type: 'image' },
		{ value: MP4 },
		{ value: `${HOST}/about` },
		{ value: { url: F2, content_type: 'image/png' } },
		{ value: INNER, type: 'url' },
		{ value: INNER, type: 'any' },
		{ value: PNG, type: 'text' },
		{ value: PNG, type: 'STRING' },
		{ value: [MP3, MP4], type: 'audio' },
		{ value: { url: FRAME, content_type: 'image/png' }, type: 'image' },
		{ value: null, type: 'video' },
	];
	const named = values.map((value, at) => ({ name: `output ${at}`, ...value }));
	const urls = (areTypesTrusted: boolean) =>
		mediaInNamedOutputs(named, areTypesTrusted).map(({ url }) => url);
	expect(urls(true)).toEqual([F1, MP4, MP3, MP4, FRAME]);
	// A model may have written the types.
	expect(urls(false)).toEqual([MP4, MP3, MP4, FRAME]);
});

it.each<[unknown, unknown]>([
	['[{"keyname": "a"}]', [{ keyname: 'a' }]],
	[' {"choices": []}', { choices: [] }],
	...['[broken', '{{ handlebars }}', '5', '"text"', 'null', PNG, null, undefined].map(
		(output) => [output, output] as [unknown, unknown],
	),
	[{ a: '{"b": 1}' }, { a: '{"b": 1}' }],
])('the output %j is read as %j', (output, read) => {
	expect(parseOutput(output)).toEqual(read);
});
