/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
/** `npm run live` against the emulator: what it finds, what it may spend, and what it must not show. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { gradeOf } from '../../dev/base/facts';
import { ROOT } from '../../dev/base/project';
import type { Emulator, FaultAction, FaultTarget } from '../../dev/emulator';
import {
	exitCodeOf,
	probesFor,
	runProbes,
	tableOf,
	type Permissions,
	type Finding,
} from '../../dev/live/live';
import type { Probe } from '../../dev/live/checks';
import { IMAGE, PROMPT, TEXT } from '../../dev/live/paidProbes';
import { priceListText } from '../../dev/emulator/routes/prices';
import { catalogue, findModel } from '../../nodes/shared/catalogue';
import { actionNode, CREDENTIAL_TYPES } from '../helpers/packageNodes';
import { useVirtualEngine } from '../helpers/virtualEngine';

const EVERYTHING: Permissions = { spend: 0.05, upload: true };

const { emulator, inVirtualTime } = useVirtualEngine({ queueMs: 2_500, jobMs: 2_500 });

/** What the command has printed. */
let lines: string[];
let accessToken: string;
beforeEach(async () => {
	lines = [];
	for (const slug of ['nano-banana', 'seedream-4', 'nano-banana'])
		emulator.submitElsewhere({ slug, input: { prompt: 'x' } });
	const refresh = await fetch(`${emulator.session.accountUrl}/auth/refresh-token`, {
		method: 'POST',
		headers: { authorization: `Bearer ${emulator.session.refreshToken}` },
	});
	accessToken = ((await refresh.json()) as { access_token: string }).access_token;
});

/** Runs all probes, only the one with this name, or `others`. */
async function run(allowed = EVERYTHING, only?: string, others?: Probe[]): Promise<Finding[]> {
	const probes =
		others ??
		probesFor([emulator.session.accountUrl, `${emulator.urls.account}/x`], emulator.urls.console);
	const target = {
		node: actionNode,
		credentialTypes: CREDENTIAL_TYPES,
		credential: emulator.credentials,
		accessToken,
		pricesUrl: `${emulator.urls.api}/llms.txt`,
		signal: new AbortController().signal,
	};
	const chosen = probes.filter(({ name }) => only === undefined || name === only);
	return await inVirtualTime(runProbes(chosen, target, allowed, (line) => lines.push(line)));
}

const withVerdict = (findings: Finding[], wanted: Finding['verdict']) =>
	findings.filter(({ verdict }) => verdict === wanted).map(({ fact }) => fact);

test('confirms every fact if the emulator behaves as docs/service.md says', async () => {
	emulator.set({ rateLimit: { perMinute: 12, sendRemaining: true } });
	const findings = await run();
	expect(withVerdict(findings, 'contradicted')).toEqual([]);
	// There is no fine-tune to look at.
	expect(withVerdict(findings, 'not seen')).toEqual(['S342']);
	expect(exitCodeOf(findings)).toBe(0);
	expect(emulator.charged).toBeCloseTo(0.0116);
});

test('without flags, it pays for nothing and uploads nothing', async () => {
	expect(withVerdict(await run({}), 'contradicted')).toEqual(['S223']);
	const { submit, v1, upload } = emulator.counts;
	expect([submit, v1, upload, emulator.charged]).toEqual([1, undefined, undefined, 0]);
});

type Arrange = (service: Emulator) => void;
const withFault =
	(on: FaultTarget, action: FaultAction, after = 0): Arrange =>
	(service) =>
		void service.fault({ on, after, do: action, times: 'always' });
const body = (value: unknown): FaultAction => ({ status: 200, body: value });
const rewrite = (changes: object): FaultAction => ({ rewrite: changes });
const withRow =
	(changes: object): Arrange =>
	(service) =>
		service.set({ historyRow: (row) => ({ ...row, ...changes }) });
/** For each probe, different behavior of the service, and the fact that it contradicts. */
const DEVIATIONS: Array<[probe: string, fact: string, arrange: Arrange]> = [
	['balance', 'S42', withFault('credits', rewrite({ with: { credits: '12' } }))],
	['wrong key', 'S191', withFault('credits', { status: 400, body: { error: 'No' } })],
	['wrong key', 'S25', withFault('credits', { status: 401, body: { message: 'No' } })],
	['unknown model', 'S87', withFault('submit', { status: 400, body: { error: 'No' } })],
	['unknown request', 'S126', withFault('status', { status: 400, body: { error: 'No' } })],
	['model list', 'S280', withFault('models', body({ models: [] }))],
	['model list', 'S281', withFault('models', body([{ slug: 'x', type: 'y', parameters: {} }]))],
	['model list', 'S282', withFault('models', body({ data: [{ name: 'x' }] }))],
	['model list', 'S283', withFault('models', body([{ slug: 'x', parameters: { a: 'b' } }]))],
	['model list', 'S284', withFault('models', body({ data: [{ slug: 'new' }] }))],
	['prices', 'S284', withFault('prices', body('<html>Segmind</html>'))],
	['prices', 'S47', withFault('prices', body(priceListText().replaceAll('$0.00', '$0.01')))],
	['endpoints', 'S320', withFault('endpoint', { status: 404, body: { error: 'No' } })],
	['fine-tunes', 'S342', withFault('finetune', body([{ id: 'x', state: 'DONE' }]))],
	['request history', 'S260', (service) => service.set({ historyModelFilter: 'ignored' })],
	['request history', 'S261', withFault('history', body({ data: [{ id: 'x' }] }))],
	['request history', 'S263', withFault({ path: /request-history\/./ }, { status: 400, body: {} })],
	['profile', 'S380', withFault('account', rewrite({ without: ['email'] }))],
	['profile', 'S8', withFault('account', { status: 404, body: {} })],
	['profile', 'S9', withFault('console', body({ email: 'x' }))],
	['upload', 'S170', (service) => service.set({ uploadResponse: 'file_urls' })],
	['upload', 'S11', withFault('file', { status: 403, body: '' })],
	['image by v2', 'S80', (service) => service.set({ requestUrls: 'pollOnly' })],
	['image by v2', 'S83', withFault('submit', rewrite({ status: 202 }))],
	['image by v2', 'S86', withFault('submit', rewrite({ with: { request_id: 'x1' } }))],
	['image by v2', 'S94', (service) => service.set({ progressWord: 'RUNNING' })],
	['image by v2', 'S97', (service) => service.set({ metrics: 'null' })],
	['image by v2', 'S107', (service) => service.set({ resultShape: 'outputUrl' })],
	['image by v2', 'S106', (service) => service.set({ resultShape: 'images' })],
	['image by v2', 'S104', withFault('result', 'notFound', 1)],
	['image by v2', 'S47', (service) => service.set({ cost: 0.5 })],
	['image by v2', 'S264', (service) => service.set({ historyLateMs: 300_000 })],
	['image by v2', 'S266', withRow({ request_body: { prompt: PROMPT, seed: 1 } })],
	['image by v2', 'S267', withRow({ created_at: '2026-01-15T10:00:00' })],
	['image by v1', 'S266', withRow({ request_body: { prompt: PROMPT, seed: '7' } })],
	['image by v1', 'S66', withFault('v1', { status: 200, accept: true, body: { image: 'eA==' } })],
	['image by v1', 'S63', withFault('v1', { status: 200, accept: true, body: 'Hello' })],
	['text by v2', 'S136', (service) => service.set({ resultShape: 'outputUrl' })],
	['picture by v2', 'S144', (service) => service.set({ resultShape: 'outputUrl' })],
];

test.each(DEVIATIONS)(
	'%s: contradicts %s if the service behaves differently',
	async (probe, fact, arrange) => {
		arrange(emulator);
		expect(withVerdict(await run(EVERYTHING, probe), 'contradicted')).toContain(fact);
	},
);

test.each<[string, Arrange]>([
	['a request that fails', (service) => service.set({ failJobs: 'all' })],
	['an empty balance', (service) => service.set({ balance: { credits: 0, freeCredits: 0 } })],
	['models without access', (service) => service.set({ deniedModels: [IMAGE, TEXT] })],
	['an unavailable service', withFault(() => true, { status: 503, body: {} })],
])('%s contradicts no fact about successful requests', async (_name, arrange) => {
	arrange(emulator);
	const findings = (await run()).filter(({ probe }) => / by v\d$/.test(probe));
	expect(withVerdict(findings, 'contradicted')).toEqual([]);
});

test('a token that is rejected is not refreshed', async () => {
	accessToken = 'expired';
	const findings = await run({}, 'profile');
	expect(withVerdict(findings, 'not seen')).toEqual(['S380', 'S8']);
	// This is the call in beforeEach.
	expect(emulator.callsOf('account').filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test.each([
	['image', IMAGE],
	['text', TEXT],
])('pays for the cheapest %s whose form is known', (kind, slug) => {
	const models = catalogue.filter((model) => model.kind === kind && model.parameters.length > 0);
	const prices = models.map(({ cost = Infinity }) => cost);
	expect(findModel(slug)?.cost).toBe(Math.min(...prices));
});

test('reports a probe that throws, and continues', async () => {
	const fail = async () => await Promise.reject(new TypeError(emulator.key));
	const look = () => ({ verdict: 'confirmed', seen: '' }) as never;
	const checks = [{ facts: 'S1', holds: '', look }];
	const [balance] = probesFor([], '');
	const findings = await run({}, undefined, [{ name: 'broken', run: fail, checks }, balance]);
	expect(findings).toMatchObject([
		{ fact: 'S1', verdict: 'not seen', seen: 'the probe failed: TypeError' },
		{ fact: 'S42', verdict: 'confirmed' },
	]);
});

/** Faults around a paid request. Some leave its outcome unknown; after others, the node itself would send the request again. */
const FAULTS: FaultAction[] = [
	'dropBeforeAccept',
	'dropAfterAccept',
	'hangAfterAccept',
	{ status: 429, body: {} },
	{ status: 503, body: {}, accept: true },
	{ status: 504, body: '', accept: true },
	{ status: 200, body: '{}', accept: true },
	{ rewrite: { nulls: true } },
	{ redirect: 'https://example.com', status: 307 },
];

test.each(FAULTS)('sends each paid request only once after %j', async (action) => {
	emulator.fault({ on: ['submit', 'v1'], after: 1, times: 'always', do: action });
	await run({ spend: 0.05 });
	const { submit = 0, v1 = 0 } = emulator.counts;
	// One of the four is the request for an unknown model.
	expect([submit, v1]).toEqual([4, 1]);
	expect(emulator.jobs.length).toBeLessThanOrEqual(4);
});

test.each([
	[0, 0],
	[0.0004, 0],
	[0.001, 1],
	[0.0056, 2],
	[0.0106, 3],
	[0.012, 4],
])('with a limit of %d USD, it makes %i paid requests', async (spend, count) => {
	await run({ spend });
	expect(emulator.jobs).toHaveLength(count);
	expect(emulator.charged).toBeLessThanOrEqual(spend);
});

const KEY = `SG_${'face'.repeat(4)}`;
const [TOKEN, MAIL, USER] = ['eyJhbGciOi.eyJpZGV', 'me@a.com', 'elizabeth'];
const PRIVATE = [KEY, TOKEN, MAIL, USER, 'my private prompt', '12.3456'];
/** What a hostile service responds: secrets as names and values of members, with control characters, and in very long names. */
const HOSTILE = Object.fromEntries(
	PRIVATE.flatMap((secret, at) => [
		[secret, secret],
		[`member${at}`, { [secret]: [secret] }],
		[`\u001b]0;${secret}\u0007`, secret],
		['x'.repeat(2_000) + at, secret],
	]),
);
const named = { slug: USER, type: USER, created_at: MAIL };
const ROW = { ...HOSTILE, ...named, request_id: KEY, model_status: USER };
const hostileBodies: unknown[] = [
	HOSTILE,
	[HOSTILE, HOSTILE],
	{ data: [{ ...ROW, parameters: { [MAIL]: ROW } }] },
	{ ...HOSTILE, status: USER, request_id: TOKEN, status_url: MAIL, metrics: ROW, error: PRIVATE },
	{ ...HOSTILE, request_id: { toString: KEY }, output: JSON.stringify(ROW), images: [ROW] },
	{ credits: 12.3456, 'free-credits': -98765.4321, urls: PRIVATE, metrics: { cost: 98765 } },
	PRIVATE.join(' '),
];
const headers = { [`x-${KEY}`]: KEY, 'x-cost': '12.3456', 'cache-control': 'max-age=123456' };
const TARGETS: FaultTarget[] = [() => true, ['status', 'result', 'poll', 'history', 'file']];

test.each(TARGETS.flatMap((on) => hostileBodies.map((hostile) => [on, hostile] as const)))(
	'shows no secret that a hostile service sends in response to %p (%#)',
	async (on, hostile) => {
		const action = { status: 200, accept: true, body: hostile, headers };
		emulator.fault({ on, times: 'always', do: action });
		const findings = await run();
		const shown = [...lines, tableOf(findings), JSON.stringify(findings)].join('\n');
		const { key, jobs, urls } = emulator;
		const ids = jobs.map(({ requestId }) => requestId);
		const secrets = [...PRIVATE, ...ids, key, accessToken, PROMPT, '98765', '123456', urls.api];
		for (const secret of secrets) expect(shown.toLowerCase()).not.toContain(secret.toLowerCase());
		expect(shown.split('\n').join('')).not.toMatch(/\p{Cc}/u);
		expect(shown.length).toBeLessThan(50_000);
	},
);

test('without a key, it says what it does in two lines and exits with 2', () => {
	const env = { ...process.env, SEGMIND_API_KEY: '' };
	const args = ['--import', 'tsx', join(ROOT, 'dev/live/cli.ts')];
	const { stdout, stderr, status } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
	expect([status, stderr, stdout.trimEnd().split('\n').length]).toEqual([2, '', 2]);
	expect(stdout).toContain('SEGMIND_API_KEY');
});

test('docs/service.md marks as probed exactly the facts that are checked', () => {
	const text = readFileSync(join(ROOT, 'docs/service.md'), 'utf8');
	const marked = text
		.split('\n')
		.flatMap((line) =>
			/\bprobed\b/.test(line) ? (/^(?:- |\| )\*\*(S\d+)/.exec(line)?.slice(1) ?? []) : [],
		);
	const checked = probesFor([], '').flatMap(({ checks }) =>
		checks.flatMap(({ facts }) => facts.split(' ')),
	);
	expect([...new Set(checked)].sort()).toEqual([...marked].sort());
	expect(checked.filter((fact) => gradeOf(fact) === 'unknown')).toEqual([]);
});
