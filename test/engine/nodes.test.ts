/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Workflow, Asset and Credits; Continue modes; tool use; pickers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { fill } from '../../nodes/shared/errors/failures';
import { refusing, saying } from '../helpers/errorTexts';
import { bytesOf, fileItem, runNode, search } from '../helpers/runNode';
import { EACH_PROMPT, prompts, rows, running } from '../helpers/inference';
import { useEmulator } from '../helpers/emulator';

const emulator = useEmulator();

describe('Segmind Workflow', () => {
	const workflow = (slug: string, ...inputs: Array<[string, string]>) => ({
		operation: 'run',
		slug,
		inputs: rows(...inputs.map(([name, stringValue]) => ({ name, type: 'string', stringValue }))),
		options: { pollIntervalSeconds: 0.05 },
	});
	const run = async (parameters: ReturnType<typeof workflow>) =>
		await runNode({ emulator: emulator.it, node: 'segmindWorkflow', parameters });

	test.each(['text', 'array'] as const)(
		'named outputs as an object, media downloaded (output as %s)',
		async (workflowOutput) => {
			emulator.it.set({ workflowOutput });
			const { json, items, error } = await run(workflow('product-photo', ['prompt', 'a red shoe']));
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({
				workflow: 'product-photo',
				outputs: { final_image: expect.stringMatching(/^http/), caption: expect.any(String) },
			});
			expect(Object.keys(json[0]).slice(0, 3)).toEqual(['url', 'outputs', 'request_id']);
			expect(json[0].url).toBe((json[0].outputs as { final_image: string }).final_image);
			expect(items[0].binary?.data.mimeType).toBe('image/png');
			expect(emulator.it.callsOf('submit')[0].path).toBe('/workflows/v2/product-photo');
		},
	);

	test('output that is broken JSON stays text', async () => {
		emulator.it.set({ workflowOutput: 'broken' });
		const { json, error } = await run(workflow('product-photo', ['prompt', 'a red shoe']));
		expect(error).toBeUndefined();
		expect(typeof json[0].output).toBe('string');
	});

	test('several files: video and audio', async () => {
		const { items } = await run(
			workflow('story-video', ['story', 'once'], ['prompt', 'once'], ['text', 'once']),
		);
		expect(
			Object.values(items[0].binary ?? {}).map(({ mimeType }) => mimeType.split('/')[0]),
		).toEqual(['video', 'audio']);
	});

	test('plain values', async () => {
		const { json, error } = await run(workflow('plain-values', ['prompt', 'x'], ['text', 'x']));
		expect(error).toBeUndefined();
		expect(Object.keys(json[0].outputs as object).length).toBeGreaterThan(0);
	});

	test('a failed run gives the reason out of the object', async () => {
		emulator.it.set({ failJobs: 'all', failText: 'Node 3 ran out of memory' });
		const { error } = await run(workflow('product-photo', ['prompt', 'a red shoe']));
		expect(error?.message).toContain('Node 3 ran out of memory');
	});

	test('an unknown slug, and a missing input', async () => {
		expect((await run(workflow('nope'))).error?.message).toMatch(
			saying("Workflow 'nope'", STATUSES['404 workflow'].what),
		);
		expect((await run(workflow('product-photo'))).error?.description).toContain(CHARGE.none);
	});

	test('run without waiting, then get the result by its output; a bare id asks for the poll_url', async () => {
		const submitted = await runNode({
			emulator: emulator.it,
			node: 'segmindWorkflow',
			parameters: {
				...workflow('product-photo', ['prompt', 'x']),
				waitForCompletion: false,
				options: {},
			},
		});
		const fetch = async (request: string, items = submitted.json.map((json) => ({ json }))) =>
			await runNode({
				emulator: emulator.it,
				node: 'segmindWorkflow',
				parameters: { operation: 'getResult', request, options: { pollIntervalSeconds: 0.05 } },
				items,
			});
		expect((await fetch('={{ $json }}')).json[0]).toMatchObject({
			workflow: 'product-photo',
			status: 'COMPLETED',
		});
		expect((await fetch('={{ $json.poll_url }}')).json[0]).toMatchObject({ status: 'COMPLETED' });
	});
});

describe('Segmind Asset', () => {
	const upload = async (parameters: object, item = fileItem({})) =>
		await runNode({
			emulator: emulator.it,
			node: 'segmindAsset',
			parameters: { operation: 'upload', ...parameters },
			items: [item],
		});

	test('several binaries in one request, in order, next to name and type', async () => {
		const item = fileItem({
			a: { bytes: Buffer.from('one'), fileName: 'one.png' },
			b: { bytes: Buffer.from('three'), mimeType: 'audio/wav', fileName: 'two.wav' },
		});
		const { json } = await upload({ binaryFields: 'b, a' }, item);
		expect(emulator.it.callsOf('upload')).toHaveLength(1);
		expect(json[0].files).toEqual([
			{
				url: expect.stringMatching(/^http/),
				file_name: 'two.wav',
				mime_type: 'audio/wav',
				file_size: 5,
			},
			{
				url: expect.stringMatching(/^http/),
				file_name: 'one.png',
				mime_type: 'image/png',
				file_size: 3,
			},
		]);
		expect(json[0].urls).toEqual((json[0].files as Array<{ url: string }>).map(({ url }) => url));
		expect(json[0].url).toBe((json[0].urls as string[])[0]);
	});

	test('a data URL', async () => {
		const { json } = await upload({ source: 'dataUrl', dataUrl: 'data:image/gif;base64,R0lGODdh' });
		expect(json[0].files).toMatchObject([{ mime_type: 'image/gif', file_size: 6 }]);
	});

	test('a public URL is fetched without the key and uploaded', async () => {
		const {
			json: [first],
		} = await upload({}, fileItem({ data: { bytes: Buffer.from('content'), fileName: 'c.png' } }));
		const { json } = await upload({ source: 'url', url: first.url });
		expect(json[0].files).toMatchObject([{ mime_type: 'image/png', file_size: 7 }]);
	});

	test('as a tool it reads no address: an agent would choose what n8n reads and publishes', async () => {
		const asked: string[] = [];
		const inside = createServer((request, response) => {
			asked.push(request.url ?? '');
			response.end('secret of the network');
		}).listen(0, '127.0.0.1');
		await new Promise((resolve) => inside.once('listening', resolve));
		const url = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/`;
		// As an agent fills it in; a fixed value n8n itself refuses, where it hides that choice.
		const { error } = await runNode({
			emulator: emulator.it,
			node: 'segmindAsset',
			// With an expression n8n asks for what every source needs.
			parameters: { operation: 'upload', source: '={{ "url" }}', url, dataUrl: 'x' },
			asTool: true,
		});
		expect(error?.message).toContain('Nothing was sent');
		expect(asked).toEqual([]);
		expect(emulator.it.calls).toEqual([]);
		await new Promise((resolve) => inside.close(resolve));
	});

	test.each([
		[{ source: 'dataUrl', dataUrl: 'hello' }, 'is not a data URL'],
		[{ source: 'url', url: 'ftp://x/y' }, 'is not an http(s) address'],
		[{ binaryFields: 'nope' }, "no binary field 'nope'"],
	])('%p is refused before any call', async (parameters, message) => {
		expect((await upload(parameters)).error?.message).toContain(message);
		expect(emulator.it.calls).toEqual([]);
	});

	test('an empty file is refused before the call', async () => {
		const { error } = await upload(
			{},
			fileItem({ data: { bytes: Buffer.alloc(0), fileName: 'none\n.png' } }),
		);
		expect(error?.message).toContain("File 'none .png' is empty (0 bytes)");
		expect(emulator.it.calls).toEqual([]);
	});

	test('a retry does not upload again', async () => {
		const items = [fileItem({ data: { bytes: Buffer.from('one') } }), fileItem({})];
		await runNode({
			emulator: emulator.it,
			node: 'segmindAsset',
			parameters: { operation: 'upload' },
			items,
			tries: 3,
		});
		expect(emulator.it.callsOf('upload')).toHaveLength(1);
	});
});

describe('Segmind Credits', () => {
	test('balance with its total, one call for all items', async () => {
		emulator.it.set({ balance: { credits: -1.5, freeCredits: 0.25 } });
		const { json } = await runNode({
			emulator: emulator.it,
			node: 'segmindCredits',
			parameters: { operation: 'get' },
			items: prompts(3),
		});
		expect(json).toEqual(
			Array.from({ length: 3 }, () => ({ credits: -1.5, 'free-credits': 0.25, total: -1.25 })),
		);
		expect(emulator.it.callsOf('credits')).toHaveLength(1);
	});

	test('Min Balance stops before anything paid', async () => {
		emulator.it.set({ balance: { credits: 4, freeCredits: 0 } });
		const { error } = await runNode({
			emulator: emulator.it,
			parameters: running({ prompt: EACH_PROMPT }, { minimumBalance: 5 }),
			items: prompts(3),
		});
		expect(error?.message).toContain(fill(CAUSES.belowMinBalance.what, { balance: 4, limit: 5 }));
		expect(emulator.it.callsOf('credits')).toHaveLength(1);
		expect(emulator.it.callsOf('submit')).toEqual([]);
	});

	test('a balance that cannot be read stops too', async () => {
		emulator.it.set({ noCreditRecord: true });
		const { error } = await runNode({
			emulator: emulator.it,
			parameters: running({}, { minimumBalance: 5 }),
		});
		expect(error?.message).toMatch(refusing('404 credits'));
		expect(emulator.it.callsOf('submit')).toEqual([]);
	});
});

describe("errors in the service's own words", () => {
	test.each([
		[401, { error: 'Unauthorized. API key is invalid' }, refusing('401', ': Unauthorized')],
		[
			402,
			{ error: 'Insufficient credits. You have 0.0 credits' },
			refusing('402', ': Insufficient credits'),
		],
		[403, { msg: 'model not allowed' }, refusing('403', ': model not allowed')],
		[404, { detail: 'no such model' }, refusing('404 submit', ': no such model')],
		[406, { error: 'Not enough credits' }, refusing('406 noCredits')],
		[406, { error: 'Invalid content type' }, refusing('406 contentType')],
		[406, { error: 'Team spend limit reached' }, refusing('406 spendLimit')],
		[406, { error: 'size must be 1K' }, refusing('406', ': size must be 1K')],
		[410, {}, refusing('410')],
		[
			400,
			'<html><head><title>Bad</title></head><body>Missing host header</body></html>',
			refusing('400', 'Missing host header'),
		],
	] as const)('HTTP %i %j', async (status, body, message) => {
		emulator.it.fault({ on: 'submit', do: { status, body } });
		const { error } = await runNode({ emulator: emulator.it, parameters: running() });
		expect(error?.message).toMatch(message);
		expect(error?.description).toContain(CHARGE.none);
		expect(error?.httpCode).toBe(String(status));
	});

	test('after a 401 the items not yet sent fail without a call', async () => {
		const { error } = await runNode({
			emulator: emulator.it,
			parameters: running({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
			items: prompts(5),
			credential: { apiKey: 'wrong-key' },
		});
		expect(error?.message).toContain('All 5 items failed');
		expect(error?.description).not.toContain(`${CHARGE.none} ${CHARGE.none}`);
		expect(emulator.it.callsOf('submit')).toHaveLength(1);
	});
});

describe('Continue', () => {
	test('failed items carry message, description, status, id, and go to the error output', async () => {
		emulator.it.set({ failWhen: (input) => input.prompt === 'prompt 1' });
		const { items, errorItems, error } = await runNode({
			emulator: emulator.it,
			parameters: running({ prompt: EACH_PROMPT }),
			items: prompts(3),
			onError: 'continueErrorOutput',
		});
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		const bad = emulator.it.jobs.find(({ input }) => input.prompt === 'prompt 1')?.requestId;
		expect(errorItems[0].json).toMatchObject({
			error: {
				message: expect.stringContaining(bad as string),
				description: expect.any(String),
				httpCode: 422,
				request_id: bad,
				status: 'FAILED',
			},
		});
	});

	test('the node never throws, not even for an option or a credential', async () => {
		const { json, error } = await runNode({
			emulator: emulator.it,
			parameters: running({}, { maxConcurrency: -1 }),
			items: prompts(2),
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		expect(json).toEqual([
			{ error: expect.objectContaining({ message: expect.stringContaining('Max Items at Once') }) },
			{ error: expect.anything() },
		]);
	});
});

describe('as a tool of an agent', () => {
	test('URLs instead of files, and few words', async () => {
		const { json, items } = await runNode({
			emulator: emulator.it,
			parameters: running(),
			asTool: true,
		});
		expect(Object.keys(json[0]).sort()).toEqual(['cost', 'request_id', 'status', 'url']);
		expect(items[0].binary).toBeUndefined();
	});

	test('v1 bytes are uploaded and their URL returned', async () => {
		const { json, items } = await runNode({
			emulator: emulator.it,
			parameters: running({}, { answerInOneCall: true }),
			asTool: true,
		});
		expect(json[0].url).toMatch(/^http/);
		expect((await bytesOf(items[0])).length).toBeGreaterThan(0);
	});

	test('the message alone says cause, request and next step', async () => {
		emulator.it.set({ failJobs: 'all', failText: 'Prompt was refused' });
		const { error } = await runNode({ emulator: emulator.it, parameters: running(), asTool: true });
		expect(error?.message).toMatch(
			saying('Prompt was refused', CHARGE.none, CAUSES.requestFailed.todo),
		);
		expect(error?.message).toContain(emulator.it.jobs[0].requestId);
	});
});

describe('pickers', () => {
	const ANY = { resource: 'model', operation: 'run' };

	test('models: the public list, retired ones hidden', async () => {
		const { results } = await search({
			emulator: emulator.it,
			method: 'searchModels',
			parameters: ANY,
		});
		expect(results.length).toBeGreaterThan(20);
		expect(results.map(({ value }) => value)).not.toContain('sd1.5-txt2img');
		const { results: found } = await search({
			emulator: emulator.it,
			method: 'searchModels',
			filter: 'video seed',
			parameters: ANY,
		});
		expect(found.length).toBeGreaterThan(0);
		expect(found.every(({ name, value }) => /seed/i.test(`${name} ${value}`))).toBe(true);
	});

	test('models: the built-in list when the service is out of reach', async () => {
		const results = async () =>
			(
				await search({
					emulator: emulator.it,
					method: 'searchModels',
					parameters: ANY,
					credential: { endpointAdminUrl: 'http://127.0.0.1:9' },
				})
			).results;
		expect((await results()).map(({ value }) => value)).toContain('seedance-2.0');
	});
});
