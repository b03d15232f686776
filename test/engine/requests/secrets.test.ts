/** The key goes only to its origins. `useEmulator` fails a test whenever a key arrives elsewhere. */
import type { INodeParameters } from 'n8n-workflow';

import type { OriginName } from '../../../dev/emulator/types';
import { version } from '../../../package.json';
import { LIST_PARAMS, uploadParams, uploadUrlParams } from '../../helpers/fineTune';
import { model, prompts, requestParams, runParams, submitParams } from '../../helpers/inference';
import { fileItem } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const ZIP = fileItem({ data: { bytes: Buffer.from('zip') } });
test.each(['submit', 'status', 'result', 'credits', 'v1'] as const)(
	"doesn't follow a redirect of %s [Secrets 1]",
	async (kind) => {
		const redirect = `${emulator.urls.hostile}/stolen`;
		const fault = emulator.fault({ on: kind, times: 'always', do: { redirect } });
		const options = { minimumBalance: 0.01, answerInOneCall: kind === 'v1' };
		const { failed } = await runNode({ parameters: runParams({}, options) });
		expect([failed.length, fault.hits > 0]).toEqual([1, true]);
		expect(emulator.callsOf('hostile')).toEqual([]);
	},
);

test.each([
	['segmindEndpoint', { operation: 'getAll' }],
	['segmindFineTune', LIST_PARAMS],
	['segmindFineTune', uploadUrlParams()],
])("%s doesn't follow a redirect of %j [Secrets 1]", async (node, parameters) => {
	const redirect = `${emulator.urls.hostile}/stolen`;
	emulator.fault({ on: ['endpoint', 'finetune'], times: 'always', do: { redirect } });
	const { failed } = await runNode({ node, parameters });
	expect(failed).toMatchObject([{ httpCode: 307 }]);
	expect(emulator.callsOf('hostile')).toEqual([]);
});

// `leaks` finds it in calls to other origins.
test.each<[string, INodeParameters, OriginName[]]>([
	['segmind', runParams({}, { downloadOutput: true, minimumBalance: 0.01 }), ['files']],
	['segmind', { resource: 'model', operation: 'getMany' }, []],
	['segmindFineTune', uploadParams(), ['storage']],
	['segmindAccount', { resource: 'session', operation: 'refresh' }, []],
])(
	"%s: calls to the credential's origins say who they are, but not calls to others: %j",
	async (node, parameters, others) => {
		const { failed } = await runNode({ node, parameters, items: [ZIP] });
		const isOther = (origin: OriginName) => others.includes(origin);
		const [other, own] = [true, false].map((is) =>
			emulator.calls.filter(({ origin }) => isOther(origin) === is),
		);
		expect([failed, other.length]).toEqual([[], others.length]);
		const agents = own.map(({ headers }) => headers['user-agent']);
		expect(new Set(agents)).toEqual(new Set([`n8n-nodes-segmind/${version}`]));
	},
);

test("removes keys, tokens and signatures from the service's own messages [Secrets 3]", async () => {
	const signed = 'https://bucket.example.com/a.zip?X-Amz-Signature=5ec4e7';
	emulator.fault({
		on: 'submit',
		do: { status: 400, body: { error: `key ${emulator.key} may not read ${signed}` } },
	});
	const { error, log } = await runNode({ parameters: runParams() });
	const everything = JSON.stringify([error?.message, error?.description, error?.context, log]);
	expect(everything).toContain('bucket.example.com');
	expect(everything).not.toContain(emulator.key);
	expect(everything).not.toContain('5ec4e7');
});

test('what n8n stores of a run has no key, for a request that ended and for one that did not [Secrets 3]', async () => {
	emulator.set({ jobMs: (_model, _input, index) => [100, 120_000][index] });
	const parameters = runParams({}, { timeoutSeconds: 5 });
	const { stored, failed } = await runNode({ parameters, items: prompts(2) });
	expect(failed).toMatchObject([{ kind: 'timedOut' }]);
	const everything = JSON.stringify(stored);
	for (const { requestId } of emulator.jobs) expect(everything).toContain(requestId);
	expect(everything).not.toContain(emulator.key);
});

describe('a key of another form', () => {
	const apiKey = 'my-very-own-key';

	test("is removed from the service's messages", async () => {
		const body = { error: `API key ${apiKey} is invalid` };
		emulator.fault({ on: 'submit', do: { status: 401, body } });
		const { error } = await runNode({ parameters: runParams(), credential: { apiKey } });
		expect(error?.message).toContain('API key [hidden] is invalid');
	});

	test("is removed from n8n's messages about an expression", async () => {
		const { error, failed } = await runNode({
			parameters: runParams({ prompt: '={{ $($json.key).first().json.x }}' }),
			items: [{ json: { key: apiKey } }],
			credential: { apiKey },
		});
		const everything = JSON.stringify([failed, error?.message, error?.description]);
		expect(everything).toContain('[hidden]');
		expect(everything).not.toContain(apiKey);
	});
});

test('rejects the slug of another path before any call', async () => {
	const { failed } = await runNode({ parameters: runParams({ model: model('..') }) });
	expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining('Model') }]);
	expect(emulator.calls).toEqual([]);
});

const SECRET_URL = 'https://hunter2:hunter3@host.example/a?X-Amz-Signature=hunter4';
test.each([
	requestParams('getResult', { request: `x y ${SECRET_URL}` }),
	requestParams('getResult', {
		request: `x y https://${'hunter2'.repeat(20)}:hunter3@host.example/a`,
	}),
	runParams({ model: model(SECRET_URL) }),
])('quotes bad input without user name, password and signature: %j', async (parameters) => {
	const { error, log } = await runNode({ parameters });
	const everything = JSON.stringify([error?.message, error?.description, log]);
	expect(everything).toContain('host.example');
	expect(everything).not.toContain('hunter');
});

test("writes a model's name on one line of the log", async () => {
	emulator.fault({ on: 'submit', do: { body: { request_id: 'x1', status: 'QUEUED' } } });
	const { log } = await runNode({
		parameters: submitParams({ model: model('={{ "flux\\n[error] all is lost\\u2028x" }}') }),
	});
	expect(log).toEqual([expect.stringMatching(/^[^\n\r\u2028]*flux[^\n\r\u2028]*$/)]);
});
