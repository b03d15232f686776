/** Whatever the service returns, each error is a readable sentence of this package, no key leaks, and nothing is sent twice. */
import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import type { CallKind } from '../../dev/emulator';
import { fileItem, succeed } from '../helpers/runNode';
import {
	fileRow,
	requestParams,
	rows,
	runParams,
	submitParams,
	textRow,
} from '../helpers/inference';
import {
	responseFault,
	body,
	headers,
	headerValue,
	HOSTILE_URLS,
	text,
	useHostileService,
} from './hostile';
import { checkProperty } from './randomRuns';

const service = useHostileService('hostile responses', [
	'each error is written by the package',
	'nothing is sent twice',
	'results succeed',
	'files have harmless names',
]);

const waiting = { timeoutSeconds: 20, pollIntervalSeconds: 1 };
const options = { ...waiting, minimumBalance: 0.01 };
const lookup = (operation: 'getResult' | 'getStatus', more: INodeParameters = {}) =>
	requestParams(operation, { request: 'abc', ...more });
const item = fileItem({ data: { bytes: Buffer.from('file') } });

const NODES: Record<string, { node?: string; parameters: INodeParameters }> = {
	run: { parameters: runParams({}, { ...options, additionalParameters: rows(fileRow('image')) }) },
	v1: { parameters: runParams({}, { ...options, answerInOneCall: true }) },
	submit: { parameters: submitParams({}, options) },
	getStatus: { parameters: lookup('getStatus') },
	getResult: { parameters: lookup('getResult', { options: waiting }) },
	'getResult at once': {
		parameters: lookup('getResult', { waitForCompletion: false, simplify: false }),
	},
	workflow: {
		node: 'segmindWorkflow',
		parameters: {
			operation: 'run',
			slug: 'product-photo',
			inputs: rows(textRow('prompt', 'x')),
			options,
		},
	},
	'asset upload': {
		node: 'segmindAsset',
		parameters: { operation: 'upload', source: 'binary', binaryFields: 'data' },
	},
	credits: { node: 'segmindCredits', parameters: { operation: 'get' } },
};
const KINDS: CallKind[][] = [
	['submit', 'v1'],
	['status', 'poll'],
	['result'],
	['history'],
	['upload'],
	['credits'],
	['status', 'result', 'poll', 'history'],
	['submit', 'status', 'result', 'v1', 'poll', 'history', 'upload', 'credits', 'file'],
];

const hostileRun = fc.record({
	node: fc.constantFrom(...Object.keys(NODES)),
	on: fc.constantFrom(...KINDS),
	status: fc.oneof(
		{ arbitrary: fc.constant(200), weight: 4 },
		{
			arbitrary: fc.constantFrom(201, 204, 301, 400, 401, 404, 406, 422, 429, 500, 503, 599),
			weight: 2,
		},
	),
	body,
	headers,
	onError: fc.constantFrom<'stopWorkflow' | 'continueRegularOutput'>(
		'stopWorkflow',
		'continueRegularOutput',
	),
	asTool: fc.boolean(),
	simplify: fc.boolean(),
});

test('any body with any status and headers gives a readable error or a result', async () => {
	await checkProperty(
		400,
		hostileRun,
		async ({ node, on, status, body: sent, headers: sentHeaders, onError, asTool, simplify }) => {
			const { node: nodeName, parameters } = NODES[node];
			service.resetWithFault(on, responseFault(status, sent, sentHeaders));
			await service.run({
				node: nodeName,
				parameters: { ...parameters, simplify },
				items: [item],
				onError,
				asTool,
			});
			expect(service.emulator.jobs.length).toBeLessThanOrEqual(1);
			service.ledger.count('nothing is sent twice', service.emulator.jobs.length);
		},
	);
});

const anyUrl = fc.oneof(fc.constantFrom(...HOSTILE_URLS), text);

test('no URL in the response to a submission gets the key', async () => {
	const responses = fc.record(
		{ request_id: text, poll_url: anyUrl, status_url: anyUrl, response_url: anyUrl },
		{ requiredKeys: [] },
	);
	await checkProperty(150, responses, async (sent) => {
		const { hostile } = service.emulator.urls;
		service.resetWithFault(['submit'], {
			body: JSON.stringify(sent).replaceAll('http://evil.example', hostile),
		});
		await service.run({ parameters: NODES.run.parameters, items: [item] });
	});
});

test('with any URLs and names in a result, the node succeeds, and files have harmless names', async () => {
	const file = fc.record(
		{
			url: fc.oneof(anyUrl, fc.constant('FILE')),
			content_type: fc.oneof(text, headerValue),
			file_name: fc.oneof(
				text,
				fc.constantFrom(
					'../../../root/.ssh/authorized_keys',
					'x\u0000.png',
					'n'.repeat(1_000_000),
					'.',
					'..',
					'.htaccess',
					'a/b\\c.png',
				),
			),
		},
		{ requiredKeys: ['url'] },
	);
	// By design, a result with only a status is unreadable, and the node fetches it again.
	const result = fc
		.record(
			{
				images: fc.array(file, { maxLength: 3 }),
				video: file,
				output: fc.oneof(anyUrl, fc.array(anyUrl, { maxLength: 3 })),
			},
			{ requiredKeys: [] },
		)
		.filter((sent) => Object.keys(sent).length > 0);
	await checkProperty(150, fc.tuple(result, headers), async ([sent, sentHeaders]) => {
		service.resetWithFault(['result'], {
			body: JSON.stringify({ ...sent, status: 'COMPLETED' }).replaceAll(
				'"FILE"',
				`"${service.emulator.urls.files}/generations/x.png"`,
			),
		});
		service.emulator.fault({
			on: 'file',
			times: 'always',
			do: {
				body: Buffer.from('bytes'),
				headers: { 'content-type': 'image/png', ...sentHeaders, 'content-encoding': 'identity' },
			},
		});
		const finished = await service.run({ parameters: NODES.run.parameters, items: [item] });
		if (finished) succeed(finished);
		service.ledger.count('results succeed');
		for (const { fileName = '', mimeType } of Object.values(finished?.items[0].binary ?? {})) {
			expect(fileName).toMatch(
				// eslint-disable-next-line no-control-regex
				/^[^./\\\u0000-\u001f<>:"|?*][^/\\\u0000-\u001f<>:"|?*]{0,120}$/u,
			);
			expect(mimeType).toMatch(/^[a-z0-9.+-]+\/[a-z0-9.+-]+$/);
			service.ledger.count('files have harmless names');
		}
	});
});

service.testLedger();
