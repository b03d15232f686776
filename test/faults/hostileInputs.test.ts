/** Whatever values the parameters have, they are sent unchanged, or the item fails with a readable error of this package. */
import * as fc from 'fast-check';

import { fileItem } from '../helpers/runNode';
import {
	fileRow,
	model,
	requestParams,
	rows,
	runParams,
	submitParams,
	textRow,
} from '../helpers/inference';
import { deepJson, HOSTILE_URLS, json, text, useHostileService, words } from './hostile';
import { checkProperty } from './randomRuns';

const service = useHostileService('hostile inputs', [
	'each error is written by the package',
	'slugs stay one path segment',
	'JSON is sent exactly as written',
]);
const HUGE = 'n'.repeat(10_000_000);
const parameter = fc.oneof(
	text,
	json,
	fc.constantFrom<unknown>(HUGE, undefined, '={{ $json.nothing }}', '={{ $json }}'),
);
const run = async (parameters: object, more = {}) => {
	service.resetWithFault(['hostile'], 'hang');
	return await service.run({ parameters: parameters as never, ...more });
};

test('slugs stay one path segment', async () => {
	await checkProperty(
		120,
		fc.tuple(fc.oneof(text, fc.constantFrom(HUGE.slice(0, 5_000), ...HOSTILE_URLS)), fc.boolean()),
		async ([slug, isWorkflow]) => {
			const inputs = rows(textRow('prompt', 'x'));
			await (isWorkflow
				? run(
						{ operation: 'run', slug, inputs, waitForCompletion: false },
						{ node: 'segmindWorkflow' },
					)
				: run(submitParams({ model: model(slug) })));
			for (const { path, origin } of service.emulator.calls) {
				expect(origin).toMatch(/^(api|admin)$/);
				if (origin !== 'api') continue;
				expect(path).toMatch(/^\/(workflows\/)?v2\/[^/?#]+$/);
				service.ledger.count('slugs stay one path segment');
			}
		},
	);
});

test('Request Body is sent exactly as written, or not at all', async () => {
	const written = fc.oneof(
		{ arbitrary: parameter, weight: 3 },
		{ arbitrary: json.map((value) => JSON.stringify(value)), weight: 2 },
		{
			arbitrary: fc
				.dictionary(text, json, { maxKeys: 5 })
				.map((value) => JSON.stringify({ prompt: 'x', ...value })),
			weight: 3,
		},
		{
			arbitrary: fc.constantFrom(
				deepJson(100_000),
				deepJson(100_000, '{"a":', '}'),
				`{"prompt":${deepJson(900)}}`,
				'{"__proto__":{"polluted":true},"prompt":"x"}',
				`{"prompt":"${'x'.repeat(2_000_000)}"}`,
				'{'.repeat(200_000),
			),
			weight: 1,
		},
	);
	await checkProperty(120, written, async (requestBody) => {
		await run(submitParams({}, { requestBody: requestBody as never }));
		const [sent] = service.emulator.callsOf('submit');
		if (
			sent &&
			typeof requestBody === 'string' &&
			!requestBody.startsWith('=') &&
			requestBody.length < 100_000
		) {
			expect(sent.body).toEqual(JSON.parse(requestBody));
			service.ledger.count('JSON is sent exactly as written');
		}
	});
});

test('rows of any name, type and value give a readable error or a result', async () => {
	const row = fc.record(
		{
			name: fc.oneof(text, parameter),
			type: fc.constantFrom('string', 'number', 'boolean', 'json', 'file', 'unheard of'),
			stringValue: parameter,
			numberValue: parameter,
			booleanValue: parameter,
			jsonValue: fc.oneof(parameter, fc.constantFrom(deepJson(50_000))),
			binaryFields: fc.oneof(parameter, fc.constant('data')),
		},
		{ requiredKeys: ['type'] },
	);
	await checkProperty(
		120,
		fc.tuple(
			fc.array(row, { maxLength: 3 }),
			parameter,
			fc.constantFrom('url', 'dataUrl', 'base64', 'x'),
		),
		async ([values, prompt, sendFilesAs]) => {
			await run(
				submitParams(
					{ prompt: prompt as never },
					{ additionalParameters: { values } as never, sendFilesAs },
				),
				{ items: [fileItem({ data: { bytes: Buffer.from('x') } })] },
			);
		},
	);
});

test('a form with any names, values and stored schema gives a readable error or a result', async () => {
	const name = fc.oneof(
		text,
		fc.constantFrom(...words('image_urls aspect_ratio seed .form __proto__ a"] a.b constructor')),
	);
	const formRecord = fc.record({
		id: fc.constant('.form'),
		displayName: fc.constantFrom('nano-banana-pro', 'other', 5),
		options: fc.oneof(
			json,
			fc.array(
				fc.record({
					name,
					value: fc.constantFrom('file', 'file[]', 'number', 'json', 'boolean', 'string[]', 'x'),
				}),
			),
		),
	});
	// n8n itself accepts only a list of objects, and throws for anything else.
	const field = fc.record({
		id: name,
		displayName: parameter,
		display: json,
		required: json,
		removed: json,
		options: json,
	});
	await checkProperty(
		150,
		fc.tuple(
			fc.array(fc.tuple(name, parameter), { maxLength: 4 }),
			fc.array(fc.oneof(formRecord, field), { maxLength: 3 }),
		),
		async ([pairs, schema]) => {
			const value = Object.fromEntries(pairs);
			await run(
				submitParams({ parameters: { mappingMode: 'defineBelow', value, schema } as never }),
				{ items: [fileItem({ data: { bytes: Buffer.from('x') } })] },
			);
		},
	);
});

test('files of any name, type and content give a readable error or a result', async () => {
	const file = fc.record(
		{
			data: fc.oneof(fc.constant('eA=='), text),
			mimeType: text,
			fileName: fc.oneof(text, fc.constantFrom(HUGE, '../../x', '\u202egnp.exe')),
		},
		{ requiredKeys: ['data', 'mimeType'] },
	);
	const field = fc.oneof(
		fc.constant('data'),
		text.filter((name) => name !== '__proto__'),
	);
	await checkProperty(
		100,
		fc.tuple(
			file,
			field,
			fc.constantFrom('segmindAsset', 'segmind'),
			fc.constantFrom(200, 400, 413, 500),
		),
		async ([data, name, node, status]) => {
			const additionalParameters = rows(fileRow('image', name));
			const parameters =
				node === 'segmindAsset'
					? { operation: 'upload', source: 'binary', binaryFields: name }
					: submitParams({}, { additionalParameters });
			service.resetWithFault(
				status === 200 ? ['hostile'] : ['upload'],
				status === 200 ? 'hang' : { status, body: { error: 'no' } },
			);
			await service.run({
				node,
				parameters,
				items: [{ json: {}, binary: { [name]: data as never } }],
			});
		},
	);
});

test('any requests, URLs, data URLs and options give a readable error or a result', async () => {
	const OPTIONS = words(`
		timeoutSeconds onTimeout pollIntervalSeconds maxConcurrency sendAgainIfUnsure minimumBalance maximumCost
		sendFilesAs additionalParameters answerInOneCall requestBody downloadOutput outputField
	`);
	const anyOptions = fc.dictionary(
		fc.constantFrom(...OPTIONS),
		fc.oneof(parameter, fc.double(), fc.constantFrom(0, -1, 1e12, '3000000', 0.5)),
		{ maxKeys: 4 },
	);
	const reference = fc.dictionary(
		fc.constantFrom(...words('request_id poll_url status_url response_url model workflow')),
		parameter,
		{ maxKeys: 4 },
	);
	const requests = fc.oneof(
		parameter.map((request) =>
			requestParams('getResult', { request: request as never, options: { timeoutSeconds: 5 } }),
		),
		reference.map((request) => requestParams('getStatus', { request: request as never })),
		fc
			.tuple(anyOptions, fc.boolean())
			.map(([options, isV1]) =>
				runParams({}, { ...options, ...(isV1 && { answerInOneCall: true }) }),
			),
	);
	const uploads = fc.oneof(
		parameter.map((dataUrl) => ({ operation: 'upload', source: 'dataUrl', dataUrl })),
		fc
			.oneof(parameter, fc.constantFrom(...HOSTILE_URLS))
			.map((url) => ({ operation: 'upload', source: 'url', url })),
	);
	await checkProperty(120, requests, async (parameters) => void (await run(parameters)));
	await checkProperty(
		100,
		uploads,
		async (parameters) => void (await run(parameters, { node: 'segmindAsset' })),
	);
});

test('a Timeout longer than any timer does not cut a v1 call off', async () => {
	const finished = await run(runParams({}, { timeoutSeconds: 3_000_000, answerInOneCall: true }));
	expect(finished?.error).toBeUndefined();
	expect(service.emulator.callsOf('v1')[0].status).toBe(200);
});

service.testLedger();
