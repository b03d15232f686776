/** Errors of failed items: the service's own message, under Continue, for an agent, and without a retry. */
import { catalogue } from '../../../nodes/shared/catalogue';
import {
	EACH_PROMPT,
	fileRow,
	model,
	prompts,
	requestParams,
	rows,
	runParams,
	submitParams,
	textRow,
} from '../../helpers/inference';
import { bytesOf, fileItem, succeed, type RunOptions } from '../../helpers/runNode';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { NAMED_CAUSES, STATUSES } from '../../../nodes/shared/errors/statusTable';
import { NEW_REQUEST } from '../../../nodes/shared/items/itemErrors';
import { stopWhen } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const FRAME = 'https://images.segmind.com/outputs/frame.png';

test.each([
	[401, 'Unauthorized. API key is invalid', true],
	[402, 'Insufficient credits. You have 0.0 credits', true],
	[406, 'Insufficient credits. You have 0.0 credits', true],
	[422, 'size must be 1K', undefined],
	[408, 'The model took too long', undefined],
	[499, 'The request was closed', undefined],
])("an error for HTTP %i quotes the service's message: %s", async (status, reason, fatal) => {
	emulator.fault({ on: 'submit', do: { status, body: { error: reason } } });
	const { error, failed } = await runNode({ parameters: runParams() });
	expect(failed).toMatchObject([{ kind: 'rejected', charge: 'none', httpCode: status }]);
	expect(emulator.callsOf('history')).toEqual([]);
	expect(failed[0].fatal).toBe(fatal);
	expect(error?.message).toContain(reason.slice(0, 12));
	expect(error?.httpCode).toBe(String(status));
});

test.each([
	['nano-bananna', 'nano-banana'],
	['Nano Banana', 'nano-banana'],
	['my-own-model', undefined],
])('if the model %s does not exist, the error suggests %s', async (slug, suggested) => {
	const { failed } = await runNode({ parameters: runParams({ model: model(slug) }) });
	expect(failed).toMatchObject([{ kind: 'rejected', charge: 'none', httpCode: 404 }]);
	const built = catalogue.map((one) => one.slug).filter((one) => failed[0].next?.includes(one));
	expect(built.slice(0, 1)).toEqual(suggested === undefined ? [] : [suggested]);
});

test("a proxy's 404 suggests no model", async () => {
	emulator.fault({ on: 'submit', do: { status: 404, body: '<html>Not found</html>' } });
	const { failed } = await runNode({ parameters: runParams({ model: model('nano-bananna') }) });
	expect(failed).toMatchObject([{ responder: 'webPage', httpCode: 404 }]);
	expect(failed[0].next).not.toContain('nano-banana');
});

test('if the key is rejected while a request is running, the error has its ID', async () => {
	emulator.set({ jobMs: 60_000 });
	const action = { status: 401, body: { error: 'Unauthorized. API key is invalid' } };
	emulator.fault({ on: 'status', times: 'always', do: action });
	const { failed } = await runNode({ parameters: runParams() });
	expect(failed).toMatchObject([{ charge: 'ifCompletes', httpCode: 401, fatal: true }]);
	expect(failed[0].requestId).toBe(emulator.jobs[0].requestId);
});

test("after a 401, items that weren't sent yet fail without a call [Money 8]", async () => {
	const { failed } = await runNode({
		parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
		items: prompts(5),
		credential: { apiKey: 'wrong-key' },
	});
	expect(failed.map(({ kind }) => kind)).toEqual(['rejected', ...Array(4).fill('notSent')]);
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

test.each([
	{ operation: 'getResult', node: 'segmind', waitForCompletion: true },
	{ operation: 'getResult', node: 'segmindWorkflow', waitForCompletion: false },
	{ operation: 'getStatus', node: 'segmind' },
	{ operation: 'getStatus', node: 'segmindWorkflow' },
])('after a 401, the other requests are not checked [Money 8]: %j', async (row) => {
	const { operation, node, waitForCompletion = false } = row;
	const ids = prompts(25).map((_item, at) => String(at).padStart(32, '0'));
	const { failed } = await runNode({
		node,
		parameters: {
			resource: 'request',
			operation,
			request: '={{ $json.id }}',
			waitForCompletion,
			options: { maxConcurrency: 1 },
		},
		items: ids.map((id) => ({ json: { id } })),
		credential: { apiKey: 'wrong-key' },
	});
	expect(failed.map(({ kind }) => kind)).toEqual([
		...Array(20).fill('rejected'),
		...Array(5).fill('notSent'),
	]);
	expect(failed.map(({ requestId }) => requestId)).toEqual(ids);
	// Nobody knows what became of the requests.
	for (const { charge } of failed) expect(charge).toBe('ifCompletes');
	// The first ones run at once.
	expect(emulator.calls).toHaveLength(20);
});

test('while a rate limit lasts longer than the timeout, no further item is sent', async () => {
	emulator.fault({ on: 'submit', do: { status: 429, headers: { 'retry-after': '60' } } });
	const { failed } = await runNode({
		parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1, timeoutSeconds: 10 }),
		items: prompts(2),
	});
	const rejected = { kind: 'rateLimited', httpCode: 429, charge: 'none' };
	expect(failed).toMatchObject([rejected, { kind: 'rateLimited', charge: 'none' }]);
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

/** Lines of the log about waits and repeated calls: everything but accepted requests. */
const waitsIn = ({ log }: { log: string[] }) => log.filter((line) => !/ accepted /.test(line));

test('a long pause of the rate limiter is one line in the log and in the progress, not one for each item', async () => {
	emulator.set({ rateLimit: { perMinute: 6 } });
	const run = await runNode({
		parameters: submitParams({ prompt: EACH_PROMPT }),
		items: prompts(10),
		mode: 'manual',
	});
	const { json } = succeed(run);
	expect(json).toHaveLength(10);
	expect(waitsIn(run)).toEqual([expect.stringMatching(/\b(5\d|6[01]) s\b/)]);
	expect(run.browserMessages.filter((message) => waitsIn(run).includes(message))).toHaveLength(1);
});

test('a pause whose end moves with each 429 of calls that were under way together is one line', async () => {
	const headers = { 'retry-after': '30' };
	for (const afterMs of [100, 140, 180, 220])
		emulator.fault({ on: 'submit', do: { status: 429, headers, afterMs } });
	const parameters = submitParams({ prompt: EACH_PROMPT });
	const run = succeed(await runNode({ parameters, items: prompts(4) }));
	expect(waitsIn(run)).toHaveLength(1);
});

test('each call that the client repeats is a line in the log; routine status checks are none', async () => {
	emulator.fault({ on: 'submit', times: 2, do: { status: 503 } });
	emulator.fault({ on: 'status', times: 2, do: { status: 502 } });
	emulator.fault({ on: 'result', do: 'dropBeforeAccept' });
	const run = await runNode({ parameters: runParams() });
	succeed(run);
	expect(waitsIn(run)).toEqual([
		expect.stringContaining('503'),
		expect.stringContaining('503'),
		expect.stringContaining(emulator.jobs[0].requestId),
	]);
});

test.each([
	['segmind', { operation: 'generate' }],
	['segmindCredits', { operation: 'get' }],
])('an address without https:// is an input error that names its field: %s', async (node, more) => {
	const { failed } = await runNode({
		node,
		parameters: node === 'segmind' ? submitParams() : more,
		credential: { baseUrl: 'api.segmind.com' },
	});
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(failed[0].message).toContain('Base URL');
	expect(failed[0].message + failed[0].description).not.toMatch(/[{}]/);
	expect(emulator.calls).toEqual([]);
});

test.each<[number, unknown]>([
	[406, { error: 'Insufficient credits. Please recharge your account.' }],
	[406, { error: 'Not enough credits' }],
	[406, { detail: 'Insufficient credits to run this model.' }],
	[406, { error: 'a text that nobody has seen' }],
	[406, { errors: [] }],
	[406, ''],
	// A text that its server declares as text/html, as Express does, is no web page.
	[406, 'Not enough credits'],
	[402, 'Out of credits'],
	[402, ''],
	[402, {}],
])('HTTP %i with %j is about credits, and stops the other items', async (status, body) => {
	emulator.fault({ on: ['submit', 'v1'], do: { status, body } });
	for (const answerInOneCall of [false, true]) {
		const { failed } = await runNode({
			parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1, answerInOneCall }),
			items: prompts(3),
		});
		const cause = { kind: 'rejected', fatal: true, charge: 'none', httpCode: status };
		expect(failed).toMatchObject([cause, { kind: 'notSent' }, { kind: 'notSent' }]);
		expect(failed[0].next).toContain(STATUSES['402'].next);
		emulator.fault({ on: ['submit', 'v1'], do: { status, body } });
	}
	expect(emulator.jobs).toEqual([]);
});

test.each<[keyof typeof NAMED_CAUSES, number, unknown]>([
	['refusedContent', 400, { error: { code: 'moderation_blocked', message: 'Rejected' } }],
	['refusedContent', 400, { error: 'No images were generated.' }],
	['refusedContent', 422, { error: 'content_policy_violation' }],
	['refusedContent', 422, { detail: [{ type: 'content_policy_violation', msg: 'Rejected' }] }],
	['oneCallTooSlow', 500, { error: 'Internal Polling Error' }],
])('the advice for %s with HTTP %i says what to do: %j', async (cause, status, body) => {
	emulator.fault({ on: ['submit', 'v1'], times: 'always', do: { status, body } });
	for (const answerInOneCall of [false, true]) {
		const { failed } = await runNode({ parameters: runParams({}, { answerInOneCall }) });
		const { next } = NAMED_CAUSES[cause];
		expect(failed).toMatchObject([{ kind: 'rejected', charge: 'none', next }]);
	}
});

test.each<[keyof typeof NAMED_CAUSES, string]>([
	['refusedContent', 'content_policy_violation: the prompt was refused'],
	['faultOfModel', 'Error: failed to get the token from the provider'],
])('the advice for a request that failed by %s says what to do: %s', async (cause, failText) => {
	emulator.set({ failJobs: [0], failText });
	const { failed } = await runNode({ parameters: runParams() });
	const { next } = NAMED_CAUSES[cause];
	expect(failed).toMatchObject([{ kind: 'requestFailed', charge: 'none', next }]);
});

test.each<[keyof typeof NAMED_CAUSES, INodeParameters[], IDataObject]>([
	['exclusiveInputs', [textRow('first_frame_url', FRAME), textRow('reference_images', FRAME)], {}],
	['needsUrls', [fileRow('first_frame_url')], { sendFilesAs: 'dataUrl' }],
])('seedance-2.0 fails by %s', async (cause, inputs, options) => {
	const { failed } = await runNode({
		parameters: runParams(
			{ model: model('seedance-2.0') },
			{ additionalParameters: rows(...inputs), ...options },
		),
		items: [fileItem({ data: { bytes: Buffer.from('png') } })],
	});
	const { next } = NAMED_CAUSES[cause];
	expect(failed).toMatchObject([{ kind: 'requestFailed', charge: 'none', next }]);
});

test('a redirect at Base URL names the address to enter', async () => {
	const redirect = 'https://new.example/v2/nano-banana-pro';
	emulator.fault({ on: ['submit', 'credits'], times: 'always', do: { redirect } });
	const { failed } = await runNode({ parameters: runParams() });
	expect(failed[0].next).toContain('https://new.example,');
	const credits = await runNode({ node: 'segmindCredits', parameters: { operation: 'get' } });
	expect(credits.failed[0].next).toContain('https://new.example,');
});

describe('with On Error set to Continue', () => {
	test('failed items have message, description, status and ID, and go to the error output [n8n 1] [n8n 2]', async () => {
		emulator.set({
			failWhen: (input) => input.prompt === 'prompt 1',
			failText: 'Prompt was refused',
		});
		const { items, errorItems } = await runNode({
			parameters: runParams({ prompt: EACH_PROMPT }),
			items: prompts(3),
			onError: 'continueErrorOutput',
		});
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
		const failedId = emulator.jobs.find(({ input }) => input.prompt === 'prompt 1')?.requestId;
		expect(errorItems[0].json).toMatchObject({
			error: {
				message: expect.stringContaining(failedId as string),
				description: expect.any(String),
				reason: 'Prompt was refused',
				httpCode: 422,
				request_id: failedId,
				status: 'FAILED',
				charge: 'none',
			},
		});
	});

	test('an item whose failure has no reason from Segmind has the cause without the cost as its reason', async () => {
		const { json } = await runNode({
			parameters: runParams({}, { maxConcurrency: -1 }),
			onError: 'continueRegularOutput',
		});
		const { reason, message } = json[0].error as IDataObject;
		expect(reason).toBe(message);
	});

	test('never throws, not even for a bad option or credential [n8n 2]', async () => {
		const { json } = await runNode({
			parameters: runParams({}, { maxConcurrency: -1 }),
			items: prompts(2),
			onError: 'continueRegularOutput',
		});
		expect(json).toEqual([{ error: expect.anything() }, { error: expect.anything() }]);
	});
});

describe('as a tool of an agent', () => {
	test('v1 bytes are uploaded and their URL returned', async () => {
		const { json, items } = succeed(
			await runNode({
				parameters: runParams({}, { answerInOneCall: true }),
				asTool: true,
			}),
		);
		expect(json[0].url).toMatch(/^http/);
		expect((await bytesOf(items[0])).length).toBeGreaterThan(0);
	});

	test('the message alone has the cause, the request ID and the next step', async () => {
		emulator.set({ failJobs: 'all', failText: 'Prompt was refused' });
		const { error, failed } = await runNode({ parameters: runParams(), asTool: true });
		expect(failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
		const parts = ['Prompt was refused', emulator.jobs[0].requestId, failed[0].description];
		for (const part of parts) expect(error?.message).toContain(part);
	});
});

describe.each([
	['a called workflow', { mode: 'integrated' }],
	['an item on the error output', { onError: 'continueErrorOutput' }],
	['such an item in the editor', { onError: 'continueErrorOutput', mode: 'manual' }],
] as const)('%s has no retry, so no text promises one', (_what, runOptions) => {
	const ENDINGS: Record<string, () => void> = {
		'a timeout': () => emulator.set({ jobMs: 60_000 }),
		'a response lost to a gateway': () =>
			emulator.fault({ on: 'submit', do: { status: 504, body: '<html>' } }),
		'a request that Segmind cannot find': () => {
			emulator.set({ history: false });
			emulator.fault({ on: ['status', 'poll'], times: 'always', do: 'notFound' });
		},
	};
	test.each(Object.entries(ENDINGS))('%s', async (_name, arrange) => {
		arrange();
		const parameters = runParams({}, { timeoutSeconds: 5 });
		const items = [{ json: {} }, { json: {} }];
		const { failed } = await runNode({ parameters, items, ...runOptions });
		expect(failed.length).toBeGreaterThan(0);
		for (const facts of failed) {
			expect(facts.description).toContain(NEW_REQUEST.newRun);
			expect(facts.description).not.toMatch(/\bretry\b|Execute step/);
		}
	});
});

describe('the error of a batch', () => {
	const run = async (options: Partial<RunOptions> = {}) =>
		await runNode({
			parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
			items: prompts(10),
			...options,
		});
	const idsIn = (text = '') => emulator.jobs.filter(({ requestId }) => text.includes(requestId));

	test('says how many items succeeded, what they cost, and which one failed, counted from 1', async () => {
		emulator.set({ failJobs: [3], cost: 0.04 });
		const { error, failed } = await run();
		const [said] = error?.message.split(failed[0].message) ?? [];
		expect(said.match(/[\d.]+\d|\d/g)).toEqual(['9', '10', '0.36', '1', '4']);
		expect(error?.context).not.toHaveProperty('itemIndex');
		expect(failed).toMatchObject([{ item: 3, charge: 'none' }]);
	});

	test.each(['trigger', 'integrated'] as const)(
		'names few requests in its text, and all in its context: %s',
		async (mode) => {
			emulator.set({ failJobs: [0, 2, 4, 6, 8] });
			const { error, failed } = await run({ mode });
			expect(failed.map(({ requestId }) => requestId)).toEqual(
				[0, 2, 4, 6, 8].map((at) => emulator.jobs[at].requestId),
			);
			expect(idsIn(`${error?.message} ${error?.description}`).length).toBeLessThan(4);
			// n8n's editor shows it under Error details.
			expect(error?.context?.data).toMatchObject(
				emulator.jobs.map(({ requestId }, at) => ({
					item: at + 1,
					request_id: requestId,
					succeeded: at % 2 === 1,
				})),
			);
		},
	);

	const corrected = [...prompts(3), { json: { prompt: 'corrected' } }, ...prompts(10).slice(4)];
	test.each<[string, Partial<RunOptions>, number[]]>([
		['with the failed item corrected', { items: corrected }, []],
		['with On Error set to Continue', { onError: 'continueRegularOutput' }, [3]],
	])(
		'in the editor, its advice is true: %s, only that item is sent again',
		async (_how, options, failedAgain) => {
			emulator.set({ failWhen: ({ prompt }) => prompt === 'prompt 3' });
			const { error } = await run({ mode: 'manual' });
			expect(error?.description).toMatch(/Execute step.*On Error/);
			const { json } = await run({ mode: 'manual', ...options });
			expect(json.flatMap((one, at) => (one.error === undefined ? [] : at))).toEqual(failedAgain);
			expect(json).toHaveLength(10);
			expect(emulator.jobs).toHaveLength(11);
		},
	);

	test('says once what several failures cost, and explains three of them, each with its next step', async () => {
		const { error, failed } = await run({
			parameters: runParams({ prompt: EACH_PROMPT }, { pollIntervalSeconds: '={{ $json.every }}' }),
			items: prompts(6).map(({ json }, at) => ({
				json: { ...json, every: at < 4 ? `x${at}` : 5 },
			})),
		});
		const { description = '', next = '' } = failed[0];
		const cost = description.replace(next, '').trim();
		const [ofAll, ...lines] = (error?.description ?? '').split('\n');
		expect(ofAll).toBe(`Items 1, 2, 3, 4: ${cost}`);
		expect(lines.join()).not.toContain(cost);
		const explained = failed.slice(0, 3);
		for (const [at, facts] of explained.entries())
			expect(lines[at]).toBe(`Item ${at + 1}: ${facts.message}. ${facts.next}`);
		expect(lines.join()).not.toContain(failed[3].message);
		expect(error?.context?.data).toContainEqual(
			expect.objectContaining({ item: 4, reason: failed[3].message }),
		);
	});

	test.each(['manual', 'trigger', 'integrated'] as const)(
		"of Get Result, which sends no requests, doesn't mention a retry: %s",
		async (mode) => {
			emulator.set({ failJobs: [1] });
			const { items } = await run({ parameters: submitParams({ prompt: EACH_PROMPT }) });
			const { error } = await run({ parameters: requestParams('getResult'), items, mode });
			expect(error?.description?.split('\n')).toHaveLength(1);
		},
	);

	const stopAtSecond = stopWhen(() => emulator.jobs.length === 2);
	test.each<[string, boolean, Partial<RunOptions>]>([
		['outside the editor', false, {}],
		['after Stop in the editor', false, { mode: 'manual', whileRunning: stopAtSecond }],
		['after Stop, which has no retry', true, { whileRunning: stopAtSecond }],
		['in a workflow that was never saved', true, { mode: 'manual', workflowId: '' }],
		['in a called workflow', true, { mode: 'integrated' }],
		['of an agent', true, { asTool: true }],
	])(
		'says whether items that succeeded are charged again: %s',
		async (_when, areCharged, options) => {
			emulator.set({ failJobs: [1] });
			const { error } = await run(options);
			expect(/items that succeeded with Get Result/.test(error?.description ?? '')).toBe(
				areCharged,
			);
			expect(error?.description).not.toContain('On Error');
		},
	);
});

test.each([
	['each of them', undefined, '0.4 USD'],
	['only one of them', { rewrite: { without: ['metrics'] } }, '0.2 USD'],
])(
	'the error says what the items that succeeded cost if Segmind reported the cost of %s',
	async (_which, action, cost) => {
		emulator.set({ cost: 0.2, failJobs: [2] });
		if (action) emulator.fault({ on: 'result', do: action });
		const parameters = runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 });
		const { error } = await runNode({ parameters, items: prompts(3) });
		expect(error?.message).toContain(cost);
		const isLeast = error?.message.includes(`at least ${cost}`);
		expect(isLeast).toBe(action !== undefined);
	},
);

describe.each([
	{ onError: 'continueRegularOutput', tries: 1, mode: 'manual' },
	{ onError: 'continueRegularOutput', tries: 2, mode: 'trigger' },
	{ onError: 'continueErrorOutput', tries: 1, mode: 'trigger' },
	{ onError: 'continueErrorOutput', tries: 2, mode: 'manual' },
] as const)('a hint shows what failed: %j', (settings) => {
	test('names how many items failed, the first reason, what the others cost, and what Execute step does', async () => {
		// n8n retries only if the first item failed.
		emulator.set({
			cost: 0.04,
			failWhen: ({ prompt }) => /[03]/.test(prompt as string),
			failText: 'Too many hands.',
		});
		const parameters = runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 });
		const { hints, failed } = await runNode({ parameters, items: prompts(10), ...settings });
		expect(failed).toHaveLength(2);
		const [hint] = hints;
		// n8n 1.85 shows the hint of an attempt whose requests aren't those of its items.
		expect(hint).toContain('Too many hands.');
		const [said] = hint.split(/The request/);
		// In the second attempt, the others are resumed, and cost nothing more.
		const cost = settings.tries === 1 ? ['0.32'] : [];
		const numbers = new Set(said.match(/[\d.]+\d|\d/g));
		expect(numbers).toEqual(new Set(['8', '10', ...cost, '2']));
		expect(hint).toContain('Execute step');
	});

	test('if nothing succeeded, it says nothing about Execute step', async () => {
		emulator.fault({ on: 'submit', times: 'always', do: { status: 400, body: { error: 'no' } } });
		const { hints, failed } = await runNode({ parameters: runParams(), ...settings });
		expect(hints.join()).toContain(failed[0].message);
		expect(hints.join()).not.toContain('Execute step');
	});

	test('also if the credential is what is wrong', async () => {
		const credential = { customAddresses: true, baseUrl: 'not an address' };
		const { hints, failed } = await runNode({ parameters: runParams(), credential, ...settings });
		expect(hints.join()).toContain(failed[0].message);
	});

	test('of Get Result, which sends nothing, without a word about Execute step', async () => {
		emulator.set({ failJobs: [1] });
		const { items } = await runNode({ parameters: submitParams(), items: prompts(2) });
		const parameters = requestParams('getResult');
		const { hints, failed } = await runNode({ parameters, items, ...settings });
		expect(hints.join()).toContain(failed[0].message);
		expect(hints.join()).not.toContain('Execute step');
	});
});

test('if items failed for several reasons, the error names the most frequent one first, and the items of each', async () => {
	emulator.set({ history: false, failWhen: ({ prompt }) => /[23]/.test(prompt as string) });
	emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
	const { error, failed } = await runNode({
		parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
		items: prompts(4),
	});
	expect(error?.message).toMatch(/ 3 items .*\b2 of them: The request failed/);
	// What may be charged comes first.
	expect((error?.description ?? '').split('\n').slice(0, 2)).toEqual([
		`Item 1: ${failed[0].message}. ${failed[0].description}`,
		expect.stringMatching(new RegExp(`^Items 3, 4: .*${failed[1].description}$`)),
	]);
	expect(failed).toMatchObject([
		{ item: 0, charge: 'unknown' },
		{ item: 2, charge: 'none' },
		{ item: 3, charge: 'none' },
	]);
});

test('the error of a called workflow has the requests of the items that succeeded', async () => {
	emulator.set({ failJobs: [0] });
	const { error } = await runNode({
		parameters: runParams({ prompt: EACH_PROMPT }),
		items: prompts(2),
		mode: 'integrated',
	});
	expect(error?.description).toContain('Get Result');
	const succeeded = { item: 2, request_id: emulator.jobs[1].requestId, succeeded: true };
	expect(error?.context?.data).toContainEqual(succeeded);
});
