/** The credentials as n8n decrypts them: custom addresses behind a switch, and the URL of the credential test. Also the nodes' subtitles. */
import type { ICredentialType, IDataObject, INode, INodePropertyOptions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import type { FaultAction } from '../../../dev/emulator';
import { testCredential } from '../../../dev/engine/credentialTest';
import { nodeOf, nodeTypesOfOne } from '../../../dev/engine/node';
import { version } from '../../../package.json';
import { SegmindApi } from '../../../credentials/SegmindApi.credentials';
import { SegmindSessionApi } from '../../../credentials/SegmindSessionApi.credentials';
import type { SegmindFailure } from '../../../nodes/shared/base/failure';
import { ACCOUNT_URLS, addressesIn, SERVICE_URLS } from '../../../nodes/shared/service/addresses';
import { useEmulator } from '../../helpers/emulator';
import { ACTION_NODES, actionNode, credentialsFor } from '../../helpers/packageNodes';

const emulator = useEmulator();

const KINDS: Array<[ICredentialType, object, string]> = [
	[new SegmindApi(), SERVICE_URLS, SERVICE_URLS.baseUrl],
	[new SegmindSessionApi(), ACCOUNT_URLS, ACCOUNT_URLS.accountUrl],
];
const CUSTOM_URL = 'http://127.0.0.1:9';

/** Evaluates an expression as n8n does. */
function evaluate(text: string, values: IDataObject, nodeName = 'segmindCredits'): unknown {
	const nodeType = actionNode(nodeName);
	const node: INode = nodeOf({ parameters: values.parameters as never }, nodeType);
	const workflow = new Workflow({
		id: '1',
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypesOfOne(nodeType),
	});
	return workflow.expression.getSimpleParameterValue(node, text, 'internal', values as never);
}

describe.each(KINDS)(
	'$name',
	({ name, properties, test: { request } = { request: {} } }, defaultUrls, baseUrl) => {
		const decrypt = async (stored: IDataObject) =>
			await credentialsFor({
				emulator: { credentials: {}, session: {} } as never,
				credential: stored,
				session: stored,
			}).getDecrypted(undefined, undefined, name);
		const customUrls = Object.fromEntries(
			Object.keys(defaultUrls).map((field) => [field, CUSTOM_URL]),
		);

		test.each([{}, { customAddresses: false }])(
			'%j: stored custom addresses are not used',
			async (setting) => {
				const data = await decrypt({ ...customUrls, ...setting });
				expect(Object.keys(data).filter((field) => field in defaultUrls)).toEqual([]);
				expect(addressesIn(data, defaultUrls)).toEqual(defaultUrls);
				expect(evaluate(String(request.baseURL), { $credentials: data })).toBe(baseUrl);
			},
		);

		test("n8n's HTTP Request node may send it only to *.segmind.com", async () => {
			expect(await decrypt({})).toMatchObject({
				allowedHttpRequestDomains: 'domains',
				allowedDomains: '*.segmind.com',
			});
		});

		test('a new credential has no secret', () => {
			const secrets = properties.filter(({ typeOptions }) => typeOptions?.password);
			expect(secrets.map((property) => property.default)).toEqual(secrets.map(() => ''));
		});

		test('with Custom Addresses on, they are used unchanged', async () => {
			const data = await decrypt({ ...customUrls, customAddresses: true });
			expect(addressesIn(data, defaultUrls)).toEqual(customUrls);
			expect(evaluate(String(request.baseURL), { $credentials: data })).toBe(CUSTOM_URL);
		});

		test.each(['', ' '])('the address %j means the default for the test too', async (empty) => {
			const stored = Object.fromEntries(Object.keys(defaultUrls).map((field) => [field, empty]));
			const data = await decrypt({ ...stored, customAddresses: true });
			expect(addressesIn(data, defaultUrls)).toEqual(defaultUrls);
			expect(evaluate(String(request.baseURL), { $credentials: data })).toBe(baseUrl);
		});
	},
);

describe('the test of a credential', () => {
	const types = { segmindApi: new SegmindApi(), segmindSessionApi: new SegmindSessionApi() };
	const tryIt = async (name: keyof typeof types, changes: IDataObject = {}) => {
		const { data } = credentialsFor({ emulator, credential: changes, session: changes });
		return await testCredential(types[name], data[name]);
	};
	const page = { body: '<!doctype html><title>x</title>', contentType: 'text/html' };
	const redirect = () => ({ redirect: `${emulator.urls.hostile}/x` });

	test.each(['segmindApi', 'segmindSessionApi'] as const)(
		'%s passes if Segmind accepts it, waits 15 s at most, and says who calls',
		async (name) => {
			expect(await tryIt(name)).toMatchObject({ status: 'OK', timeoutMs: 15_000 });
			const agents = emulator.calls.map(({ headers }) => headers['user-agent']);
			expect(new Set(agents)).toEqual(new Set([`n8n-nodes-segmind/${version}`]));
		},
	);

	test.each([
		['segmindApi', 'baseUrl', {}],
		['segmindSessionApi', 'accountUrl', {}],
		['segmindSessionApi', 'accountUrl', { enteredAccessToken: 'entered' }],
	] as const)('%s: the secret is not sent over http, %s', async (name, field, tokens) => {
		const addresses = { customAddresses: true, [field]: 'http://api.segmind.com' };
		expect(await tryIt(name, { ...addresses, ...tokens })).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/http:\/\/api\.segmind\.com.*https:/),
		});
		expect(emulator.calls).toEqual([]);
	});

	test.each<[string, keyof typeof types, () => FaultAction, RegExp]>([
		['no credits, or a wrong address', 'segmindApi', () => ({ status: 404, body: {} }), /Base URL/],
		['a wrong key', 'segmindApi', () => ({ status: 401, body: {} }), /API key/],
		['a web page', 'segmindApi', () => page, /web page/],
		['JSON without a balance', 'segmindApi', () => ({ body: { ok: true } }), /balance/],
		['a redirect', 'segmindApi', redirect, /./],
		['another status', 'segmindApi', () => ({ status: 418, body: {} }), /./],
		['a wrong session', 'segmindSessionApi', () => ({ status: 401, body: {} }), /session/],
		['a wrong address', 'segmindSessionApi', () => ({ status: 404, body: {} }), /Account URL/],
		['a web page', 'segmindSessionApi', () => page, /web page/],
		['a redirect', 'segmindSessionApi', redirect, /./],
	])('%s: %s fails with its own message', async (_case, name, action, message) => {
		const path = name === 'segmindApi' ? '/get-user-credits' : '/auth/profile';
		emulator.fault({ on: { path }, times: 'always', do: action() });
		const result = await tryIt(name);
		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(message) });
		expect(emulator.callsOf('hostile')).toEqual([]);
	});

	test('an access token that was entered is tested without a refresh', async () => {
		const wrong = await tryIt('segmindSessionApi', {
			enteredAccessToken: 'wrong',
			refreshToken: '',
		});
		expect(wrong.status).toBe('Error');
		expect(emulator.callsOf('account').map(({ method }) => method)).toEqual(['GET']);
	});
});

test('the error about a session without a refresh token has its advice in the message, because the Test button shows nothing else', async () => {
	const httpRequest = async () => await Promise.reject(new Error('no call was expected'));
	const refreshed = new SegmindSessionApi().preAuthentication.call(
		{ helpers: { httpRequest } },
		{},
	);
	const error = await refreshed.catch((thrown: Error) => thrown);
	const { facts } = (error as Error).cause as SegmindFailure;
	expect(facts).toMatchObject({ kind: 'badInput', fatal: true });
	expect((error as Error).message).toContain(facts.description);
});

test.each(Object.keys(ACTION_NODES))(
	'the subtitle of %s names the operation as the editor does',
	(name) => {
		const { description } = actionNode(name);
		const choicesOf = (parameter: string) =>
			description.properties.filter((property) => property.name === parameter);
		const [{ options: resources = [] } = {}] = choicesOf('resource');
		for (const { displayOptions, options = [] } of choicesOf('operation')) {
			const resource = displayOptions?.show?.resource?.[0];
			const object = (resources as INodePropertyOptions[]).find(({ value }) => value === resource);
			for (const option of options as INodePropertyOptions[]) {
				const values = { parameters: { resource, operation: option.value }, $rawParameter: {} };
				expect(evaluate(String(description.subtitle), values as IDataObject, name)).toBe(
					object ? `${object.name}: ${option.name}` : option.name,
				);
			}
		}
	},
);
