/** Files given as data URLs. */
import { callWithoutKey, call, useEmulatorWithManualClock, type CallResponse } from './client';

const ACCEPT = 'application/json, text/plain, */*';
const { emulator } = useEmulatorWithManualClock();

const upload = async (
	body: unknown,
	headers: Record<string, string | undefined> = {},
): Promise<CallResponse> =>
	await call(emulator, `${emulator.urls.upload}/upload-asset`, {
		body,
		headers: { accept: ACCEPT, ...headers },
	});
const dataUrl = (text: string, type = 'text/plain'): string =>
	`data:${type};base64,${Buffer.from(text).toString('base64')}`;

test.each([
	[{ accept: '*/*' }, 406],
	[{ accept: undefined }, 406],
	[{ 'content-type': 'text/plain' }, 406],
	[{ 'x-api-key': undefined }, 401],
])('an upload with the headers %j returns %i', async (headers, status) => {
	expect((await upload({ data_urls: [dataUrl('a')] }, headers)).status).toBe(status);
});

test.each([
	{},
	{ data_urls: [] },
	{ data_urls: 'data:image/png;base64,AAAA' },
	{ data_urls: ['AAAA'] },
	{ data_urls: ['data:image/png,AAAA'] },
	{ data_urls: ['data:;base64,AAAA'] },
	{ data_urls: ['data:image/png;base64,AA*A'] },
	{ data_urls: [dataUrl('a'), 'data:image/png;base64,A'] },
])('rejects %j', async (body) => {
	expect((await upload(body)).status).toBe(400);
});

test('rejects a long data URL with a character in the middle that is not base64', async () => {
	const long = `data:image/png;base64,${'A'.repeat(400_000)}*${'A'.repeat(400_003)}`;
	expect((await upload({ data_urls: [long] })).status).toBe(400);
});

test('rejects a data URL whose media type has megabytes of parameters or quotes, with 400 like any invalid data URL', async () => {
	for (const parameter of [';a=b', ';"\\'])
		for (const end of [',AAAA', '']) {
			const data_urls = [dataUrl('a'), `data:image/png${parameter.repeat(1_000_000)}${end}`];
			expect((await upload({ data_urls, note: '\\"'.repeat(1_000_000) })).status).toBe(400);
		}
});

test('long data URLs arrive intact despite escapes and other long strings, and are recorded truncated', async () => {
	const bytes = Buffer.from(Array.from({ length: 700_001 }, (_, index) => (index * 7919) % 256));
	const long = `data:image/png;base64,${bytes.toString('base64')}`;
	const words = 'word '.repeat(100_000);
	const sent = { note: 'a "quoted" \\ word', words, data_urls: [long, dataUrl('short'), long] };
	const body = JSON.stringify(sent).replaceAll('/', '\\/');
	const { json } = await upload(body, { 'content-type': 'application/json' });
	const files = await Promise.all(
		json.urls.map(async (url: string) => await callWithoutKey(emulator, url)),
	);
	expect(files.map((file) => file.bytes.equals(bytes))).toEqual([true, false, true]);
	const [{ bodyBytes, body: recorded }] = emulator.callsOf('upload');
	expect(bodyBytes).toBe(body.length);
	expect(JSON.stringify(recorded).length).toBeLessThan(body.length / 2);
	await call(emulator, `${emulator.urls.api}/v2/flux-dev`, { body: { prompt: words } });
	expect(emulator.jobs[0].input).toEqual({ prompt: words });
});
