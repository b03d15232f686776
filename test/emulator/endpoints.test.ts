import { startEmulator, type Emulator } from '../../dev/emulator';
import { ENDPOINT_WIRE } from '../helpers/endpoint';
import { call, submit, type Answer } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator();
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const send = async (method: string, path: string, body?: unknown): Promise<Answer> =>
	await call(emulator, `${emulator.urls.admin}/endpoint/${path}`, {
		method,
		body,
		headers: method === 'GET' ? JSON_TYPE : undefined,
	});

test('an endpoint is created, listed, updated, called and deleted', async () => {
	const { json } = await send('POST', 'add', ENDPOINT_WIRE);
	const { endpoint_id } = json;
	expect(endpoint_id).toMatch(/^[a-z0-9]{14}$/);
	expect((await send('GET', 'list')).json).toEqual([
		expect.objectContaining({ ...ENDPOINT_WIRE, endpoint_id }),
	]);
	expect((await submit(emulator, 'mine')).status).toBe(200);
	const update = { endpoint_id, workers_max: 4, workers_min: 1, force_update: true };
	expect((await send('PUT', 'update', update)).status).toBe(200);
	expect(emulator.endpoints.production[0]).toMatchObject({ workers_min: 1, workers_max: 4 });
	expect(emulator.endpoints.production[0]).not.toHaveProperty('force_update');
	emulator.set({ endpointList: 'object' });
	expect((await send('GET', 'list')).json.endpoints).toHaveLength(1);
	expect((await send('DELETE', 'delete', { endpoint_id })).status).toBe(200);
	expect(emulator.endpoints.production).toEqual([]);
	expect((await submit(emulator, 'mine')).status).toBe(404);
});

test('the method decides, not the path', async () => {
	const { endpoint_id } = (await send('POST', 'add', ENDPOINT_WIRE)).json;
	const posted = await send('POST', 'delete', { endpoint_id });
	expect(posted.status).toBe(400);
	expect(posted.json.error).toMatch(/^Missing required arguments: endpoint_name/);
	expect(emulator.endpoints.production).toHaveLength(1);
	expect((await send('DELETE', 'add', { endpoint_id })).status).toBe(200);
	expect((await send('GET', 'add')).status).toBe(405);
	expect((await send('POST', 'list', {})).status).toBe(405);
});

test('every call of the root names its content type, the list too', async () => {
	const url = `${emulator.urls.admin}/endpoint/list`;
	expect((await call(emulator, url)).status).toBe(406);
	expect((await call(emulator, url, { headers: JSON_TYPE })).status).toBe(200);
});

test('bodies are checked', async () => {
	const { endpoint_id } = (await send('POST', 'add', ENDPOINT_WIRE)).json;
	expect((await send('DELETE', 'delete')).status).toBe(406);
	expect((await send('DELETE', 'delete', {})).status).toBe(400);
	expect((await send('DELETE', 'delete', { endpoint_id: 'other' })).status).toBe(404);
	for (const wrong of [
		{ workers_max: '2' },
		{ workers_max: 11 },
		{ workers_min: 3 },
		{ gpu_id: '' },
	]) {
		expect((await send('POST', 'add', { ...ENDPOINT_WIRE, ...wrong })).status).toBe(400);
	}
	for (const wrong of [{ force_update: 'true' }, { workers_min: 3 }]) {
		expect((await send('PUT', 'update', { endpoint_id, ...wrong })).status).toBe(400);
	}
});

test('lists in other places, and a deletion that does nothing', async () => {
	const { endpoint_id } = (await send('POST', 'add', ENDPOINT_WIRE)).json;
	const listed = [expect.objectContaining({ endpoint_id })];
	emulator.set({ endpointList: 'data' });
	expect((await send('GET', 'list')).json).toEqual({ data: { endpoints: listed } });
	emulator.set({ endpointList: 'afterErrors' });
	expect((await send('GET', 'list')).json).toEqual({ errors: [], endpoints: listed });
});

test('production and staging are separate', async () => {
	await call(emulator, `${emulator.urls.adminStaging}/endpoint/add`, { body: ENDPOINT_WIRE });
	expect((await send('GET', 'list')).json).toEqual([]);
	expect(emulator.endpoints.staging).toHaveLength(1);
});
