/** Whatever values parameters, options and files have, the item succeeds, or fails with a readable error of this package. */
import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { optionsField } from '../../nodes/shared/descriptions/options';
import { fileItem, type RunOptions } from '../helpers/runNode';
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
]);
const HUGE = 'n'.repeat(10_000_000);
const parameter = fc.oneof(
	text,
	json,
	fc.constantFrom<unknown>(HUGE, undefined, '={{ $json.nothing }}', '={{ $json }}'),
) as fc.Arbitrary<string>;

const requestBody = fc.oneof(
	parameter,
	fc.oneof(json, fc.dictionary(text, json, { maxKeys: 5 })).map((value) => JSON.stringify(value)),
	fc.constantFrom(
		deepJson(100_000),
		deepJson(100_000, '{"a":', '}'),
		'{"__proto__":{"polluted":true},"prompt":"x"}',
		`{"prompt":"${'x'.repeat(2_000_000)}"}`,
	),
);
const row = fc.record(
	{
		name: parameter,
		type: fc.constantFrom('string', 'number', 'boolean', 'json', 'file', 'unheard of'),
		stringValue: parameter,
		numberValue: parameter,
		booleanValue: parameter,
		jsonValue: fc.oneof(parameter, fc.constant(deepJson(50_000))),
		binaryFields: fc.oneof(parameter, fc.constant('data')),
	},
	{ requiredKeys: ['type'] },
);

const fieldName = fc.oneof(
	text,
	fc.constantFrom(...words('image_urls aspect_ratio seed .form __proto__ a"] a.b constructor')),
);
const fieldType = fc.constantFrom('file', 'file[]', 'number', 'json', 'boolean', 'string[]', 'x');
// n8n itself accepts only a list of objects, and throws for anything else.
const schema = fc.array(
	fc.oneof(
		fc.record({
			id: fc.constant('.form'),
			displayName: fc.constantFrom('nano-banana-pro', 'other', 5),
			options: fc.oneof(json, fc.array(fc.record({ name: fieldName, value: fieldType }))),
		}),
		fc.record({ id: fieldName, displayName: parameter, display: json, options: json }),
	),
	{ maxLength: 3 },
);
const form = fc.record({
	mappingMode: fc.constant('defineBelow'),
	value: fc.dictionary(fieldName, parameter, { maxKeys: 4 }),
	schema,
});

const file = fc.record(
	{
		data: fc.oneof(fc.constant('eA=='), text),
		mimeType: text,
		fileName: fc.oneof(text, fc.constantFrom(HUGE, '../../x', '\u202egnp.exe')),
	},
	{ requiredKeys: ['data', 'mimeType'] },
);
const binaryField = text.filter((name) => name !== '__proto__');

const options = fc.dictionary(
	fc.constantFrom(...(optionsField('model').options ?? []).map(({ name }) => name)),
	fc.oneof(parameter, fc.double(), fc.constantFrom(0, -1, 1e12, '3000000', 0.5)),
	{ maxKeys: 4 },
);
const request = fc.oneof(
	parameter,
	fc.dictionary(
		fc.constantFrom(...words('request_id poll_url status_url response_url model workflow')),
		parameter,
		{ maxKeys: 4 },
	) as unknown as fc.Arbitrary<string>,
);

const upload = (source: string, value: INodeParameters) => ({
	node: 'segmindAsset',
	parameters: { operation: 'upload', source, ...value },
});
const INPUTS: Record<string, fc.Arbitrary<Partial<RunOptions>>> = {
	'Request Body': requestBody.map((body) => ({
		parameters: submitParams({}, { requestBody: body }),
	})),
	'prompt and rows': fc
		.tuple(fc.array(row, { maxLength: 3 }), parameter, fc.constantFrom('url', 'base64', 'x'))
		.map(([values, prompt, sendFilesAs]) => ({
			parameters: submitParams({ prompt }, { additionalParameters: { values }, sendFilesAs }),
		})),
	'form, with any stored schema': form.map((parameters) => ({
		parameters: submitParams({ parameters: parameters as unknown as INodeParameters }),
	})),
	'file of a request': fc.tuple(file, binaryField).map(([data, name]) => ({
		parameters: submitParams({}, { additionalParameters: rows(fileRow('image', name)) }),
		items: [{ json: {}, binary: { [name]: data } }],
	})),
	'uploaded file': fc.tuple(file, binaryField).map(([data, binaryFields]) => ({
		...upload('binary', { binaryFields }),
		items: [{ json: {}, binary: { [binaryFields]: data } }],
	})),
	'uploaded data URL': parameter.map((dataUrl) => upload('dataUrl', { dataUrl })),
	'uploaded URL': fc
		.oneof(parameter, fc.constantFrom(...HOSTILE_URLS))
		.map((url) => upload('url', { url })),
	'request to get the result of': request.map((value) => ({
		parameters: requestParams('getResult', { request: value, options: { timeoutSeconds: 5 } }),
	})),
	options: fc.tuple(options, fc.boolean()).map(([chosen, isV1]) => ({
		parameters: runParams({}, { ...chosen, ...(isV1 && { answerInOneCall: true }) }),
	})),
};

async function run(inputs: Partial<RunOptions>): Promise<void> {
	service.resetWithFault(['hostile'], 'hang');
	await service.run({
		parameters: {},
		items: [fileItem({ data: { bytes: Buffer.from('x') } })],
		...inputs,
	});
}

test.each(Object.entries(INPUTS))(
	'any %s gives a readable error or a result',
	async (_name, inputs) => await checkProperty(100, inputs, run),
);

test('slugs stay one path segment', async () => {
	await checkProperty(
		120,
		fc.tuple(fc.oneof(text, fc.constantFrom(HUGE.slice(0, 5_000), ...HOSTILE_URLS)), fc.boolean()),
		async ([slug, isWorkflow]) => {
			const inputs = rows(textRow('prompt', 'x'));
			const workflow = { operation: 'run', slug, inputs, waitForCompletion: false };
			await run(
				isWorkflow
					? { parameters: workflow, node: 'segmindWorkflow' }
					: { parameters: submitParams({ model: model(slug) }) },
			);
			for (const { path, origin } of service.emulator.calls) {
				expect(origin).toMatch(/^(api|admin)$/);
				if (origin !== 'api') continue;
				expect(path).toMatch(/^\/(workflows\/)?v2\/[^/?#]+$/);
				service.ledger.count('slugs stay one path segment');
			}
		},
	);
});

service.testLedger();
