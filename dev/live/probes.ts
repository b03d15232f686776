import { randomBytes } from 'node:crypto';

import { sleep } from 'n8n-workflow';

import { TASKS } from '../../nodes/shared/catalogue/tasks';
import { catalogue } from '../../nodes/shared/catalogue';
import { stateOf } from '../../nodes/shared/service/responses';
import { parseRows } from '../../nodes/shared/service/history';
import { listOrEmpty, isObject, listIn, type HistoryRow } from '../../nodes/shared/service/schemas';
import { readPriceList } from '../../nodes/shared/catalogue/priceList';
import type { LiveNodeRunner } from '../engine/liveNodeRunner';
import { callsTo, type Exchange } from '../engine/wire';
import { check, formChecks, unseen, type Probe } from './checks';
import { describeMembers, trustedNames, safeText, knownWords } from './safeText';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const CREDITS = 'GET /v1/get-user-credits$';
const PRICES = 'GET /llms.txt$';
const LIST = '/inference-model-information/list';
const LIST_NAME = 'Inference Segmind Model Information List With Details';
const PARAMETER_MEMBERS =
	'type label description isRequired default displayValue min max options values component displayOrder hidden isAdvanced affectsPricing';
const FINE_TUNE_MEMBERS =
	'id finetune_id name status error_message:any base_model cloud_storage_url:any model_information:object';
/** A picture of one pixel. */
const PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const recordsIn = (body: unknown) => listOrEmpty(body).filter(isObject);
const defaultModels = catalogue.filter(({ slug }) =>
	TASKS.some(({ defaultModel }) => defaultModel === slug),
);
const slugsOf = (models: ReadonlyArray<{ slug: string }>) =>
	trustedNames(...models.map(({ slug }) => slug));
/** The built-in prices are rounded. */
const isAbout = (price = NaN, builtIn = NaN) => Math.abs(price / builtIn - 1) < 0.01;
const HISTORY = '/inference-request/request-history';
const ROW_MEMBERS =
	'request_id model_name model_status credits_deduction:any request_body:any generation_url:any';

/** Reads rows of the history, newest first. */
async function readHistory(lab: LiveNodeRunner, query: string, rows = 2): Promise<void> {
	const fullQuery = `per_page=${rows}&sort_by=model_created&sort_order=desc&${query}`;
	await lab.get('endpointAdminUrl', `${HISTORY}?${fullQuery}`);
}

type Row = Record<string, unknown>;
const rowsIn = (call?: Exchange): Row[] => listOrEmpty(call?.json).filter(isObject);

/** Returns the rows of the last history call whose query contains `&` and `query`. */
function rowsBy(calls: readonly Exchange[], query: string): Row[] {
	const historyCalls = callsTo(calls, `GET ${HISTORY}$`);
	return rowsIn(historyCalls.filter(({ url }) => url.search.includes(`&${query}`)).at(-1));
}

/** Returns the names of the query parameters that the service doesn't obey. Page 0 may be empty or the same as page 1. */
function disobeyedParameters(calls: readonly Exchange[]): string[] {
	const [zero, one, two] = [0, 1, 2].map((page) => rowsBy(calls, `page=${page}`));
	const [firstOfZero, firstOfOne, firstOfTwo] = [zero, one, two].map(([row]) =>
		JSON.stringify(row),
	);
	const model = one[0]?.model_name;
	const obeyed = {
		per_page: one.length <= 2,
		page: (firstOfZero ?? firstOfOne) === firstOfOne && firstOfTwo !== firstOfOne,
		status: rowsBy(calls, 'status=').every((row) => stateOf(String(row.model_status)) === 'failed'),
		from_date: rowsBy(calls, 'from_date=').length === 0,
		model_name: rowsBy(calls, 'model_name=').every(({ model_name: name }) => name === model),
	};
	return Object.entries(obeyed).flatMap(([name, isObeyed]) => (isObeyed ? [] : [name]));
}

const history: Probe = {
	name: 'request history',
	async run(lab) {
		const later = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
		const queries = ['status=FAILED', `from_date=${later}`, 'page=2', 'page=0', 'page=1'];
		for (const query of queries) await readHistory(lab, query);
		const [row] = rowsBy(lab.wire.exchanges, 'page=1');
		if (row === undefined) return;
		await readHistory(lab, `model_name=${encodeURIComponent(String(row.model_name))}`);
		await lab.get('endpointAdminUrl', `${HISTORY}/${encodeURIComponent(String(row.request_id))}`);
	},
	checks: [
		check('S260', 'the query is obeyed, pages from 1', `GET ${HISTORY}$`, (body, _, calls) => {
			if (listIn(body)?.length === 0) return unseen(safeText`an empty list`);
			const disobeyed = disobeyedParameters(calls);
			const isTrue = listIn(body) !== undefined && disobeyed.length === 0;
			return [isTrue, safeText`not obeyed: ${trustedNames(...disobeyed)}`];
		}),
		...formChecks(`
			S261 | GET ${HISTORY}$ | 200 | ${ROW_MEMBERS} | 0
			S263 | GET ${HISTORY}/ | 200 | ${ROW_MEMBERS}`),
	],
};

const hasId = (id: unknown) => (row: Row) => row.request_id === id;

/** Returns the first history call whose response has a row for a request. */
export const firstCallWithRow = (calls: readonly Exchange[], id: unknown) =>
	callsTo(calls, `GET ${HISTORY}$`).find((call) => rowsIn(call).some(hasId(id)));

/** Returns the last row of a request that was read. */
export function lastRowOf(calls: readonly Exchange[], id: unknown): HistoryRow | undefined {
	const rows = callsTo(calls, `GET ${HISTORY}$`).flatMap(rowsIn);
	return parseRows(rows.filter(hasId(id))).at(-1);
}

/** Reads the history every three seconds until the request has a row, but for no longer than a minute. */
export async function waitForRow(lab: LiveNodeRunner, id: string): Promise<void> {
	for (let reads = 0; reads < 20 && !lab.target.signal.aborted; reads++) {
		await readHistory(lab, 'page=1', 20);
		if (firstCallWithRow(lab.wire.exchanges, id)) return;
		await sleep(3_000);
	}
}

export const freeProbes: Probe[] = [
	{
		name: 'balance',
		run: async (lab) => await lab.run('segmindCredits', { operation: 'get' }),
		checks: formChecks(`S42 | ${CREDITS} | 200 | credits:number free-credits:number`),
	},
	{
		name: 'wrong key',
		run: async (lab) =>
			await lab.run(
				'segmindCredits',
				{ operation: 'get' },
				{ changes: { apiKey: `SG_${hex(8)}` } },
			),
		checks: formChecks(`
			S191 | ${CREDITS} | 401 | host | headers
			S25 | ${CREDITS} | 401 | error`),
	},
	{
		name: 'unknown model',
		async run(lab) {
			const value = `no-such-model-${hex(4)}`;
			lab.wire.announcedUrl = lab.urlOf('baseUrl', `/v2/${value}`);
			const model = { __rl: true, mode: 'slug', value };
			const parameters = { resource: 'model', operation: 'run', model, prompt: 'x' };
			await lab.run('segmind', { ...parameters, waitForCompletion: false });
		},
		checks: formChecks(`
			S87 | POST /v2/ | 404 | host | headers
			S203 | POST /v2/ | 4xx | error`),
	},
	{
		name: 'unknown request',
		run: async (lab) =>
			await lab.run('segmind', { resource: 'request', operation: 'getStatus', request: hex(16) }),
		checks: formChecks('S126 | GET /v2/requests/ | 404 | error'),
	},
	{
		name: 'model list',
		run: async (lab) =>
			await lab.getPublic(lab.urlOf('endpointAdminUrl', `${LIST}?segmind_model=True`)),
		checks: [
			check('S280 S281', 'one member, the list of models', `GET ${LIST}`, (body) => [
				recordsIn(body).length > 0 && isObject(body) && Object.keys(body).join() === LIST_NAME,
				safeText`${recordsIn(body).length} models, ${describeMembers(body, [LIST_NAME])}`,
			]),
			...formChecks(`
				S282 | GET ${LIST} | 200 | title type description slug parameters:object is_visible:any is_new:any is_depreciated:any | 0`),
			check('S283', 'parameters maps names to {type, …}', `GET ${LIST}`, (body) => {
				const all = recordsIn(body).flatMap(({ parameters }) => Object.values(parameters ?? {}));
				const merged = describeMembers(Object.assign({}, ...all), PARAMETER_MEMBERS.split(' '));
				const types = all.map((one) => (isObject(one) ? one.type : undefined));
				const isTyped = types.length > 0 && types.every((type) => typeof type === 'string');
				return [isTyped, safeText`${merged}; types ${knownWords(types)}`];
			}),
			check('S284', 'the list has our default models', `GET ${LIST}`, (body) => {
				const listed = new Set(recordsIn(body).map(({ slug }) => slug));
				const missing = defaultModels.filter(({ slug }) => !listed.has(slug));
				const shared = catalogue.filter(({ slug }) => listed.has(slug)).length;
				const only = safeText`only there ${listed.size - shared}, only here ${catalogue.length - shared}`;
				return [missing.length === 0, safeText`missing ${slugsOf(missing)}; ${only}`];
			}),
		],
	},
	{
		name: 'prices',
		run: async (lab) => await lab.getPublic(lab.target.pricesUrl),
		checks: [
			check('S284', 'a table that the node can read', PRICES, (_, { body, status }) => {
				if (status !== 200) return unseen(safeText`HTTP ${status ?? 0}`);
				const listed = readPriceList(body.toString());
				const shared = catalogue.filter(({ slug }) => listed?.has(slug)).length;
				const only = safeText`only there ${(listed?.size ?? 0) - shared}, only here ${catalogue.length - shared}`;
				return [listed !== undefined, only];
			}),
			check('S47', 'the prices of our default models', PRICES, (_, { body, status }) => {
				if (status !== 200) return unseen(safeText`HTTP ${status ?? 0}`);
				const listed = readPriceList(body.toString());
				const others = defaultModels.filter(
					({ slug, cost }) => !isAbout(listed?.get(slug)?.cost, cost),
				);
				return [others.length === 0, safeText`other prices: ${slugsOf(others)}`];
			}),
		],
	},
	{
		name: 'endpoints',
		run: async (lab) => await lab.run('segmindEndpoint', { operation: 'getAll' }),
		checks: [
			check('S320', 'a list', 'GET /endpoint/list$', (body, { status }) => {
				const [entry] = listOrEmpty(body);
				const seen = describeMembers(entry, ['endpoint_id', 'endpoint_name', 'model_name']);
				const isList = status === 200 && listIn(body) !== undefined;
				return [isList, safeText`${listOrEmpty(body).length} entries: ${seen}`];
			}),
		],
	},
	{
		name: 'fine-tunes',
		run: async (lab) => await lab.run('segmindFineTune', { resource: 'job', operation: 'getAll' }),
		checks: formChecks(`S342 | GET /finetune/request/list$ | 200 | ${FINE_TUNE_MEMBERS} | 0`),
	},
	history,
	{
		name: 'upload',
		needs: 'upload',
		async run(lab) {
			lab.wire.announcedUrl = lab.urlOf('uploadUrl', '/upload-asset');
			const dataUrl = `data:image/png;base64,${PNG}`;
			const { url } = await lab.run('segmindAsset', { source: 'dataUrl', dataUrl });
			if (typeof url === 'string') await lab.getPublic(url);
		},
		checks: formChecks(`
			S170 | POST /upload-asset$ | 200 | urls:list
			S11 | public | 200 | host | headers`),
	},
];

/**
 * Returns a probe that reads the profile at the addresses that may have it, the default address first. It then calls the console without the token,
 * because the console isn't expected to have a profile.
 */
export function profileProbe(accountUrls: string[], consoleUrl: string): Probe {
	const what = (url = '') => `GET ${url}/auth/profile$`;
	const [defaultUrl, ...others] = accountUrls;
	return {
		name: 'profile',
		needs: 'token',
		async run(lab) {
			const parameters = { resource: 'session', operation: 'getProfile' };
			for (const accountUrl of accountUrls)
				await lab.run('segmindAccount', parameters, { changes: { accountUrl } });
			await lab.getPublic(`${consoleUrl}/auth/profile`);
		},
		checks: [
			...formChecks(`
				S380 | ${what(defaultUrl)} | 200 | access_token refresh_token username email
				S9 | ${what(consoleUrl)} | 404 | host | headers`),
			check('S8', 'our default address has it', what(defaultUrl), (_, { status }, calls) => {
				const has = (url: string) => callsTo(calls, what(url))[0]?.status === 200;
				return [status === 200, safeText`${others.filter(has).length} others have it`];
			}),
		],
	};
}

/** Makes no call: its checks read the responses of all probes. */
export const rateLimitProbe: Probe = {
	name: 'rate limit',
	readsAllCalls: true,
	run: async () => await Promise.resolve(),
	checks: formChecks(`
		S222 | GET / | 429 | x-rate-limit-reset-at-utc | headers
		S223 | GET /finetune/ | 200 | x-rate-limit-remaining | headers`),
};
