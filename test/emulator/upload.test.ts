import { startEmulator, type Emulator } from '../../dev/emulator';
import { bare, call, type Answer } from './client';

const accept = 'application/json, text/plain, */*';
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator();
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const upload = async (
	body: unknown,
	headers: Record<string, string | undefined> = {},
): Promise<Answer> =>
	await call(emulator, `${emulator.urls.upload}/upload-asset`, {
		body,
		headers: { accept, ...headers },
	});

const dataUrl = (text: string, type = 'text/plain'): string =>
	`data:${type};base64,${Buffer.from(text).toString('base64')}`;

test('stores what it gets and answers in request order', async () => {
	const { status, json } = await upload({
		data_urls: [dataUrl('one', 'image/png'), dataUrl('four', 'audio/mpeg'), dataUrl('three')],
	});
	expect(status).toBe(200);
	expect(Object.keys(json)).toEqual(['urls']);
	expect(json.urls.map((url: string) => url.slice(-4))).toEqual(['.png', '.mp3', '.txt']);
	const files = await Promise.all(json.urls.map(async (url: string) => await bare(emulator, url)));
	expect(files.map((file) => [file.text, file.headers['content-type']])).toEqual([
		['one', 'image/png'],
		['four', 'audio/mpeg'],
		['three', 'text/plain'],
	]);
	emulator.set({ uploadAnswer: 'file_urls' });
	expect((await upload({ data_urls: [dataUrl('a')] })).json).toEqual({
		file_urls: [expect.stringContaining('/assets/')],
		message: 'Files uploaded successfully',
	});
	expect(emulator.leaks).toEqual([]);
});

test('asks for its headers', async () => {
	const body = { data_urls: [dataUrl('a')] };
	expect((await upload(body, { accept: '*/*' })).status).toBe(406);
	expect((await upload(body, { accept: undefined })).status).toBe(406);
	expect((await upload(body, { 'content-type': 'text/plain' })).status).toBe(406);
	expect((await upload(body, { 'x-api-key': undefined })).status).toBe(401);
	expect(
		(await call(emulator, `${emulator.urls.upload}/upload-asset`, { method: 'PUT' })).status,
	).toBe(405);
});

test.each([
	{},
	{ data_urls: [] },
	{ data_urls: 'data:image/png;base64,AAAA' },
	{ data_urls: [null] },
	{ data_urls: ['AAAA'] },
	{ data_urls: ['data:image/png,AAAA'] },
	{ data_urls: ['data:;base64,AAAA'] },
	{ data_urls: ['data:image/png;base64,'] },
	{ data_urls: ['data:image/png;base64,AAA'] },
	{ data_urls: ['data:image/png;base64,AA*A'] },
	{ data_urls: [dataUrl('a'), 'data:image/png;base64,A'] },
])('refuses %j', async (body) => {
	expect((await upload(body)).status).toBe(400);
});

test('a long body is recorded cut, and stored whole', async () => {
	const text = 'x'.repeat(3_000_000);
	const { json } = await upload({ data_urls: [dataUrl(text)] });
	expect((await bare(emulator, json.urls[0])).text).toBe(text);
	const [record] = emulator.callsOf('upload');
	expect(record.bodyBytes).toBeGreaterThan(4_000_000);
	expect((record.body as { data_urls: string[] }).data_urls[0]).toMatch(
		/^data:text\/plain;base64,.{100,200}… \(4000023 characters\)$/,
	);
});

test('long data URLs survive any cut of the stream, escapes, and neighbours', async () => {
	const bytes = Buffer.from(Array.from({ length: 700_001 }, (_, index) => (index * 7919) % 256));
	const long = `data:image/png;base64,${bytes.toString('base64')}`;
	const body = JSON.stringify({
		note: 'a "quoted" \\ word',
		data_urls: [long, dataUrl('short'), long],
	}).replaceAll('/', '\\/');
	const { status, json } = await upload(body, { 'content-type': 'application/json' });
	expect(status).toBe(200);
	const files = await Promise.all(json.urls.map(async (url: string) => await bare(emulator, url)));
	expect(files.map((file) => file.bytes.equals(bytes))).toEqual([true, false, true]);
	expect(files[1].text).toBe('short');
	expect(emulator.callsOf('upload')[0].body).toMatchObject({ note: 'a "quoted" \\ word' });
	expect(emulator.callsOf('upload')[0].bodyBytes).toBe(body.length);
});

test.each(['*', '=', '\\n'])('a long data URL with %j inside is refused', async (wrong) => {
	const half = 'A'.repeat(400_000);
	const body = `{"data_urls":["data:image/png;base64,${half}${wrong}${half}"]}`;
	expect((await upload(body, { 'content-type': 'application/json' })).status).toBe(400);
	expect((await upload(body.slice(0, -3), { 'content-type': 'application/json' })).status).toBe(
		400,
	);
});

test('other long texts are left alone', async () => {
	const words = 'word '.repeat(100_000);
	const { status } = await upload({ note: words, data_urls: [dataUrl('a')] });
	expect(status).toBe(200);
	const image = dataUrl(words);
	await call(emulator, `${emulator.urls.api}/v2/flux-dev`, { body: { prompt: words, image } });
	expect(emulator.jobs[0].input).toEqual({ prompt: words, image });
});
