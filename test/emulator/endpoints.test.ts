/** Dedicated endpoints: which calls are rejected. */
import { ENDPOINT_WIRE } from '../helpers/endpoint';
import { call, submit, useEmulatorWithManualClock, type CallResponse } from './client';

const { emulator } = useEmulatorWithManualClock();

const JSON_TYPE = { 'content-type': 'application/json' };
const send = async (method: string, path: string, body?: unknown): Promise<CallResponse> =>
	await call(emulator, `${emulator.urls.admin}/endpoint/${path}`, {
		method,
		body,
		headers: method === 'GET' ? JSON_TYPE : undefined,
	});

test('the method decides what happens, not the path, and even the list requires the JSON content type', async () => {
	const { endpoint_id } = (await send('POST', 'add', ENDPOINT_WIRE)).json;
	expect((await submit(emulator, 'mine')).status).toBe(200);
	expect((await send('POST', 'delete', { endpoint_id })).json.error).toMatch(/endpoint_name/);
	expect(emulator.endpoints.production).toHaveLength(1);
	expect((await send('DELETE', 'add', { endpoint_id })).status).toBe(200);
	expect((await submit(emulator, 'mine')).status).toBe(404);
	expect((await call(emulator, `${emulator.urls.admin}/endpoint/list`)).status).toBe(406);
});

test.each<[string, string, object | undefined, number]>([
	['GET', 'add', undefined, 405],
	['POST', 'list', {}, 405],
	['DELETE', 'delete', undefined, 406],
	['DELETE', 'delete', {}, 400],
	['DELETE', 'delete', { endpoint_id: 'other' }, 404],
	['POST', 'add', { ...ENDPOINT_WIRE, workers_max: '2' }, 400],
	['POST', 'add', { ...ENDPOINT_WIRE, workers_max: 11 }, 400],
	['POST', 'add', { ...ENDPOINT_WIRE, workers_min: 3 }, 400],
	['POST', 'add', { ...ENDPOINT_WIRE, gpu_id: '' }, 400],
])('%s %s %j returns %i', async (method, path, body, status) => {
	expect((await send(method, path, body)).status).toBe(status);
});
