/** Max Cost: what an execution may spend, as far as prices are known; Min Balance: what the account must have. */
import type { INodeExecutionData } from 'n8n-workflow';

import { priceListText } from '../../../dev/emulator/routes/prices';
import { mcpContext } from '../../../dev/engine/contexts';
import { nodeOf } from '../../../dev/engine/node';
import { EACH_PROMPT, model, prompts, runParams } from '../../helpers/inference';
import { actionNode, credentialsFor } from '../../helpers/packageNodes';
import { succeed } from '../../helpers/runNode';
import { stopWhen } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, inVirtualTime, skip, submits, pass } = useVirtualEngine();
const limitedRunParams = (maximumCost: string | number, more = {}, options = {}) =>
	runParams({ prompt: EACH_PROMPT, ...more }, { maximumCost, ...options });

/** The price of the model in the catalogue, in USD. */
const PUBLISHED_COST = 0.1649;
/** A dedicated endpoint is called like a model, but has no published price. */
const UNPRICED = { model: model('my-dedicated-endpoint') };
async function deploy(): Promise<void> {
	await runNode({
		node: 'segmindEndpoint',
		parameters: {
			operation: 'create',
			endpointName: 'my-dedicated-endpoint',
			modelName: 'flux-dev',
		},
	});
}

test('a batch sends as many requests as fit; the others fail with what is left, and the error lists them together', async () => {
	emulator.set({ cost: PUBLISHED_COST });
	const { error, failed } = await runNode({
		parameters: limitedRunParams(0.5),
		items: prompts(6),
	});
	expect(submits()).toHaveLength(3);
	const notSent = { kind: 'notSent', charge: 'none' };
	expect(failed).toMatchObject([3, 4, 5].map((item) => ({ item, ...notSent })));
	for (const usd of ['0.5 USD', '0.0053 USD', '0.1649 USD'])
		expect(failed[0].message).toContain(usd);
	expect(error?.description).toMatch(/^Items 4, 5, 6: /);
});

test.each([
	// Four at 0.05, and one more at the published price, fit.
	['less than published leave room for later ones', 0.05, '0.4', 5],
	// Beside two at 0.3, a third fits only at the published price.
	['more than published count with what they cost, and so do the expected ones', 0.3, '0.8', 2],
	['exactly as much as published use up the whole limit', PUBLISHED_COST, '0.4947', 3],
	['nothing leave the whole limit', 0, '0.2', 8],
	['a negative amount, which cannot be right, count as published', -1, '0.2', 1],
])('requests that cost %s', async (_what, cost, limit, sendCount) => {
	emulator.set({ cost });
	await runNode({
		// Expressions often return numbers as text.
		parameters: limitedRunParams(limit, {}, { maxConcurrency: '1' }),
		items: prompts(8),
		onError: 'continueRegularOutput',
	});
	expect(submits()).toHaveLength(sendCount);
});

test.each([
	['that failed', () => emulator.set({ failJobs: [0, 1] })],
	['that was rejected', () => emulator.fault({ on: 'submit', times: 2, do: { status: 400 } })],
])('a request %s costs nothing', async (_which, arrange) => {
	emulator.set({ cost: PUBLISHED_COST });
	arrange();
	const { json } = await runNode({
		parameters: limitedRunParams(0.4, {}, { maxConcurrency: 1 }),
		items: prompts(4),
		onError: 'continueRegularOutput',
	});
	expect(submits()).toHaveLength(4);
	expect(json.filter(({ status }) => status === 'COMPLETED')).toHaveLength(2);
});

test('results that a retry delivers again cost nothing, and count with what they cost', async () => {
	emulator.set({ cost: 0.05, failWhen: (input) => input.prompt === 'prompt 1' });
	// Beside two at 0.05, one at the published price fits.
	const parameters = limitedRunParams(0.28, {}, { maxConcurrency: 1 });
	const failed = await runNode({ parameters, items: prompts(3), tries: 2 });
	expect(failed.failed).toMatchObject([{ item: 1, kind: 'requestFailed' }]);
	emulator.set({ failWhen: null });
	succeed(await runNode({ parameters, retryOf: failed }));
	const chargedJobs = emulator.jobs.filter(({ charged }) => charged > 0);
	expect(chargedJobs).toHaveLength(3);
});

test('Retry On Fail and Retry of the execution count what earlier attempts spent', async () => {
	emulator.set({ cost: PUBLISHED_COST });
	const parameters = limitedRunParams(0.2);
	const failed = await runNode({ parameters, items: prompts(2), tries: 2 });
	const retried = await runNode({ parameters, retryOf: failed });
	expect(retried.failed).toMatchObject([{ kind: 'notSent', charge: 'none' }]);
	expect(submits()).toHaveLength(1);
});

test.each([
	// 0.05 each for three; a fourth would need 0.1649 beside them.
	['ones that were cheaper than published leave room', { cost: 0.05 }, 0.3, 4, 3],
	['one that failed is resent within its own reservation', { failJobs: [0] }, 0.2, 1, 2],
])('a retry counts what the requests of all attempts cost: %s', async (...row) => {
	const [, setting, limit, items, sendCount] = row;
	emulator.set({ jobMs: 120_000, ...setting });
	const first = await runNode({
		parameters: limitedRunParams(limit, {}, { pollIntervalSeconds: 5, timeoutSeconds: 60 }),
		items: prompts(items),
	});
	expect(submits()).toHaveLength(1);
	const retried = await runNode({
		parameters: limitedRunParams(limit, {}, { pollIntervalSeconds: 5, maxConcurrency: 1 }),
		retryOf: first,
	});
	expect(submits()).toHaveLength(sendCount);
	expect(retried.failed.map(({ item, kind }) => [item, kind])).toEqual(
		items > sendCount ? [[3, 'notSent']] : [],
	);
});

test('a resend counts beside the lost request, and another resend that does not fit ends at once', async () => {
	emulator.set({ cost: PUBLISHED_COST });
	emulator.fault({ on: 'submit', times: 2, do: { status: 502 } });
	const parameters = limitedRunParams(0.7);
	const first = await runNode({ parameters, items: prompts(3) });
	expect(first.failed.map(({ kind }) => kind)).toEqual(['unknownOutcome', 'unknownOutcome']);
	const retried = await runNode({ parameters, retryOf: first });
	expect(retried.failed).toMatchObject([{ kind: 'notSent', charge: 'earlierUnknown' }]);
	expect(emulator.jobs).toHaveLength(2);
});

test('a retry that sends nothing keeps the reservation of the request that was lost', async () => {
	emulator.set({ cost: PUBLISHED_COST, history: false });
	emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
	const parameters = limitedRunParams(0.2);
	const first = await runNode({ parameters, items: prompts(2), tries: 2 });
	const retried = await runNode({ parameters, retryOf: first });
	for (const { failed } of [first, retried])
		expect(failed).toMatchObject([{ kind: 'unknownOutcome' }, { kind: 'notSent' }]);
	expect(emulator.jobs).toHaveLength(1);
});

test('an expired request counts as spent', async () => {
	emulator.set({ cost: PUBLISHED_COST, jobMs: 60_000, history: false });
	const options = { timeoutSeconds: 1, sendAgainIfUnsure: true };
	const parameters = limitedRunParams(0.2, {}, options);
	const first = await runNode({ parameters, items: prompts(1) });
	await pass(2 * 3_600_000);
	const { failed } = await runNode({ parameters, retryOf: first });
	expect(failed).toMatchObject([{ kind: 'notSent', charge: 'earlierUnknown' }]);
	expect(submits()).toHaveLength(1);
});

test("the price of one model isn't that of another", async () => {
	emulator.set({ cost: 0.3 });
	const cheap = model('={{ $json.prompt === "prompt 0" ? "nano-banana-pro" : "nano-banana" }}');
	const parameters = limitedRunParams(0.5, { model: cheap }, { maxConcurrency: 1 });
	succeed(await runNode({ parameters, items: prompts(2) }));
	expect(submits()).toHaveLength(2);
});

test('without a known price, one request is sent first, to learn the price', async () => {
	await deploy();
	emulator.set({ cost: 0.1 });
	const { json } = await runNode({
		// Sums of floating-point numbers aren't exact: 0.1 + 0.1 + 0.1 > 0.3.
		parameters: limitedRunParams(0.3, UNPRICED),
		items: prompts(5),
		onError: 'continueRegularOutput',
	});
	const [first, ...others] = emulator.callsOf('submit').map(({ at }) => at);
	const priceKnownAt = emulator.callsOf('result')[0].at;
	expect(others.every((at) => at >= priceKnownAt && at > first)).toBe(true);
	expect(json.filter(({ status }) => status === 'COMPLETED')).toHaveLength(3);
});

test('if a cost is not reported, nothing more is sent to that model', async () => {
	await deploy();
	emulator.set({ metrics: 'missing' });
	const slug = '={{ $json.prompt === "prompt 2" ? "nano-banana-pro" : "my-dedicated-endpoint" }}';
	const parameters = limitedRunParams(0.5, { model: model(slug) });
	const { failed } = await runNode({ parameters, items: prompts(3) });
	expect(submits()).toHaveLength(2);
	expect(failed).toMatchObject([{ item: 1, kind: 'notSent' }]);
});

test('without a known price, a lost request is not resent, and its item does not wait for itself', async () => {
	await deploy();
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>' } });
	const parameters = limitedRunParams(5, UNPRICED);
	const { failed } = await runNode({ parameters, items: prompts(1), tries: 2 });
	expect(failed).toMatchObject([{ kind: 'notSent', outcomeUnknown: true }]);
	expect(submits()).toHaveLength(1);
});

test('Stop ends the wait for the price of another request', async () => {
	await deploy();
	emulator.set({ jobMs: 60_000 });
	const { failed } = await runNode({
		parameters: limitedRunParams(1, UNPRICED),
		items: prompts(2),
		whileRunning: stopWhen(() => submits().length === 1),
	});
	expect(failed.map(({ kind }) => kind)).toEqual(['stopped', 'stopped']);
	expect(submits()).toHaveLength(1);
});

test.each([
	['is 0', 0, {}, 0],
	['is 0, and the price is unknown', 0, UNPRICED, 0],
	[
		'is used up, and the price of the next request is unknown',
		0.2,
		{
			model: model(
				'={{ $json.prompt === "prompt 0" ? "nano-banana-pro" : "my-dedicated-endpoint" }}',
			),
		},
		1,
	],
])('nothing is sent if Max Cost %s', async (_what, limit, more, sendCount) => {
	await deploy();
	emulator.set({ cost: 0.2 });
	const parameters = limitedRunParams(limit, more, { maxConcurrency: 1 });
	const { failed } = await runNode({ parameters, items: prompts(sendCount + 1) });
	expect(failed).toMatchObject([{ item: sendCount, kind: 'notSent' }]);
	expect(submits()).toHaveLength(sendCount);
});

test('a manual run shows the expected and the actual cost', async () => {
	emulator.set({ cost: 0.2 });
	const { hints } = await runNode({ parameters: runParams(), mode: 'manual' });
	expect(hints).toEqual([expect.stringMatching(/0\.2 USD.* 0\.1649 USD/)]);
});

test('a request that fails without a charge is not expected to cost anything', async () => {
	emulator.set({ failJobs: 'all' });
	const { hints } = await runNode({
		parameters: runParams(),
		mode: 'manual',
		onError: 'continueRegularOutput',
	});
	expect(hints.join()).not.toContain('USD');
});

test.each([true, false])(
	'the cost of a run counts only what this run sent, with Simplify %s',
	async (simplify) => {
		emulator.set({ cost: 0.2, failJobs: [1] });
		const { hints, json } = await runNode({
			parameters: runParams({ prompt: EACH_PROMPT, simplify }),
			items: prompts(3),
			mode: 'manual',
			tries: 2,
		});
		expect(json).toHaveLength(3);
		expect(hints.join()).toContain('0.2 USD');
		expect(hints.join()).not.toContain('0.6 USD');
	},
);

test.each([
	['below Min Balance', { balance: { credits: 4, freeCredits: 0 } }, { kind: 'notSent' }],
	['that cannot be read', { noCreditRecord: true }, { kind: 'rejected', httpCode: 404 }],
])('with a balance %s nothing is sent', async (_what, setting, cause) => {
	emulator.set(setting);
	const { failed } = await runNode({
		parameters: runParams({ prompt: EACH_PROMPT }, { minimumBalance: 5 }),
		items: prompts(3),
	});
	expect(failed).toMatchObject([cause, cause, cause]);
	expect(emulator.callsOf('credits')).toHaveLength(1);
	expect(submits()).toHaveLength(0);
});

test('a balance of exactly Min Balance is enough', async () => {
	emulator.set({ balance: { credits: 4.9, freeCredits: 0.1 } });
	succeed(await runNode({ parameters: runParams({}, { minimumBalance: 5 }) }));
	expect(submits()).toHaveLength(1);
});

test('a second retry of the same execution counts what the first one spent', async () => {
	emulator.set({ cost: 0.1649, failJobs: [0, 2] });
	const parameters = limitedRunParams(0.41, {}, { maxConcurrency: 1 });
	const first = await runNode({ parameters, items: prompts(3) });
	for (let retries = 0; retries < 2; retries++) {
		const { failed } = await runNode({ parameters, retryOf: first });
		expect(failed).toMatchObject([{ item: 2, kind: 'notSent' }]);
	}
	expect(emulator.jobs.filter(({ charged }) => charged > 0)).toHaveLength(2);
});

test('without a published price, the others wait for the cost of a request that a step resumes, and it counts', async () => {
	await deploy();
	emulator.set({ jobMs: 60_000, cost: 0.3 });
	const step = async (timeoutSeconds: number) =>
		await runNode({
			parameters: limitedRunParams(0.65, UNPRICED, { timeoutSeconds }),
			items: prompts(3),
			mode: 'manual',
		});
	const { failed } = await step(1);
	expect(failed).toMatchObject([{ kind: 'timedOut' }, { kind: 'notSent' }, { kind: 'notSent' }]);
	const again = await step(900);
	expect(again.failed).toMatchObject([{ kind: 'notSent' }]);
	expect(submits()).toHaveLength(2);
});

test.each([
	['sends what fits', true, 0.65, 3],
	['sends what fits, with Simplify off', false, 0.65, 3],
	['sends nothing that does not fit', true, 0.55, 2],
])(
	'Max Cost that is added before a retry counts what the kept outputs cost: it %s',
	async (_what, simplify, maximumCost, sendCount) => {
		await deploy();
		emulator.set({ cost: 0.3, failJobs: [1] });
		const parameters = runParams({ ...UNPRICED, prompt: EACH_PROMPT, simplify });
		const first = await runNode({ parameters, items: prompts(2) });
		expect(first.failed).toMatchObject([{ item: 1, kind: 'requestFailed' }]);
		const limited = limitedRunParams(maximumCost, { ...UNPRICED, simplify });
		const { failed } = await runNode({ parameters: limited, retryOf: first });
		expect(failed.map(({ kind }) => kind)).toEqual(sendCount === 3 ? [] : ['notSent']);
		expect(submits()).toHaveLength(sendCount);
	},
);

test.each([
	['', {}],
	// As in n8n 2.0 and older.
	[' without isToolExecution', { isToolExecution: undefined }],
])('under the MCP Server Trigger%s, each call counts alone', async (_version, lacks) => {
	const nodeType = actionNode('segmind');
	nodeType.description = { ...nodeType.description, name: 'segmindTool' };
	const node = nodeOf({ parameters: limitedRunParams(0.2) }, nodeType);
	for (const item of prompts(2)) {
		const context = mcpContext(nodeType, node, credentialsFor({ emulator }), [item]);
		expect(() => context.getContext('node')).toThrow();
		const running = nodeType.execute!.call(Object.assign(context, lacks));
		const [[{ json }]] = (await inVirtualTime(running)) as INodeExecutionData[][];
		expect(json.error).toBeUndefined();
	}
	expect(submits()).toHaveLength(2);
});

describe('the list of prices', () => {
	let days = 0;
	// The process keeps a list for five minutes. Each test begins at the same time, and some take hours.
	beforeEach(() => skip(++days * 86_400_000));
	const serve = (body: string, status = 200) =>
		emulator.fault({ on: 'prices', do: { status, body, contentType: 'text/plain' } });
	const withPrice = (price: string) =>
		priceListText().replace(`| $${PUBLISHED_COST} |`, `| ${price} |`);

	test('is read once, without the key, before the first request, and only if Max Cost is set', async () => {
		succeed(await runNode({ parameters: runParams() }));
		expect(emulator.callsOf('prices')).toEqual([]);
		succeed(await runNode({ parameters: limitedRunParams(1), items: prompts(3) }));
		const [read, ...more] = emulator.callsOf('prices');
		expect(more).toEqual([]);
		expect(read.headers).not.toHaveProperty('x-api-key');
		// The first submission is that of the run without Max Cost.
		expect(read.index).toBeLessThan(submits()[1].index);
	});

	test.each<[string, () => void, number]>([
		['a higher price', () => serve(withPrice('$0.25')), 2],
		['a lower price', () => serve(withPrice('$0.01')), 3],
		['no price', () => serve(withPrice('-')), 3],
		['a web page', () => serve('<html>Segmind</html>'), 3],
		['HTTP 403', () => serve(priceListText(), 403), 3],
		['no response', () => emulator.fault({ on: 'prices', do: 'hang' }), 3],
	])('with %s there, the larger of it and the built-in price counts', async (...row) => {
		const [, arrange, sendCount] = row;
		arrange();
		emulator.set({ cost: 0.1 });
		const parameters = limitedRunParams(0.5, {}, { waitForCompletion: false });
		await runNode({ parameters, items: prompts(4), onError: 'continueRegularOutput' });
		expect(submits()).toHaveLength(sendCount);
	});

	test('Stop ends the wait for it', async () => {
		emulator.fault({ on: 'prices', do: 'hang' });
		const { failed } = await runNode({
			parameters: limitedRunParams(1),
			items: prompts(1),
			whileRunning: stopWhen(() => emulator.callsOf('prices').length === 1),
		});
		expect(failed).toMatchObject([{ kind: 'stopped', charge: 'none' }]);
		expect(submits()).toEqual([]);
	});
});
