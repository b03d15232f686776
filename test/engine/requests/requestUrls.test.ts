/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Which URLs of a request are called. `useEmulator` fails a test whenever a key arrives elsewhere than at the credential's origins. */
import { createServer, request as sendRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject } from 'n8n-workflow';

import type { FaultAction } from '../../../dev/emulator';
import { requestParams, runParams, submitParams, workflowParams } from '../../helpers/inference';
import { usePolling } from '../../helpers/polling';
import { succeed } from '../../helpers/runNode';

const { emulator, runNode, watchRequests, waitForJobs } = usePolling();

const ID = '4f0c8a1e22b94c1e9d8f7a6b5c4d3e2f';
const BAD_URL: FaultAction = { status: 400, body: { error: 'Invalid host header' } };

/** The paths of the calls that asked about requests, without repetitions. */
const askedPaths = () => [
	...new Set(emulator.calls.filter(({ method }) => method === 'GET').map(({ path }) => path)),
];
const getResult = async (request: unknown, items?: IDataObject) =>
	await runNode({
		parameters: requestParams('getResult', { request: request as string }),
		...(items && { items: [{ json: items }] }),
	});

describe('at paths that nobody has published', () => {
	const at = (path: string) => `${emulator.urls.api}${path}`;
	const ownUrls = () => ({
		status_url: at(`/jobs/${ID}/state`),
		response_url: at(`/jobs/${ID}/output?part=1`),
	});
	const state = { request_id: ID, status: 'COMPLETED' };
	beforeEach(() => {
		const body = { ...state, status: 'QUEUED', ...ownUrls() };
		emulator.fault({ on: 'submit', times: 'always', do: { body } });
		const respond = (path: string, more: IDataObject) =>
			emulator.fault({
				on: (call) => call.path === path,
				times: 'always',
				do: { body: { ...state, ...more } },
			});
		respond(`/jobs/${ID}/state`, {});
		respond(`/jobs/${ID}/output?part=1`, { output: 'here' });
	});
	const expected = [`/jobs/${ID}/state`, `/jobs/${ID}/output?part=1`];

	test("the service's URLs are called as they are [Secrets 1]", async () => {
		const { json } = succeed(await runNode({ parameters: runParams() }));
		expect([json[0].output, askedPaths()]).toEqual(['here', expected]);
	});

	test("the node's own item leads to them, in every operation", async () => {
		const { items } = succeed(await runNode({ parameters: submitParams() }));
		const result = await runNode({ parameters: requestParams('getResult'), items });
		expect([succeed(result).json[0].output, askedPaths()]).toEqual(['here', expected]);
		const status = await runNode({ parameters: requestParams('getStatus'), items });
		expect(succeed(status).json).toMatchObject([state]);
		const [listed] = await watchRequests([items[0].json]).activate();
		expect([listed.json.output, askedPaths()]).toEqual(['here', expected]);
	});

	test('so does the URL alone', async () => {
		const { json } = succeed(await getResult(ownUrls().response_url));
		expect([json[0].output, askedPaths()]).toEqual(['here', expected.slice(1)]);
	});
});

describe('another origin never gets the key, but the request is found [Secrets 1]', () => {
	beforeEach(() => emulator.set({ foreignUrls: true }));

	test.each([
		['segmind', runParams(), (id: string) => [`/v2/requests/${id}/status`, `/v2/requests/${id}`]],
		[
			'segmindWorkflow',
			workflowParams(),
			(id: string) => [`/workflows/v2/requests/${id}/status`, `/workflows/v2/requests/${id}`],
		],
	])('%s: at the same paths of Base URL', async (node, parameters, paths) => {
		emulator.set({ history: false });
		const { json } = succeed(await runNode({ node, parameters }));
		const { requestId } = emulator.jobs[0];
		expect(json).toMatchObject([{ request_id: requestId, status: 'COMPLETED' }]);
		expect(askedPaths().slice(0, 2)).toEqual(paths(requestId));
		expect(emulator.callsOf('hostile')).toEqual([]);
	});

	test('if these paths name another request, or none, at those of its ID', async () => {
		const { hostile } = emulator.urls;
		const urls = {
			poll_url: `${hostile}/v1/requests/${ID}`,
			status_url: `${hostile}/v1/get-user-credits`,
			response_url: '/v2/requests/x',
		};
		emulator.fault({ on: 'submit', do: { rewrite: { with: urls } } });
		const { json } = succeed(await runNode({ parameters: runParams() }));
		const { requestId } = emulator.jobs[0];
		expect(json).toMatchObject([{ request_id: requestId, status: 'COMPLETED' }]);
		expect(askedPaths().slice(0, 2)).toEqual([
			`/v2/requests/${requestId}/status`,
			`/v2/requests/${requestId}`,
		]);
	});

	test('a retry with another Base URL finds the request that it resumes', async () => {
		emulator.set({ foreignUrls: false });
		emulator.fault({ on: 'status', times: 'always', do: { status: 502, body: '<html>' } });
		const parameters = runParams({}, { timeoutSeconds: 5 });
		const failed = await runNode({ parameters });
		emulator.clearFaults();
		const proxy = await startProxy();
		const credential = { baseUrl: proxy.baseUrl };
		const { json } = succeed(await runNode({ parameters, credential, retryOf: failed }));
		expect(json).toMatchObject([{ status: 'COMPLETED' }]);
		expect([emulator.jobs.length, proxy.paths.length > 0]).toEqual([1, true]);
	});
});

describe('behind a reverse proxy as Base URL, which passes on URLs with the address of the service', () => {
	test.each([
		['segmind', runParams(), submitParams(), 'segmind', requestParams('getResult')],
		[
			'segmindWorkflow',
			workflowParams(),
			workflowParams({ waitForCompletion: false }),
			'segmindWorkflow',
			{ operation: 'getResult' },
		],
	])('%s finds its requests', async (node, run, submit, _node, result) => {
		const proxy = await startProxy();
		const credential = { baseUrl: proxy.baseUrl };
		const { json } = succeed(await runNode({ node, parameters: run, credential }));
		expect(json).toMatchObject([{ status: 'COMPLETED' }]);
		const { items } = succeed(await runNode({ node, parameters: submit, credential }));
		const later = await runNode({ node, parameters: result, items, credential });
		expect(succeed(later).json).toMatchObject([{ status: 'COMPLETED' }]);
		// Also with the URL that the service itself returned.
		const [{ requestId }] = emulator.jobs;
		const request = `${emulator.urls.api}/v2/requests/${requestId}`;
		if (node === 'segmind')
			succeed(await runNode({ parameters: requestParams('getResult', { request }), credential }));
		const direct = emulator.calls.filter(({ origin }) => origin === 'api').length;
		expect(proxy.paths).toHaveLength(direct);
		expect(proxy.paths.every((path) => path.startsWith('/segmind/'))).toBe(true);
	});
});

describe('a URL that a user or an agent wrote is no way to other calls [Secrets 1]', () => {
	const CREDITS = '/v1/get-user-credits';
	const OTHER_PATHS = [
		CREDITS,
		`${CREDITS}?id=${ID}`,
		`${CREDITS}?x=/v2/requests/${ID}`,
		`${CREDITS}#/requests/${ID}`,
		`/v2/requests/${ID}/../../../v1/get-user-credits`,
		`/v2/requests/${ID}/%2e%2e/%2e%2e/%2e%2e${CREDITS}`,
		`/${ID}%2f..${CREDITS}`,
		`/${ID}%5c..${CREDITS}`,
		`/${ID}/%252e%252e${CREDITS}`,
		`/${ID}/..;${CREDITS}`,
		`${CREDITS}%3f/${ID}`,
		`${CREDITS}%00/${ID}`,
		`/v1/x${ID}`,
		`/v1/models/other-id`,
		`/finetune/request/${ID}`,
		`/FineTune/request/details/${ID}`,
		`/fine%74une/request/${ID}/status`,
		`//finetune//request//${ID}`,
		'/finetune/request/list',
	];

	test('alone, each is rejected before any call', async () => {
		const items = OTHER_PATHS.map((path) => ({ json: { url: `${emulator.urls.api}${path}` } }));
		const parameters = requestParams('getResult', { request: '={{ $json.url }}' });
		const { failed } = await runNode({ parameters, items });
		const facts = { kind: 'badInput', charge: 'none' };
		expect(failed).toMatchObject(OTHER_PATHS.map((_path, item) => ({ ...facts, item })));
		expect(emulator.calls).toEqual([]);
	});

	test("in an item, each leads to the ID's own URLs", async () => {
		const [{ json: submitted }] = succeed(await runNode({ parameters: submitParams() })).items;
		await waitForJobs();
		const { requestId } = emulator.jobs[0];
		const items = OTHER_PATHS.map((path) => {
			const url = `${emulator.urls.api}${path}`.replaceAll(ID, requestId);
			return { json: { ...submitted, poll_url: url, status_url: url, response_url: url } };
		});
		const { json } = succeed(await runNode({ parameters: requestParams('getResult'), items }));
		const done = { request_id: requestId, status: 'COMPLETED' };
		expect(json).toMatchObject(OTHER_PATHS.map(() => done));
		const apiPaths = emulator.calls
			.filter(({ origin, method }) => origin === 'api' && method === 'GET')
			.map(({ path }) => path);
		const paths = [`/v2/requests/${requestId}/status`, `/v2/requests/${requestId}`];
		expect(apiPaths.sort()).toEqual(OTHER_PATHS.flatMap(() => paths).sort());
	});

	test('of another host, it is rejected, unless it has an ID of the service, which is looked up at Base URL', async () => {
		const { hostile } = emulator.urls;
		const { failed } = await getResult(`${hostile}/v2/requests/x`);
		expect(failed).toMatchObject([{ kind: 'foreignOrigin', charge: 'none' }]);
		expect(emulator.calls).toEqual([]);
		await getResult(`${hostile}/v2/requests/${ID}`);
		expect(askedPaths()[0]).toBe(`/v2/requests/${ID}/status`);
		expect(emulator.callsOf('hostile')).toEqual([]);
	});
});

describe("a status_url that doesn't know the request: poll_url is asked, and the one that answers is used from then on", () => {
	test.each<[string, FaultAction]>([
		['404', 'notFound'],
		['405', { status: 405, body: '<!doctype html><title>405</title>' }],
		['400', BAD_URL],
	])('%s', async (_status, action) => {
		emulator.set({ jobMs: 30_000, history: false });
		const fault = emulator.fault({ on: 'status', times: 'always', do: action });
		const { json } = succeed(await runNode({ parameters: runParams() }));
		expect(json).toMatchObject([{ status: 'COMPLETED' }]);
		expect([fault.hits, emulator.callsOf('poll').length > 3]).toEqual([1, true]);
	});

	test('in Get Status, and the result in Get Result', async () => {
		emulator.set({ history: false });
		const { items } = await runNode({ parameters: submitParams() });
		await waitForJobs();
		emulator.fault({ on: ['status', 'result'], times: 'always', do: 'notFound' });
		const state = await runNode({ parameters: requestParams('getStatus'), items });
		expect(succeed(state).json).toMatchObject([{ status: 'COMPLETED' }]);
		const result = await runNode({ parameters: requestParams('getResult'), items });
		expect(Object.keys(succeed(result).items[0].binary ?? {})).toEqual(['data']);
	});

	test('a 400 that reports FAILED is an answer', async () => {
		emulator.set({ failJobs: 'all', failedStatus: 400 });
		const { failed } = await runNode({ parameters: runParams() });
		expect(failed).toMatchObject([{ kind: 'requestFailed', httpCode: 400 }]);
		expect(emulator.callsOf('poll')).toEqual([]);
	});

	test('nothing is concluded while poll_url cannot be read', async () => {
		emulator.set({ history: false });
		emulator.fault({ on: 'status', times: 'always', do: 'notFound' });
		emulator.fault({ on: 'poll', times: 20, do: { status: 502, body: '<html>' } });
		const parameters = runParams({}, { sendAgainIfUnsure: true });
		succeed(await runNode({ parameters }));
		expect(emulator.jobs).toHaveLength(1);
	});
});

let proxyServer: Server | undefined;
afterEach(() => {
	proxyServer?.close();
	proxyServer = undefined;
});

/** Starts a reverse proxy that serves the emulator's API below /segmind. `paths`: what it received. */
async function startProxy() {
	const paths: string[] = [];
	const { hostname, port } = new URL(emulator.urls.api);
	proxyServer = createServer((received, response) => {
		const { method, url = '', headers } = received;
		paths.push(url);
		const path = url.replace(/^\/segmind/, '');
		const options = {
			hostname,
			port,
			method,
			path,
			headers: { ...headers, host: `${hostname}:${port}` },
		};
		const forwarded = sendRequest(options, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		received.pipe(forwarded);
	}).listen(0, '127.0.0.1');
	proxyServer.maxRequestsPerSocket = 1;
	await new Promise((resolve) => proxyServer?.once('listening', resolve));
	const address = proxyServer.address() as AddressInfo;
	return { paths, baseUrl: `http://127.0.0.1:${address.port}/segmind` };
}
