/** Dedicated endpoints, of production and of staging. */
import type { Orders } from '../../dev/emulator';
import { ENDPOINT_WIRE } from '../helpers/endpoint';
import { call, submit, useDrivenEmulator, type Answer, type Loose } from './client';

const { emulator } = useDrivenEmulator();

const JSON_TYPE = { 'content-type': 'application/json' };
const send = async (method: string, path: string, body?: unknown): Promise<Answer> =>
	await call(emulator.it, `${emulator.it.urls.admin}/endpoint/${path}`, {
		method,
		body,
		headers: method === 'GET' ? JSON_TYPE : undefined,
	});
const added = async (): Promise<string> =>
	(await send('POST', 'add', ENDPOINT_WIRE)).json.endpoint_id;

test('an endpoint is created, listed, updated, called and deleted', async () => {
	const endpoint_id = await added();
	expect(endpoint_id).toMatch(/^[a-z0-9]{14}$/);
	const listed = expect.objectContaining({ ...ENDPOINT_WIRE, endpoint_id }) as unknown;
	expect((await send('GET', 'list')).json).toEqual([listed]);
	expect((await submit(emulator.it, 'mine')).status).toBe(200);
	const changed = { endpoint_id, workers_max: 4, workers_min: 1 };
	const update = { ...changed, force_update: true };
	expect((await send('PUT', 'update', update)).status).toBe(200);
	expect(emulator.it.endpoints.production).toMatchObject([changed]);
	expect(emulator.it.endpoints.production[0]).not.toHaveProperty('force_update');
	expect((await send('DELETE', 'delete', { endpoint_id })).status).toBe(200);
	expect(emulator.it.endpoints.production).toEqual([]);
	expect((await submit(emulator.it, 'mine')).status).toBe(404);
});

test('the method decides, not the path, and every call of the root names its content type', async () => {
	const endpoint_id = await added();
	expect((await send('POST', 'delete', { endpoint_id })).json.error).toMatch(/endpoint_name/);
	expect(emulator.it.endpoints.production).toHaveLength(1);
	expect((await send('DELETE', 'add', { endpoint_id })).status).toBe(200);
	expect((await send('GET', 'add')).status).toBe(405);
	expect((await send('POST', 'list', {})).status).toBe(405);
	expect((await call(emulator.it, `${emulator.it.urls.admin}/endpoint/list`)).status).toBe(406);
});

test.each<[string, string, object | undefined, number]>([
	['DELETE', 'delete', undefined, 406],
	['DELETE', 'delete', {}, 400],
	['DELETE', 'delete', { endpoint_id: 'other' }, 404],
	['POST', 'add', { ...ENDPOINT_WIRE, workers_max: '2' }, 400],
	['POST', 'add', { ...ENDPOINT_WIRE, workers_max: 11 }, 400],
	['POST', 'add', { ...ENDPOINT_WIRE, workers_min: 3 }, 400],
	['POST', 'add', { ...ENDPOINT_WIRE, gpu_id: '' }, 400],
])('%s %s %j is a %i', async (method, path, body, status) => {
	expect((await send(method, path, body)).status).toBe(status);
});

test.each<[Orders['endpointList'], (body: Loose) => unknown[]]>([
	['object', ({ endpoints }) => endpoints],
	['data', ({ data }) => data.endpoints],
	['afterErrors', ({ errors, endpoints }) => errors.length === 0 && endpoints],
])('listed in %s', async (endpointList, listIn) => {
	const endpoint_id = await added();
	emulator.it.set({ endpointList });
	expect(listIn((await send('GET', 'list')).json)).toMatchObject([{ endpoint_id }]);
});

test('production and staging are separate', async () => {
	await call(emulator.it, `${emulator.it.urls.adminStaging}/endpoint/add`, { body: ENDPOINT_WIRE });
	expect((await send('GET', 'list')).json).toEqual([]);
	expect(emulator.it.endpoints.staging).toHaveLength(1);
});
