/** Segmind Endpoint: list, create, scale and delete. */
import { sleep, type INodeParameters } from 'n8n-workflow';

import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES, RETRY } from '../../nodes/shared/errors/errorTable';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { fill } from '../../nodes/shared/errors/failures';
import { refusing, saying } from '../helpers/errorTexts';
import { ENDPOINT, ENDPOINT_WIRE } from '../helpers/endpoint';
import { forRetry, search, type RunOptions } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode, during } = useVirtualEngine();
const sent = () => emulator.it.callsOf('endpoint');
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const byName = (value: string) => ({ __rl: true, mode: 'name', value });

const CREATION: INodeParameters = { operation: 'create', ...ENDPOINT };
async function run(parameters: INodeParameters, more: Partial<RunOptions> = {}) {
	return await runNode({ node: 'segmindEndpoint', parameters, ...more });
}
async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await sleep(5);
}
async function created(more: INodeParameters = {}): Promise<string> {
	const { json, error } = await run({ ...CREATION, ...more });
	expect(error).toBeUndefined();
	return json[0].endpoint_id as string;
}

describe('create', () => {
	test('sends all nine fields by POST, with the key, and passes the answer on', async () => {
		const { json, items, log } = await run(CREATION);
		expect(sent()).toHaveLength(1);
		expect(sent()[0]).toMatchObject({
			origin: 'admin',
			method: 'POST',
			path: '/endpoint/add',
			body: ENDPOINT_WIRE,
			headers: { 'x-api-key': emulator.it.key, 'content-type': 'application/json' },
		});
		const [{ endpoint_id }] = emulator.it.endpoints.production;
		expect(json).toEqual([
			{
				endpoint_name: 'mine',
				created: true,
				endpoint_id,
				message: 'Endpoint created successfully',
			},
		]);
		expect(items[0].pairedItem).toEqual({ item: 0 });
		expect(log.join()).toContain(`endpoint ${endpoint_id}`);
	});

	test('in staging it goes to the staging origin', async () => {
		await created({ environment: 'staging' });
		expect(sent().map(({ origin }) => origin)).toEqual(['adminStaging']);
		expect(emulator.it.endpoints.staging).toHaveLength(1);
		expect(emulator.it.endpoints.production).toEqual([]);
	});

	test('values of other kinds are taken as they are, numbers also as text', async () => {
		await created({
			gpuId: byId('H200_NVL'),
			scalerType: byName('CUSTOM'),
			workersMax: '={{ "3" }}',
		});
		expect(sent()[0].body).toMatchObject({
			gpu_id: 'H200_NVL',
			scaler_type: 'CUSTOM',
			workers_max: 3,
		});
	});

	test.each<[INodeParameters, RegExp]>([
		[{ endpointName: ' ' }, /Endpoint Name is empty/],
		[{ modelName: '={{ "" }}' }, /Model Name is empty/],
		[{ gpuId: byId('={{ null }}') }, /GPU is empty/],
		[{ scalerType: byName('') }, /Scaler Type is empty/],
		[{ workersMin: -1 }, /Workers Min is '-1', but must be a whole number of at least 0/],
		[{ workersMin: 3 }, /Workers Min is 3, which is above Workers Max \(2\)/],
		[{ workersMax: 1.5 }, /Workers Max is '1.5'/],
		[{ idleTimeout: '={{ null }}' }, /Idle Timeout is ''/],
		[{ executionTimeout: '={{ "soon" }}' }, /Execution Timeout is 'soon'/],
		[{ scalerValue: '={{ true }}' }, /Scaler Value is 'true'/],
		[
			{ environment: '={{ "test" }}' },
			/Environment is 'test', but must be one of production, staging/,
		],
	])('%j is refused by name before any call', async (wrong, message) => {
		const { error } = await run({ ...CREATION, ...wrong });
		expect(error?.message).toMatch(message);
		expect(error?.description).toContain('Nothing was sent');
		expect(emulator.it.calls).toEqual([]);
	});

	test('an address missing from the credential is named', async () => {
		const { error } = await run(
			{ ...CREATION, environment: 'staging' },
			{ credential: { endpointAdminStagingUrl: '' } },
		);
		expect(error?.message).toContain('Endpoint Admin Staging URL');
		expect(emulator.it.calls).toEqual([]);
	});

	test.each([
		[
			{ endpoint_id: 'e1', error: null },
			{ endpoint_name: 'mine', created: true, endpoint_id: 'e1' },
		],
		[
			{ endpoint_id: 'e1', error: 'no capacity' },
			{ endpoint_name: 'mine', endpoint_id: 'e1', error_message: 'no capacity' },
		],
		[{ message: 'ok' }, { endpoint_name: 'mine', created: true, message: 'ok' }],
		['', { endpoint_name: 'mine', created: true }],
		['done', { endpoint_name: 'mine', created: true, answer: 'done' }],
	])('the answer %j passes through as a good item', async (body, item) => {
		emulator.it.fault({ on: 'endpoint', do: { status: 200, body } });
		const { json, errorItems, error } = await run(CREATION, { onError: 'continueErrorOutput' });
		expect(error).toBeUndefined();
		expect(errorItems).toEqual([]);
		expect(json).toEqual([item]);
	});
});

describe('a GPU is never paid twice', () => {
	const twoItems = { items: [{ json: { most: 2 } }, { json: { most: -1 } }], tries: 3 };

	test('Retry On Fail with one bad item creates the good one once', async () => {
		const { error } = await run({ ...CREATION, workersMax: '={{ $json.most }}' }, twoItems);
		expect(error?.message).toContain('1 of 2 items failed');
		expect(emulator.it.endpoints.production).toHaveLength(1);
		expect(error?.description).toContain(emulator.it.endpoints.production[0].endpoint_id);
	});

	test('the retry of a failed execution returns what was created', async () => {
		const parameters = { ...CREATION, workersMax: '={{ $json.most }}' };
		const failed = await run(parameters, { ...twoItems, tries: 1 });
		const retried = await run(parameters, {
			resume: forRetry(failed.stored),
			onError: 'continueErrorOutput',
		});
		expect(retried.json).toMatchObject([
			{ endpoint_id: emulator.it.endpoints.production[0].endpoint_id },
		]);
		expect(sent()).toHaveLength(1);
	});

	test.each([
		'dropAfterAccept',
		{ status: 504, body: 'gateway', accept: true },
		{ status: 500, body: { error: 'boom' } },
	] as const)('an unknown outcome (%j) is kept, and not sent again', async (what) => {
		emulator.it.fault({ on: 'endpoint', do: what });
		const { error } = await run(CREATION, { tries: 3 });
		expect(error?.message).toMatch(
			saying(fill(CAUSES.unknownOutcome.what, { subject: "endpoint 'mine'" })),
		);
		expect(error?.description).toMatch(saying(CHARGE.unknown, 'Get Many', RETRY.holds));
		expect(sent()).toHaveLength(1);
	});

	test('it is sent again when the user says so', async () => {
		emulator.it.fault({ on: 'endpoint', do: 'dropBeforeAccept' });
		const { json } = await run(
			{ ...CREATION, options: { resubmitWhenUnknown: true } },
			{ tries: 2 },
		);
		expect(json[0].endpoint_id).toEqual(expect.any(String));
		expect(sent()).toHaveLength(2);
	});

	test.each([429, 503])('%i is waited out', async (status) => {
		emulator.it.fault({
			on: 'endpoint',
			do: { status, body: {}, headers: { 'retry-after': '0' } },
		});
		expect((await run(CREATION)).error).toBeUndefined();
		expect(emulator.it.endpoints.production).toHaveLength(1);
	});

	test('Min Balance stops before anything is sent', async () => {
		emulator.it.set({ balance: { credits: 1, freeCredits: 0 } });
		const { error } = await run({ ...CREATION, options: { minimumBalance: 5 } });
		expect(error?.message).toMatch(saying(CAUSES.belowMinBalance.what));
		expect(sent()).toEqual([]);
	});
});

describe('get many', () => {
	test.each(['array', 'object'] as const)(
		'one item an endpoint (list as %s), one call for all items',
		async (endpointList) => {
			await created();
			await created({ endpointName: 'other' });
			emulator.it.set({ endpointList });
			const { json, items } = await run(
				{ operation: 'getAll' },
				{ items: [{ json: {} }, { json: {} }] },
			);
			expect(json.map(({ endpoint_name }) => endpoint_name)).toEqual([
				'mine',
				'other',
				'mine',
				'other',
			]);
			expect(json[0]).toEqual(emulator.it.endpoints.production[0]);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
				{ item: 0 },
				{ item: 0 },
				{ item: 1 },
				{ item: 1 },
			]);
			const asked = sent().filter(({ method }) => method === 'GET');
			expect(asked).toMatchObject([{ headers: { 'content-type': 'application/json' } }]);
		},
	);

	test('no endpoint, no item; an error member of one does not make it a failed item', async () => {
		expect((await run({ operation: 'getAll' })).items).toEqual([]);
		emulator.it.fault({
			on: 'endpoint',
			do: { body: [{ endpoint_id: 'a', error: 'image missing' }, 'odd'] },
		});
		expect((await run({ operation: 'getAll' })).json).toEqual([
			{ endpoint_id: 'a', error_message: 'image missing' },
			{ value: 'odd' },
		]);
	});

	test('transient faults are survived, an answer without a list is named', async () => {
		emulator.it.fault({ on: 'endpoint', do: { status: 502, body: 'bad gateway' } });
		expect((await run({ operation: 'getAll' })).error).toBeUndefined();
		emulator.it.fault({ on: 'endpoint', do: { body: 'hello' } });
		expect((await run({ operation: 'getAll' })).error?.message).toContain(
			fill(CAUSES.unusable.what, { subject: 'the list of endpoints', status: 200, why: 'hello' }),
		);
	});

	test.each([
		[401, { error: 'Unauthorized' }, refusing('401', ': Unauthorized')],
		[403, { error: 'not allowed' }, refusing('403', ': not allowed')],
		[404, '<h1>Not found</h1>', refusing('404 manage')],
		[302, '', refusing('3xx')],
	])('HTTP %i says what to do', async (status, body, message) => {
		emulator.it.fault({ on: 'endpoint', do: { status, body } });
		const { error } = await run({ operation: 'getAll' });
		expect(error?.message).toMatch(message);
		expect(error?.httpCode).toBe(String(status));
	});
});

describe('update', () => {
	test('sends by PUT the id and the fields that were added, and no other', async () => {
		const endpoint_id = await created();
		const { json } = await run({
			operation: 'update',
			endpointId: byId(endpoint_id),
			updateFields: { workersMin: 1, forceUpdate: true },
		});
		expect(sent()[1]).toMatchObject({
			method: 'PUT',
			path: '/endpoint/update',
			body: { endpoint_id, workers_min: 1, force_update: true },
		});
		expect(Object.keys(sent()[1].body as object)).toHaveLength(3);
		expect(json).toEqual([
			{ endpoint_id, updated: true, message: 'Endpoint updated successfully' },
		]);
		expect(emulator.it.endpoints.production[0]).toMatchObject({ workers_min: 1, workers_max: 2 });
	});

	test('all eight', async () => {
		const endpoint_id = await created();
		await run({
			operation: 'update',
			endpointId: byId(endpoint_id),
			updateFields: {
				workersMin: 0,
				workersMax: 3,
				scalerType: byName('QUEUE_DELAY'),
				scalerValue: 7,
				idleTimeout: 30,
				executionTimeout: 90,
				forceUpdate: false,
			},
		});
		expect(sent()[1].body).toEqual({
			endpoint_id,
			workers_min: 0,
			workers_max: 3,
			scaler_type: 'QUEUE_DELAY',
			scaler_value: 7,
			idle_timeout: 30,
			execution_timeout: 90,
			force_update: false,
		});
	});

	test.each<[INodeParameters, RegExp]>([
		[{ endpointId: byId('={{ $json.missing }}') }, /Endpoint is empty/],
		[{ endpointId: byId('x'), updateFields: {} }, /Update Fields is empty/],
		[
			{ endpointId: byId('x'), updateFields: { workersMin: 2, workersMax: 1 } },
			/Workers Min is 2, which is above Workers Max \(1\)/,
		],
		[{ endpointId: byId('x'), updateFields: { idleTimeout: -5 } }, /Idle Timeout is '-5'/],
		[
			{ endpointId: byId('x'), updateFields: { forceUpdate: '={{ "maybe" }}' } },
			/Force Update is 'maybe'/,
		],
	])('%j is refused by name before any call', async (parameters, message) => {
		const { error } = await run({ operation: 'update', ...parameters });
		expect(error?.message).toMatch(message);
		expect(emulator.it.calls).toEqual([]);
	});

	test('what the service refuses comes in its own words', async () => {
		const endpoint_id = await created();
		const { error } = await run({
			operation: 'update',
			endpointId: byId(endpoint_id),
			updateFields: { workersMin: 5 },
		});
		expect(error?.message).toMatch(refusing('400 manage', ': Invalid argument workers_min'));
		expect(
			(
				await run({
					operation: 'update',
					endpointId: byId('gone'),
					updateFields: { workersMin: 0 },
				})
			).error?.message,
		).toMatch(saying("Endpoint 'gone': ", STATUSES['404 manage'].what));
	});

	test.each([500, 502, 504])(
		'HTTP %i: it may have been made, and nothing is said of charges',
		async (status) => {
			const endpoint_id = await created();
			emulator.it.fault({ on: 'endpoint', do: { status, body: { error: 'oops' } } });
			const { error } = await run({
				operation: 'update',
				endpointId: byId(endpoint_id),
				updateFields: { workersMin: 1 },
			});
			expect(error?.message).toContain(`HTTP ${status}`);
			expect(error?.description).toContain(CAUSES.changeUnknown.todo);
			expect(error?.description).not.toMatch(saying(CHARGE.none));
		},
	);

	test('a lost answer is reported as unknown and not repeated by us', async () => {
		const endpoint_id = await created();
		emulator.it.fault({ on: 'endpoint', do: 'dropAfterAccept' });
		const { error } = await run({
			operation: 'update',
			endpointId: byId(endpoint_id),
			updateFields: { workersMin: 1 },
		});
		expect(error?.description).toContain(CAUSES.changeUnknown.todo);
		expect(sent()).toHaveLength(2);
	});
});

describe('delete', () => {
	const deleting = (value: string): INodeParameters => ({
		operation: 'delete',
		endpointId: byId(value),
	});

	test('by the method DELETE with the id in the body', async () => {
		const endpoint_id = await created();
		const { json } = await run(deleting(endpoint_id));
		expect(sent()[1]).toMatchObject({
			method: 'DELETE',
			path: '/endpoint/delete',
			body: { endpoint_id },
			headers: { 'content-type': 'application/json' },
		});
		expect(json).toEqual([
			{ endpoint_id, deleted: true, message: 'Endpoint deleted successfully' },
		]);
		expect(emulator.it.endpoints.production).toEqual([]);
	});

	test('an empty answer gives an item', async () => {
		emulator.it.fault({ on: 'endpoint', do: { status: 200, body: '' } });
		expect((await run(deleting('e1'))).json).toEqual([{ endpoint_id: 'e1', deleted: true }]);
	});

	test.each([
		{ success: false, message: 'It is in use' },
		{ success: 'false', endpoint_id: 'e1' },
	])('an answer that says it was not done, %j, is not called deleted', async (body) => {
		emulator.it.fault({ on: { path: '/endpoint/delete' }, do: { status: 200, body } });
		const { json } = await run(deleting('e1'));
		expect(json[0]).toMatchObject(body);
		expect(json[0]).not.toHaveProperty('deleted');
	});

	test('a retry does not delete again what is deleted', async () => {
		const endpoint_id = await created();
		const { items, errorItems } = await run(deleting('={{ $json.id }}'), {
			items: [{ json: { id: 'gone' } }, { json: { id: endpoint_id } }],
			tries: 3,
			onError: 'continueErrorOutput',
		});
		expect(items.map(({ json }) => json)).toMatchObject([{ endpoint_id, deleted: true }]);
		expect(errorItems).toMatchObject([
			{ json: { error: { httpCode: 404, message: expect.stringContaining('gone') } } },
		]);
		expect(
			sent().filter(
				({ method, body }) =>
					method === 'DELETE' && (body as { endpoint_id: string }).endpoint_id === endpoint_id,
			),
		).toHaveLength(1);
	});

	test('a lost answer: the retry that finds nothing any more is a success', async () => {
		const endpoint_id = await created();
		emulator.it.fault({ on: 'endpoint', do: 'dropAfterAccept' });
		const { json, error } = await run(deleting(endpoint_id), { tries: 2 });
		expect(error).toBeUndefined();
		expect(json).toEqual([{ endpoint_id, deleted: true }]);
	});
});

test('Stop ends a change at once, and says that it may have been made', async () => {
	emulator.it.fault({ on: 'endpoint', do: 'hangAfterAccept' });
	let pressedAt = 0;
	const { error, endedAt } = await run(
		{ operation: 'update', endpointId: byId('x'), updateFields: { workersMin: 0 } },
		{
			whileRunning: async (stop) => {
				await until(() => sent().length === 1);
				pressedAt = Date.now();
				stop();
			},
		},
	);
	expect(endedAt - pressedAt).toBeLessThan(500);
	expect(error?.message).toContain(CAUSES.stoppedChanging.what);
	expect(error?.description).toContain(CAUSES.stoppedChanging.todo);
});

describe('the key', () => {
	test.each(['getAll', 'create', 'update', 'delete'])(
		'%s follows no redirect',
		async (operation) => {
			emulator.it.fault({
				on: 'endpoint',
				times: 'always',
				do: { redirect: `${emulator.it.urls.hostile}/stolen` },
			});
			const { error } = await run({
				...CREATION,
				operation,
				endpointId: byId('x'),
				updateFields: { workersMin: 0 },
			});
			expect(error?.message).toMatch(refusing('3xx'));
			expect(emulator.it.callsOf('hostile')).toEqual([]);
		},
	);

	test('is in no error', async () => {
		emulator.it.fault({
			on: 'endpoint',
			do: { status: 401, body: { error: `key ${emulator.it.key} is unknown` } },
		});
		const { error, log } = await run(CREATION);
		expect(JSON.stringify([error?.message, error?.description, error?.context, log])).not.toContain(
			emulator.it.key,
		);
	});
});

test('as a tool the message alone says what to do', async () => {
	const { error } = await run({ operation: 'delete', endpointId: byId('gone') }, { asTool: true });
	expect(error?.message).toMatch(saying('HTTP 404', STATUSES['404 manage'].todo));
});

describe('pickers', () => {
	const list = async (method: string, more: Partial<Parameters<typeof search>[0]> = {}) =>
		(await during(search({ emulator: emulator.it, node: 'segmindEndpoint', method, ...more })))
			.results;

	test('endpoints of the chosen environment by name and model', async () => {
		const endpoint_id = await created();
		await created({ environment: 'staging', endpointName: 'stage' });
		expect(await list('searchEndpoints')).toEqual([
			{ name: 'mine (flux-dev)', value: endpoint_id },
		]);
		expect(
			await list('searchEndpoints', { parameters: { environment: 'staging' }, filter: 'STAGE' }),
		).toMatchObject([{ name: 'stage (flux-dev)' }]);
		expect(await list('searchEndpoints', { filter: 'nothing' })).toEqual([]);
		expect(
			await list('searchEndpoints', { parameters: { environment: '={{ $json.x }}' } }),
		).toHaveLength(1);
	});

	test.each([
		['an error', { status: 500, body: 'x' }],
		['a redirect', { redirect: 'http://127.0.0.1:9/' }],
		['no JSON', { body: '<html>' }],
		['a dropped connection', 'dropBeforeAccept'],
	] as const)('an empty list after %s', async (_name, what) => {
		emulator.it.fault({ on: 'endpoint', do: what });
		expect(await list('searchEndpoints')).toEqual([]);
	});

	test('an empty list without a credential', async () => {
		expect(await list('searchEndpoints', { emulator: undefined })).toEqual([]);
	});

	test.each([
		['silence', 'hang'],
		['an answer that comes byte by byte', { dripMs: 1_000 }],
	] as const)('an empty list after 5 s of %s', async (_name, what) => {
		emulator.it.fault({ on: 'endpoint', do: what });
		const from = Date.now();
		expect(await list('searchEndpoints')).toEqual([]);
		expect(Date.now() - from).toBe(5_000);
	});

	test('GPUs and scalers, the published values first', async () => {
		expect((await list('searchGpus')).map(({ value }) => value)).toEqual([
			'AMPERE_80',
			'ADA_24',
			'ADA_48_PRO',
			'ADA_80_PRO',
			'AMPERE_16',
			'AMPERE_24',
			'AMPERE_48',
			'HOPPER_141',
		]);
		expect(
			(await list('searchScalerTypes', { filter: 'queue' })).map(({ value }) => value),
		).toEqual(['QUEUE_DELAY']);
	});
});
