/** Segmind Endpoint: create, get many, update and delete. */
import type { INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../../dev/emulator';
import { ENDPOINT, ENDPOINT_WIRE } from '../../helpers/endpoint';
import { search, succeed, type RunOptions } from '../../helpers/runNode';
import { stopWhen } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, inVirtualTime } = useVirtualEngine();
const endpointCalls = () => emulator.callsOf('endpoint');
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const injectFault = (action: FaultAction) => emulator.fault({ on: 'endpoint', do: action });
const HTML = '<html>a proxy</html>';

const CREATION: INodeParameters = { operation: 'create', ...ENDPOINT };
async function run(parameters: INodeParameters, more: Partial<RunOptions> = {}) {
	return await runNode({ node: 'segmindEndpoint', parameters, ...more });
}
async function createEndpoint(more: INodeParameters = {}): Promise<string> {
	const { json } = succeed(await run({ ...CREATION, ...more }));
	return json[0].endpoint_id as string;
}
const updateParams = (id: string, updateFields: INodeParameters = { workersMin: 1 }) => ({
	operation: 'update',
	endpointId: byId(id),
	updateFields,
});
const deleteParams = (id: string) => ({ operation: 'delete', endpointId: byId(id) });

describe('create', () => {
	test('sends all nine fields by POST, with the key, and outputs the response', async () => {
		const { json, items, log } = succeed(await run(CREATION));
		expect(endpointCalls()).toHaveLength(1);
		expect(endpointCalls()[0]).toMatchObject({
			origin: 'admin',
			method: 'POST',
			path: '/endpoint/add',
			body: ENDPOINT_WIRE,
			headers: { 'x-api-key': emulator.key, 'content-type': 'application/json' },
		});
		const [{ endpoint_id }] = emulator.endpoints.production;
		const message = 'Endpoint created successfully';
		expect(json).toEqual([{ endpoint_name: 'mine', created: true, endpoint_id, message }]);
		expect(items[0].pairedItem).toEqual({ item: 0 });
		expect(log.join()).toContain(`endpoint ${endpoint_id}`);
	});

	test('in staging, calls go to the staging origin', async () => {
		await createEndpoint({ environment: 'staging' });
		expect(endpointCalls().map(({ origin }) => origin)).toEqual(['adminStaging']);
	});

	test('sends any GPU and scaler type, and numbers given as text', async () => {
		await createEndpoint({
			gpuId: 'H200_NVL',
			scalerType: 'CUSTOM',
			workersMax: '={{ "3" }}',
		});
		const body = { gpu_id: 'H200_NVL', scaler_type: 'CUSTOM', workers_max: 3 };
		expect(endpointCalls()[0].body).toMatchObject(body);
	});

	test.each<[unknown, object]>([
		[
			{ endpoint_id: 'e1', error: null },
			{ created: true, endpoint_id: 'e1' },
		],
		[
			{ endpoint_id: 'e1', error: 'no capacity' },
			{ endpoint_id: 'e1', error_message: 'no capacity' },
		],
		['', { created: true }],
		['done', { created: true, response: 'done' }],
	])('the response %j becomes a successful item', async (body, item) => {
		injectFault({ status: 200, body });
		const { json } = await run(CREATION, { onError: 'continueErrorOutput' });
		expect(json).toEqual([{ endpoint_name: 'mine', ...item }]);
	});

	test.each(['text/html', 'application/json'])(
		'an HTML page with HTTP 200 and the type %s is not a created endpoint',
		async (contentType) => {
			injectFault({ body: HTML, contentType });
			expect((await run(CREATION)).failed).toMatchObject([{ outcomeUnknown: true }]);
		},
	);
});

const wrongCreation = (wrong: INodeParameters) => ({ ...CREATION, ...wrong });
test.each<[string, INodeParameters]>([
	['Endpoint Name', wrongCreation({ endpointName: ' ' })],
	['Model Name', wrongCreation({ modelName: '={{ "" }}' })],
	['GPU', wrongCreation({ gpuId: '={{ null }}' })],
	['Scaler Type', wrongCreation({ scalerType: '' })],
	['Workers Min', wrongCreation({ workersMin: -1 })],
	['Workers Min', wrongCreation({ workersMin: 3 })],
	['Workers Max', wrongCreation({ workersMax: 1.5 })],
	['Idle Timeout', wrongCreation({ idleTimeout: '={{ null }}' })],
	['Scaler Value', wrongCreation({ scalerValue: '={{ true }}' })],
	['Environment', wrongCreation({ environment: '={{ "test" }}' })],
	['Update Fields', updateParams('x', {})],
	['Workers Min', updateParams('x', { workersMin: 2, workersMax: 1 })],
	['Force Update', updateParams('x', { forceUpdate: '={{ "maybe" }}' })],
])('the error names %s, and nothing is sent: %j', async (field, parameters) => {
	const { failed } = await run(parameters);
	expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining(field) }]);
	expect(emulator.calls).toEqual([]);
});

test('below Min Balance, or if the balance cannot be read, nothing is sent; a retry sends it', async () => {
	const parameters = { ...CREATION, options: { minimumBalance: 5 } };
	emulator.fault({ on: 'credits', times: 'always', do: { status: 502 } });
	const first = await run(parameters);
	expect(first.failed).toMatchObject([{ httpCode: 502, charge: 'none' }]);
	emulator.clearFaults();
	emulator.set({ balance: { credits: 1, freeCredits: 0 } });
	const second = await run(parameters, { retryOf: first });
	expect(second.failed).toMatchObject([{ kind: 'notSent' }]);
	expect(endpointCalls()).toEqual([]);
	emulator.set({ balance: { credits: 9, freeCredits: 0 } });
	const { error } = await run(parameters, { retryOf: second });
	expect([error, endpointCalls().length]).toEqual([undefined, 1]);
});

describe('get many', () => {
	test.each(['array', 'object'] as const)(
		'outputs one item per endpoint (list as %s), makes one call for all input items, and retries after a transient fault',
		async (endpointList) => {
			await createEndpoint();
			await createEndpoint({ endpointName: 'other' });
			emulator.set({ endpointList });
			injectFault({ status: 502, body: 'bad gateway' });
			const items = [{ json: {} }, { json: {} }];
			const { json, items: outputItems } = succeed(await run({ operation: 'getAll' }, { items }));
			const names = json.map(({ endpoint_name }) => endpoint_name);
			expect(names).toEqual(['mine', 'other', 'mine', 'other']);
			expect(json[0]).toEqual(emulator.endpoints.production[0]);
			expect(outputItems.map(({ pairedItem }) => pairedItem)).toEqual(
				[0, 0, 1, 1].map((item) => ({ item })),
			);
			const listCalls = endpointCalls().filter(({ method }) => method === 'GET');
			expect(listCalls.map(({ status }) => status)).toEqual([502, 200]);
			expect(listCalls[0].headers).toMatchObject({ 'content-type': 'application/json' });
		},
	);

	test('an empty list gives no items, and an endpoint with a field "error" is still a successful item', async () => {
		expect((await run({ operation: 'getAll' })).items).toEqual([]);
		injectFault({ body: [{ endpoint_id: 'a', error: 'image missing' }, 'odd'] });
		expect((await run({ operation: 'getAll' })).json).toEqual([
			{ endpoint_id: 'a', error_message: 'image missing' },
			{ value: 'odd' },
		]);
		// An unexpected response is never treated as an empty list.
		injectFault({ body: { status: 'none yet' } });
		expect((await run({ operation: 'getAll' })).json).toEqual([{ status: 'none yet' }]);
		injectFault({ body: 'hello' });
		const { failed } = await run({ operation: 'getAll' });
		expect(failed).toMatchObject([{ kind: 'unreadable', httpCode: 200 }]);
	});
});

describe('update and delete', () => {
	test('update sends the ID and only the fields that were added, by PUT', async () => {
		const endpoint_id = await createEndpoint();
		const updateFields = { workersMin: 0, scalerType: 'QUEUE_DELAY', forceUpdate: false };
		const { json } = await run(updateParams(endpoint_id, updateFields));
		const message = 'Endpoint updated successfully';
		expect(json).toEqual([{ endpoint_id, updated: true, message }]);
		expect(endpointCalls()[1]).toMatchObject({ method: 'PUT', path: '/endpoint/update' });
		expect(endpointCalls()[1].body).toEqual({
			endpoint_id,
			workers_min: 0,
			scaler_type: 'QUEUE_DELAY',
			force_update: false,
		});
	});

	test("a rejection quotes the service's message, and a tool also gets the advice", async () => {
		const { failed } = await run(updateParams(await createEndpoint(), { workersMin: 5 }));
		const quoted = expect.stringContaining('Invalid argument workers_min');
		expect(failed).toMatchObject([{ kind: 'rejected', httpCode: 400, message: quoted }]);
		const gone = await run(deleteParams('gone'), { asTool: true });
		expect(gone.failed).toMatchObject([{ kind: 'rejected', httpCode: 404 }]);
		expect(gone.error?.message).toContain(gone.failed[0].next);
	});

	test.each<FaultAction>([{ status: 500, body: {} }, { status: 504, body: {} }, 'dropAfterAccept'])(
		'after %j an update is not repeated, and the error says that it may have been made, but nothing about charges',
		async (action) => {
			injectFault(action);
			const { failed } = await run(updateParams('e1'));
			expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
			expect(failed[0].charge).toBeUndefined();
			expect(endpointCalls()).toHaveLength(1);
		},
	);

	test('a retry makes an update again, and Stop does not wait for it', async () => {
		const parameters = updateParams(await createEndpoint());
		injectFault('dropAfterAccept');
		succeed(await run(parameters, { tries: 2 }));
		injectFault({ delayMs: 5_000 });
		const updates = () => endpointCalls().filter(({ method }) => method === 'PUT');
		const whileRunning = stopWhen(() => updates().length === 3);
		const { failed, tookMs } = await run(parameters, { whileRunning });
		expect(failed).toMatchObject([{ kind: 'stopped' }]);
		expect(tookMs).toBeLessThan(500);
	});

	test('delete sends DELETE with the ID in the body', async () => {
		const endpoint_id = await createEndpoint();
		const { json } = await run(deleteParams(endpoint_id));
		expect(endpointCalls()[1]).toMatchObject({
			method: 'DELETE',
			path: '/endpoint/delete',
			body: { endpoint_id },
			headers: { 'content-type': 'application/json' },
		});
		const message = 'Endpoint deleted successfully';
		expect(json).toEqual([{ endpoint_id, deleted: true, message }]);
	});

	test.each<[unknown, boolean]>([
		['', true],
		[{ success: false, message: 'It is in use' }, false],
		[{ success: 'false', endpoint_id: 'e1' }, false],
	])('status 200 with the body %j means deleted: %s', async (body, isDeleted) => {
		injectFault({ status: 200, body });
		const { json } = succeed(await run(deleteParams('e1')));
		expect(json[0].deleted).toBe(isDeleted || undefined);
	});

	test("a retry doesn't take a page with 404 for Segmind's word that the endpoint is deleted", async () => {
		injectFault('dropBeforeAccept');
		injectFault({ status: 404, body: HTML });
		const { failed } = await run(deleteParams('mine'), { tries: 2 });
		expect(failed).toMatchObject([{ httpCode: 404, responder: 'webPage' }]);
	});

	test('a retry repeats no confirmed deletion, and succeeds with 404 for a deletion whose response was lost', async () => {
		const [one, two] = [await createEndpoint(), await createEndpoint({ endpointName: 'other' })];
		const lost = { kind: 'endpoint', method: 'DELETE' } as const;
		emulator.fault({ on: lost, do: 'dropAfterAccept' });
		const items = [one, 'gone', two].map((id) => ({ json: { id } }));
		const first = await run(deleteParams('={{ $json.id }}'), { items });
		const { json, errorItems } = await run(deleteParams('={{ $json.id }}'), {
			retryOf: first,
			onError: 'continueErrorOutput',
		});
		expect(json).toMatchObject([one, two].map((endpoint_id) => ({ endpoint_id, deleted: true })));
		expect(errorItems).toMatchObject([{ json: { error: { httpCode: 404 } } }]);
		const deletions = endpointCalls().filter(({ method }) => method === 'DELETE');
		const ids = deletions.map(({ body }) => (body as { endpoint_id: string }).endpoint_id);
		expect(ids.filter((id) => id !== 'gone').sort()).toEqual([one, one, two].sort());
	});
});

describe('list searches', () => {
	const list = async (method: string, more: Partial<Parameters<typeof search>[0]> = {}) =>
		(await inVirtualTime(search({ emulator, node: 'segmindEndpoint', method, ...more }))).results;

	test('lists the endpoints of the chosen environment by name and model', async () => {
		const value = await createEndpoint();
		await createEndpoint({ environment: 'staging', endpointName: 'stage' });
		expect(await list('searchEndpoints')).toEqual([{ name: 'mine (flux-dev)', value }]);
		const staging = { parameters: { environment: 'staging' }, filter: 'STAGE' };
		expect(await list('searchEndpoints', staging)).toMatchObject([{ name: 'stage (flux-dev)' }]);
		expect(await list('searchEndpoints', { filter: 'nothing' })).toEqual([]);
		const unknown = { parameters: { environment: '={{ $json.x }}' } };
		expect(await list('searchEndpoints', unknown)).toHaveLength(1);
	});

	test.each<[string, FaultAction, number]>([
		['an error', { status: 500, body: 'x' }, 0],
		['a redirect', { redirect: 'http://127.0.0.1:9/' }, 0],
		['a body that is not JSON', { body: HTML }, 0],
		['a dropped connection', 'dropBeforeAccept', 0],
		['no response', 'hang', 5_000],
		['a response that comes byte by byte', { dripMs: 1_000 }, 5_000],
	])('lists nothing after %s [n8n 4]', async (_name, action, expectedMs) => {
		injectFault(action);
		const startedAt = Date.now();
		expect(await list('searchEndpoints')).toEqual([]);
		expect(Date.now() - startedAt).toBe(expectedMs);
		expect(await list('searchEndpoints', { emulator: undefined })).toEqual([]);
	});
});
