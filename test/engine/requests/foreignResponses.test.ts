/** A response of a proxy, a firewall or a portal isn't Segmind's word: it ends no request, and errors say who sent it. */
import type { CallKind, FaultAction } from '../../../dev/emulator';
import { STATUSES, type StatusRow } from '../../../nodes/shared/errors/statusTable';
import { patternOf } from '../../helpers/errorTexts';
import {
	EACH_PROMPT,
	prompts,
	requestParams,
	runParams,
	submitParams,
} from '../../helpers/inference';
import { READ_KINDS, useResultWays } from '../../helpers/resultWays';
import { succeed } from '../../helpers/runNode';

const { emulator, runNode, submits, pass, firstId, inTurn, expectDelivered } = useResultWays();

/** Pages as firewalls, sign-in portals and proxies send them. */
const PAGE = '<!DOCTYPE html><html><title>Just a moment…</title></html>';
const page = (status: number): FaultAction => ({
	status,
	body: PAGE,
	contentType: 'text/html; charset=UTF-8',
});
const PORTAL: FaultAction = { status: 302, headers: { location: 'https://portal.test/login' } };
/** A proxy that answers every call about the history. */
const blockHistory = (action: FaultAction) =>
	emulator.fault({ on: 'history', times: 'always', do: action });

describe('a call about a request', () => {
	const foreign: Array<[string, FaultAction]> = [
		['a 401 page', page(401)],
		['a 403 page', page(403)],
		['a 403 in the form of a gateway', { status: 403, body: { message: 'Forbidden' } }],
		['a 404 page', page(404)],
		['an empty 403', { status: 403, body: '' }],
		['a redirect to a portal', PORTAL],
	];

	test.each(inTurn(foreign))(
		'%s at the status: %s is delivered',
		async (_form, action, _way, ask) => {
			emulator.fault({ on: ['status', 'poll'], times: 2, do: action });
			expectDelivered(await ask());
		},
	);

	test.each(inTurn(foreign))(
		'%s at the result: %s is delivered',
		async (_form, action, _way, ask) => {
			emulator.fault({ on: { kind: [...READ_KINDS], state: 'COMPLETED' }, times: 2, do: action });
			expectDelivered(await ask());
		},
	);

	test.each<[string, FaultAction]>([
		['a 404 of Segmind', 'notFound'],
		['a 403 page', page(403)],
	])('%s at every other status check: the request is delivered', async (_form, action) => {
		emulator.set({ jobMs: 300_000, history: false });
		const isOdd = () => emulator.callsOf('status').length % 2 === 1;
		const fault = emulator.fault({
			// A URL that doesn't know the request makes the node ask poll_url.
			on: ({ kind }) => ['status', 'poll'].includes(kind) && isOdd(),
			times: 'always',
			do: action,
		});
		expectDelivered(await runNode({ parameters: runParams({}, { pollIntervalSeconds: 5 }) }));
		expect(fault.hits).toBeGreaterThan(6);
	});

	test.each([
		['3 in over a minute', 45, 3],
		['10 in less than a minute', 5, 10],
	])('pages in place of a status, %s, end no request', async (_pages, seconds, times) => {
		emulator.fault({ on: 'status', times, do: page(403) });
		const options = { pollIntervalSeconds: seconds };
		expectDelivered(await runNode({ parameters: runParams({}, options) }));
	});

	test.each(foreign)('%s once at Get Status: the check is repeated', async (_form, action) => {
		const { items } = await runNode({ parameters: submitParams() });
		for (const on of ['status', 'poll'] as const) emulator.fault({ on, do: action });
		const { json } = succeed(await runNode({ parameters: requestParams('getStatus'), items }));
		expect(json).toMatchObject([{ request_id: firstId(), status: 'COMPLETED' }]);
		expect(emulator.callsOf('status')).toHaveLength(2);
	});

	test('a 404 page that stays says nothing about a request that was just accepted', async () => {
		emulator.fault({ on: [...READ_KINDS], times: 'always', do: page(404) });
		blockHistory(page(404));
		const { failed } = await runNode({ parameters: runParams() });
		const facts = { kind: 'unreadable', httpCode: 404, status: 'QUEUED', search: 'outOfReach' };
		expect(failed).toMatchObject([{ ...facts, charge: 'ifCompletes' }]);
	});

	test("a proxy's 407 that stays names the proxy", async () => {
		emulator.fault({ on: 'status', times: 'always', do: page(407) });
		const { failed } = await runNode({ parameters: runParams() });
		expect(failed).toMatchObject([{ responder: 'proxy', httpCode: 407, status: 'QUEUED' }]);
		expect(failed[0].next).toContain('HTTPS_PROXY');
	});

	test.each([401, 403])(
		'a page with %i that stays ends only its own item, after a minute',
		async (status) => {
			emulator.fault({ on: 'status', times: 'always', do: page(status) });
			const { failed } = await runNode({
				parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
				items: prompts(2),
			});
			const facts = {
				kind: 'unreadable',
				responder: 'webPage',
				httpCode: status,
				status: 'QUEUED',
			};
			const charge = 'ifCompletes';
			expect(failed).toMatchObject([
				{ ...facts, charge, requestId: emulator.jobs[0].requestId },
				{ ...facts, charge, requestId: emulator.jobs[1].requestId },
			]);
		},
	);

	test.each([403, 404])(
		'a page with %i at the result that stays leaves no doubt that the request completed',
		async (httpCode) => {
			emulator.fault({ on: ['result', 'poll'], times: 'always', do: page(httpCode) });
			blockHistory(page(httpCode));
			const { failed } = await runNode({ parameters: runParams() });
			const known = { kind: 'unreadable', responder: 'webPage', httpCode };
			const facts = { status: 'COMPLETED', charge: 'completed', requestId: firstId() };
			expect(failed).toMatchObject([{ ...known, ...facts }]);
			expect(failed[0].search).toBeUndefined();
		},
	);

	test.each([
		[401, 'Unauthorized'],
		[403, 'no access'],
	])("%i in Segmind's own form ends the item at once", async (status, error) => {
		emulator.fault({ on: 'status', times: 'always', do: { status, body: { error } } });
		const { failed } = await runNode({ parameters: runParams() });
		expect(failed).toMatchObject([
			{ kind: 'rejected', responder: 'segmind', httpCode: status, status: 'QUEUED' },
		]);
		expect(emulator.callsOf('status')).toHaveLength(1);
	});
});

describe('the form of a response that could not be used is in the error, without any value', () => {
	const KEY = `SG_${'0123456789abcdef'.repeat(2)}`;
	const BASE64 = Buffer.from('a picture').toString('base64');
	const PROMPT = 'a secret lighthouse';
	/** Returns the form in the error of a submission that got this response. */
	const formOf = async (body: object) => {
		emulator.fault({ on: 'submit', do: { status: 200, body } });
		const { error } = await runNode({ parameters: runParams({ prompt: PROMPT }) });
		return (error?.context?.data as [{ response: { bytes: number } }])[0].response;
	};
	const many = (count: number) => Object.fromEntries(prompts(count).map((_, at) => [`p${at}`, at]));
	const nested = (levels: number): object => (levels === 0 ? {} : { data: nested(levels - 1) });
	const deep = { data: { data: { data: { data: { data: { data: 'object' } } } } } };

	test.each<[string, unknown, unknown]>([
		[
			'known names',
			{ status: PROMPT, id: 7, metrics: null, success: true },
			{ status: 'string', id: 'number', metrics: 'null', success: 'boolean' },
		],
		[
			'other names',
			{ [KEY]: KEY, [PROMPT]: { url: KEY }, [BASE64]: 1, error_code: 2 },
			{ other_names: 4 },
		],
		[
			'names inside',
			{ output: { [KEY]: 1, images: [{ url: KEY, [BASE64]: 1 }, { [PROMPT]: 1 }] } },
			{ output: { images: [{ url: 'string', other_names: 1 }], other_names: 1 } },
		],
		['a name of Object', JSON.parse('{"__proto__": 1, "constructor": 1}'), { other_names: 2 }],
		['a list', [[KEY, 1]], [['string']]],
		['an empty list', [], []],
		['null', 'null', 'null'],
		['a text', `"${KEY}"`, 'string'],
		['no JSON', `{"${KEY}": `, 'no JSON'],
		['a page', `<html>${KEY}</html>`, 'web page'],
		['nothing', '', 'empty'],
		['many names', many(20_000), { other_names: 20_000 }],
		['deep ones', nested(150), deep],
		['too deep ones', nested(250), 'no JSON'],
		['a large body', { [PROMPT]: PROMPT.repeat(60_000) }, 'large'],
	])('%s', async (_what, body, shape) => {
		const content_type = typeof body === 'string' ? 'text/html' : 'application/json';
		const { bytes, ...form } = await formOf(body as object);
		expect(form).toEqual({ method: 'POST', path: '/v2/*', status: 200, content_type, body: shape });
		expect(bytes).toEqual(expect.any(Number));
	});

	test.each<[CallKind, FaultAction, object]>([
		['submit', { status: 403, body: { [PROMPT]: 1 } }, { method: 'POST', path: '/v2/*' }],
		['status', { body: { created_at: KEY } }, { method: 'GET', path: '/v2/requests/*/status' }],
		['result', { body: { [KEY]: null } }, { method: 'GET', path: '/v2/requests/*' }],
		['credits', { body: [] }, { method: 'GET', path: '/v1/get-user-credits' }],
	])('the call is named without IDs: %s', async (on, action, call) => {
		emulator.fault({ on, times: 'always', do: action });
		const node = on === 'credits' ? 'segmindCredits' : 'segmind';
		const parameters = on === 'credits' ? { operation: 'get' } : runParams();
		const { error } = await runNode({ node, parameters });
		expect(error?.context?.data).toMatchObject([{ response: call }]);
	});

	test('has 100 names at most', async () => {
		const tree = (levels: number): object =>
			levels === 0 ? {} : { output: tree(levels - 1), data: tree(levels - 1) };
		const names = JSON.stringify(await formOf(tree(12))).match(/"(output|data)":/g);
		expect(names).toHaveLength(100);
	});
});

describe('a 404 means that the request has expired', () => {
	const params = runParams({}, { sendAgainIfUnsure: true });
	/** Runs a request that times out, and lets an hour pass. */
	async function timeOut() {
		emulator.set({ jobMs: 4_000_000, history: false });
		const failed = await runNode({ parameters: runParams({}, { timeoutSeconds: 5 }) });
		await pass(2 * 3_600_000);
		return failed;
	}

	test("if it's Segmind's own: a retry with Send Again If Unsure sends a new one", async () => {
		const failed = await timeOut();
		emulator.set({ jobMs: 1_000 });
		const { error } = await runNode({ parameters: params, retryOf: failed });
		expect(error).toBeUndefined();
		expect(submits()).toHaveLength(2);
	});

	test.each<[string, FaultAction]>([
		['a page', page(404)],
		["a gateway's JSON", { status: 404, body: { message: 'no Route matched' } }],
	])("but not if it's %s: nothing is resent", async (_form, action) => {
		const failed = await timeOut();
		emulator.fault({ on: [...READ_KINDS], times: 'always', do: action });
		const retried = await runNode({ parameters: params, retryOf: failed });
		expect(retried.failed).toMatchObject([
			{ kind: 'unreadable', httpCode: 404, charge: 'ifCompletes' },
		]);
		expect(submits()).toHaveLength(1);
	});
});

describe('a submission', () => {
	const both = {
		parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
		items: prompts(2),
	};

	test.each([401, 402, 403, 404, 422])(
		'a page with %i is named as such, free, and stops no other item',
		async (status) => {
			emulator.fault({ on: 'submit', do: page(status) });
			const { failed } = await runNode(both);
			expect(failed).toMatchObject([
				{ item: 0, kind: 'rejected', responder: 'webPage', httpCode: status, charge: 'none' },
			]);
			expect(emulator.jobs).toHaveLength(1);
		},
	);

	const UNKNOWN_FORMS: Array<[string, Omit<Extract<FaultAction, { status: number }>, 'status'>]> = [
		['no body', { body: '' }],
		['{}', { body: {} }],
		['a text', { body: 'error code: 1020', contentType: 'text/plain' }],
		['JSON of another form', { body: { errors: [{ code: 10_000 }] } }],
		['XML', { body: '<?xml version="1.0"?><Error/>', contentType: 'text/xml' }],
	];
	test.each(
		([400, 401, 403, 404, 422] as const).flatMap((status) =>
			UNKNOWN_FORMS.map(([form, response]) => [status, form, response] as const),
		),
	)(
		'%i with %s names what the status means, then a proxy, and stops no other item',
		async (status, _form, response) => {
			emulator.fault({ on: 'submit', do: { status, ...response } });
			const { failed } = await runNode(both);
			const facts = { item: 0, kind: 'rejected', responder: 'unknown', charge: 'none' };
			expect(failed).toMatchObject([{ ...facts, httpCode: status, transient: true }]);
			const row: StatusRow = STATUSES[status === 404 ? '404 paid' : status];
			const [{ message, next = '', fatal }] = failed;
			expect(message).toMatch(patternOf(row.what, 'proxy', `(HTTP ${status})`));
			expect(next.startsWith(row.next.slice(0, -1))).toBe(true);
			expect(next).toContain('proxy');
			expect([fatal, message.includes('{}'), emulator.jobs.length]).toEqual([undefined, false, 1]);
		},
	);

	test.each(['application/json', 'text/html'])(
		"Segmind's own 401 stops the run, as %s",
		async (contentType) => {
			const body = { error: 'Unauthorized' };
			emulator.fault({ on: 'submit', do: { status: 401, body, contentType } });
			const { failed } = await runNode(both);
			expect(failed).toMatchObject([{ responder: 'segmind', fatal: true }, { kind: 'notSent' }]);
		},
	);

	test.each([PAGE, '', { error: 'Proxy Authentication Required' }])(
		"a proxy's 407 with the body %j names the proxy and stops the run",
		async (body) => {
			emulator.fault({ on: 'submit', times: 'always', do: { status: 407, body } });
			const { failed } = await runNode(both);
			const facts = { httpCode: 407, responder: 'proxy', fatal: true, charge: 'none' };
			expect(failed).toMatchObject([facts, { kind: 'notSent' }]);
			expect(submits()).toHaveLength(1);
			expect(failed[0].description).toContain('HTTPS_PROXY');
			// What the user has to enter isn't taken for a secret.
			expect(failed[0].description).toContain(STATUSES['407'].next);
		},
	);
});

test('a redirect is named as such, whoever sent it', async () => {
	emulator.fault({ on: 'credits', times: 'always', do: page(301) });
	const { failed } = await runNode({ node: 'segmindCredits', parameters: { operation: 'get' } });
	expect(failed).toMatchObject([{ kind: 'rejected', httpCode: 301, charge: 'none' }]);
	expect(failed[0].message).toContain(STATUSES['3xx'].what);
});

test.each([
	['segmindEndpoint', { operation: 'getAll' }, 'endpoint'],
	['segmindCredits', { operation: 'get' }, 'credits'],
] as const)('a page in place of a list or a balance, in %s', async (node, parameters, kind) => {
	emulator.fault({ on: kind, times: 'always', do: page(403) });
	const { failed } = await runNode({ node, parameters });
	expect(failed).toMatchObject([{ responder: 'webPage', httpCode: 403, charge: 'none' }]);
});

describe('the request history', () => {
	test.each([401, 403, 404])(
		"a page with %i doesn't mean that there is no history: what a gateway lost isn't resent",
		async (status) => {
			blockHistory(page(status));
			emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
			const { failed } = await runNode({ parameters: runParams(), tries: 3 });
			expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
			expect(submits()).toHaveLength(1);
		},
	);

	test("a 404 page doesn't mean that the history doesn't show the request", async () => {
		emulator.fault({ on: [...READ_KINDS], times: 'always', do: 'notFound' });
		blockHistory(page(404));
		const { failed } = await runNode({ parameters: runParams() });
		expect(failed).toMatchObject([{ kind: 'missing', search: 'outOfReach', status: 'QUEUED' }]);
	});
});

describe('the last known status is in every error about an accepted request', () => {
	test.each([true, false])('of Get Result, if it is in JSON text (waits: %s)', async (waits) => {
		emulator.set({ jobMs: 600_000 });
		const { items } = await runNode({ parameters: submitParams() });
		emulator.fault({ on: [...READ_KINDS], times: 'always', do: page(403) });
		const request = JSON.stringify({ ...items[0].json, status: 'PROCESSING' });
		const parameters = requestParams('getResult', { request, waitForCompletion: waits });
		const { failed, json } = await runNode({ parameters });
		expect(waits ? failed[0].status : json[0].status).toBe('PROCESSING');
	});

	test('of Get Result, if the item has it; an ID that was entered has none', async () => {
		emulator.set({ jobMs: 600_000 });
		const { items } = await runNode({ parameters: submitParams() });
		emulator.fault({ on: [...READ_KINDS], times: 'always', do: page(403) });
		const byItem = await runNode({
			parameters: requestParams('getResult', { waitForCompletion: true }),
			items,
		});
		const byId = await runNode({
			parameters: requestParams('getResult', { request: firstId(), waitForCompletion: true }),
		});
		expect(byItem.failed).toMatchObject([{ requestId: firstId(), status: 'QUEUED' }]);
		expect(byId.failed).toMatchObject([{ requestId: firstId() }]);
		expect(byId.failed[0].status).toBeUndefined();
	});

	test('after Stop', async () => {
		emulator.set({ queueMs: 10, jobMs: 600_000 });
		const { failed } = await runNode({
			parameters: runParams(),
			whileRunning: async (stop) => {
				await pass(30_000);
				stop();
			},
		});
		expect(failed).toMatchObject([{ kind: 'stopped', requestId: firstId(), status: 'PROCESSING' }]);
	});

	test('after Stop while its result is fetched, also by Get Result: it has completed, so it was charged', async () => {
		emulator.fault({ on: 'result', times: 2, do: 'hang' });
		const whileRunning = async (stop: () => void) => {
			await pass(20_000);
			stop();
		};
		const sent = await runNode({ parameters: runParams(), whileRunning });
		const parameters = requestParams('getResult', { request: firstId() });
		const facts = { kind: 'stopped', status: 'COMPLETED', charge: 'completed' };
		for (const { failed } of [sent, await runNode({ parameters, whileRunning })])
			expect(failed).toMatchObject([facts]);
	});
});

describe('an error at the timeout says what is known', () => {
	const DOWN: FaultAction = { status: 502, body: '<html>' };
	const timesOut = (more = {}) => ({
		parameters: runParams({}, { timeoutSeconds: 30, ...more }),
	});
	beforeEach(() => emulator.set({ queueMs: 10, jobMs: 600_000 }));

	test('if the last check shows that the request is running', async () => {
		const { failed } = await runNode(timesOut());
		expect(failed).toMatchObject([
			{ kind: 'timedOut', status: 'PROCESSING', charge: 'ifCompletes' },
		]);
		expect(failed[0].isStatusOld).toBeUndefined();
	});

	test('if the result of a completed request shows it as running', async () => {
		emulator.set({ jobMs: 1_000 });
		emulator.fault({ on: 'result', times: 'always', do: { body: { status: 'PROCESSING' } } });
		const { failed } = await runNode(timesOut());
		expect(failed).toMatchObject([{ kind: 'timedOut', status: 'COMPLETED', charge: 'completed' }]);
	});

	test('if no status could ever be read', async () => {
		emulator.fault({ on: 'status', times: 'always', do: DOWN });
		const { failed } = await runNode(timesOut());
		const facts = { kind: 'timedOut', charge: 'ifCompletes' };
		expect(failed).toMatchObject([{ ...facts, status: 'QUEUED', isStatusOld: true }]);
	});

	test('if no status of a resumed request could be read', async () => {
		const first = await runNode(timesOut());
		emulator.fault({ on: 'status', times: 'always', do: DOWN });
		const { failed } = await runNode({ ...timesOut(), retryOf: first });
		expect(failed).toMatchObject([{ kind: 'timedOut', charge: 'ifCompletes', isStatusOld: true }]);
		expect(failed[0].status).toBeUndefined();
	});

	test('if no status could be read in the end', async () => {
		emulator.fault({ on: 'status', after: 2, times: 'always', do: DOWN });
		const { failed } = await runNode(timesOut());
		const facts = { kind: 'timedOut', charge: 'ifCompletes' };
		expect(failed).toMatchObject([{ ...facts, status: 'PROCESSING', isStatusOld: true }]);
	});

	describe('if an earlier attempt saw COMPLETED', () => {
		/** Runs a request whose result can't be read; then no status can be read either. */
		async function completeUnread() {
			emulator.set({ jobMs: 1_000 });
			emulator.fault({ on: 'result', times: 'always', do: { body: {} } });
			const failed = await runNode(timesOut());
			expect(failed.failed).toMatchObject([{ status: 'COMPLETED' }]);
			emulator.fault({ on: 'status', times: 'always', do: DOWN });
			return failed;
		}

		test('the request was charged', async () => {
			const { failed } = await runNode({ ...timesOut(), retryOf: await completeUnread() });
			expect(failed).toMatchObject([
				{ kind: 'timedOut', status: 'COMPLETED', charge: 'completed' },
			]);
		});

		test('Return the Request shows it as unfinished', async () => {
			const retryOf = await completeUnread();
			const { json } = await runNode({ ...timesOut({ onTimeout: 'returnRequest' }), retryOf });
			expect(json).toMatchObject([{ request_id: firstId(), status: 'PROCESSING' }]);
		});
	});
});
