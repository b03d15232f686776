/** The key goes nowhere it should not (design.md section 4, Secrets). `useEmulator` fails a test whenever a key arrives elsewhere. */
import { search } from '../helpers/runNode';
import { model, running } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const fetching = (request: string) => ({ operation: 'getResult', request, options: { pollIntervalSeconds: 0.05 } });

test('result files are fetched without the key', async () => {
	await runNode({ emulator: emulator.it, parameters: running() });
	expect(emulator.it.callsOf('file')).toHaveLength(1);
	expect(emulator.it.callsOf('file')[0].headers).not.toHaveProperty('x-api-key');
});

test('a foreign address in the submission answer is not called; the error names origin and request', async () => {
	emulator.it.set({ foreignUrls: true });
	const { error } = await runNode({ emulator: emulator.it, parameters: running() });
	expect(error?.message).toContain(emulator.it.urls.hostile);
	expect(error?.message).toContain(emulator.it.jobs[0].requestId);
	expect(emulator.it.callsOf('hostile')).toEqual([]);
});

test.each([
	['another host', () => `${emulator.it.urls.hostile}/v2/requests/abc`],
	['the same host on another port', () => `http://127.0.0.1:1/v2/requests/abc`],
	['another scheme', () => `${emulator.it.urls.api.replace('http:', 'https:')}/v2/requests/abc`],
	['a name that only begins like it', () => `${emulator.it.urls.api}.example.com/v2/requests/abc`],
	['user info', () => `${emulator.it.urls.api.replace('http://', 'http://user:pass@')}/v2/requests/abc`],
	['no http at all', () => 'file:///etc/passwd'],
])('a request on %s is refused before any call', async (_name, url) => {
	const { error } = await runNode({ emulator: emulator.it, parameters: fetching(url()) });
	expect(error?.message).toContain('not an origin of the credential');
	expect(emulator.it.calls).toEqual([]);
});

test.each(['submit', 'status', 'result', 'upload', 'credits', 'v1'] as const)('a redirect of %s is not followed', async (kind) => {
	emulator.it.fault({ on: kind, times: 'always', do: { redirect: `${emulator.it.urls.hostile}/stolen` } });
	const file = { binary: { data: { data: Buffer.from('x').toString('base64'), mimeType: 'image/png' } }, json: {} };
	const withFile = { inputs: { values: [{ name: { __rl: true, mode: 'name', value: 'image' }, type: 'file', binaryFields: 'data' }] } };
	const parameters = running({ ...withFile, apiVersion: kind === 'v1' ? 'v1' : 'v2' }, kind === 'credits' ? { minimumBalance: '1' } : {});
	const { error } = await runNode({ emulator: emulator.it, parameters, items: [file] });
	expect(error?.message).toContain('redirect');
	expect(emulator.it.callsOf('hostile')).toEqual([]);
});

test('keys, tokens and signed queries in a service text do not reach the user', async () => {
	const signed = 'https://bucket.example.com/a.zip?X-Amz-Signature=5ec4e7';
	emulator.it.fault({ on: 'submit', do: { status: 400, body: { error: `key ${emulator.it.key} may not read ${signed}` } } });
	const { error, log } = await runNode({ emulator: emulator.it, parameters: running() });
	const everything = JSON.stringify([error?.message, error?.description, error?.context, log]);
	expect(everything).toContain('bucket.example.com');
	expect(everything).not.toContain(emulator.it.key);
	expect(everything).not.toContain('5ec4e7');
});

test('a key of another form is hidden as well', async () => {
	emulator.it.fault({ on: 'submit', do: { status: 401, body: { error: 'API key my-very-own-key is invalid' } } });
	const { error } = await runNode({ emulator: emulator.it, parameters: running(), credential: { apiKey: 'my-very-own-key' } });
	expect(error?.message).toContain('API key [hidden] is invalid');
});

test('the model list is read without the key', async () => {
	await search({ emulator: emulator.it, method: 'searchModels' });
	expect(emulator.it.callsOf('models')[0].headers).not.toHaveProperty('x-api-key');
});

test('a bare id of getStatus stays one path segment', async () => {
	await runNode({ emulator: emulator.it, parameters: { operation: 'getStatus', request: 'a%2e%2e%2fb' } });
	expect(emulator.it.callsOf('status', 'other')[0]?.path).toBe('/v2/requests/a%252e%252e%252fb/status');
});

test.each(['..', '.', '/v1/get-user-credits', '  ', 'https://evil.example.com'])('the slug %p is refused before any call', async (slug) => {
	const { error } = await runNode({ emulator: emulator.it, parameters: running({ model: model(slug) }) });
	expect(error?.message).toMatch(/Model/);
	expect(emulator.it.calls).toEqual([]);
});
