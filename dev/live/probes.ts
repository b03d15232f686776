import { randomBytes } from 'node:crypto';

import { catalogue } from '../../nodes/shared/catalogue';
import { firstList, isObject, listIn } from '../../nodes/shared/service/schemas';
import { readPrices } from '../catalogue/make';
import { callsTo, check, forms, headers, publicFile, type Probe } from './checks';
import { history } from './history';
import { paidProbes } from './paidProbes';
import { members, own, show, words } from './shown';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

const CREDITS = 'GET /v1/get-user-credits$';
const getBalance = { operation: 'get' };
const LIST = '/inference-model-information/list';
const LIST_NAME = 'Inference Segmind Model Information List With Details';
const DESCRIPTION =
	'type label description isRequired default displayValue min max options values component displayOrder hidden isAdvanced affectsPricing';
const FINE_TUNE =
	'id finetune_id name status error_message:any base_model cloud_storage_url:any model_information:object';

const records = (body: unknown) => firstList(body).filter(isObject);
/** The models that every list of ours begins with. */
const defaults = catalogue.filter(({ wellKnown }) => wellKnown);
const slugs = (models: ReadonlyArray<{ slug: string }>) => own(...models.map(({ slug }) => slug));

const free: Probe[] = [
	{
		name: 'balance',
		run: async (lab) => await lab.run('segmindCredits', getBalance),
		checks: forms(`S42 | ${CREDITS} | 200 | credits:number free-credits:number`),
	},
	{
		name: 'wrong key',
		run: async (lab) =>
			await lab.run('segmindCredits', getBalance, { changes: { apiKey: `SG_${hex(8)}` } }),
		checks: forms(`S25 S191 | ${CREDITS} | 401 | error`),
	},
	{
		name: 'unknown model',
		async run(lab) {
			const value = `no-such-model-${hex(4)}`;
			lab.wire.announced = lab.urlOf('baseUrl', `/v2/${value}`);
			const model = { __rl: true, mode: 'slug', value };
			await lab.run('segmind', { resource: 'model', operation: 'run', model, prompt: 'x' });
		},
		checks: forms('S87 S203 | POST /v2/ | 404 | error'),
	},
	{
		name: 'unknown request',
		run: async (lab) =>
			await lab.run('segmind', { resource: 'request', operation: 'getStatus', request: hex(16) }),
		checks: forms('S126 | GET /v2/requests/ | 404 | error'),
	},
	{
		name: 'model list',
		run: async (lab) =>
			await lab.getPublic(lab.urlOf('endpointAdminUrl', `${LIST}?segmind_model=True`)),
		checks: [
			check('S280', 'a list of models, without the key', `GET ${LIST}`, (body, { status }) => [
				status === 200 && records(body).length > 0,
				show`${records(body).length} models`,
			]),
			check('S281', 'one member, the list', `GET ${LIST}`, (body) => [
				isObject(body) && Object.keys(body).join() === LIST_NAME,
				members(body, [LIST_NAME]),
			]),
			...forms(
				`S282 | GET ${LIST} | 200 | title type description slug parameters:object is_visible:any is_new:any is_depreciated:any | 0`,
			),
			check('S283', 'parameters maps names to {type, …}', `GET ${LIST}`, (body) => {
				const all = records(body).flatMap(({ parameters }) => Object.values(parameters ?? {}));
				const merged = members(Object.assign({}, ...all), DESCRIPTION.split(' '));
				const types = all.map((one) => (isObject(one) ? one.type : undefined));
				const isTyped = types.length > 0 && types.every((type) => typeof type === 'string');
				return [isTyped, show`${merged}; types ${words(types)}`];
			}),
			check('S284', 'the list has our default models', `GET ${LIST}`, (body) => {
				const listed = new Set(records(body).map(({ slug }) => slug));
				const isListed = ({ slug }: { slug: string }) => listed.has(slug);
				const missing = defaults.filter((model) => !isListed(model));
				const shared = catalogue.filter(isListed).length;
				const only = show`only there ${listed.size - shared}, only here ${catalogue.length - shared}`;
				return [missing.length === 0, show`missing ${slugs(missing)}; ${only}`];
			}),
		],
	},
	{
		name: 'prices',
		run: async (lab) => await lab.getPublic(lab.target.pricesUrl),
		checks: [
			check('S47', 'the prices of our default models', 'GET /llms.txt$', (_, { body }) => {
				const published = readPrices(body.toString());
				const others = defaults.filter(({ slug, cost }) => published.get(slug)?.cost !== cost);
				return [others.length === 0, show`other prices: ${slugs(others)}`];
			}),
		],
	},
	{
		name: 'endpoints',
		run: async (lab) => await lab.run('segmindEndpoint', { operation: 'getAll' }),
		checks: [
			check('S320', 'a list', 'GET /endpoint/list$', (body, { status }) => {
				const [entry] = firstList(body);
				const seen = members(entry, ['endpoint_id', 'endpoint_name', 'model_name']);
				const isList = status === 200 && listIn(body) !== undefined;
				return [isList, show`${firstList(body).length} entries: ${seen}`];
			}),
		],
	},
	{
		name: 'fine-tunes',
		run: async (lab) => await lab.run('segmindFineTune', { resource: 'job', operation: 'getAll' }),
		checks: forms(`S342 | GET /finetune/request/list$ | 200 | ${FINE_TUNE} | 0`),
	},
	history,
];

/** Reads the profile at our default address and at others; without the token at the console, which has none. */
function profile([usual, ...others]: string[]): Probe {
	const PATH = '/auth/profile';
	const elsewhere = others.slice(0, -1);
	const console = others.at(-1) ?? '';
	return {
		name: 'profile',
		needs: 'token',
		async run(lab) {
			const parameters = { resource: 'session', operation: 'getProfile' };
			for (const accountUrl of [usual, ...elsewhere])
				await lab.run('segmindAccount', parameters, { changes: { accountUrl } });
			await lab.getPublic(console + PATH);
		},
		checks: [
			...forms(`S380 | GET ${usual}${PATH} | 200 | access_token refresh_token username email`),
			check('S8', 'our default address has it', `GET ${usual}${PATH}`, (_, { status }, calls) => {
				const has = (url: string) => callsTo(calls, `GET ${url}${PATH}`)[0]?.status === 200;
				return [status === 200, show`${elsewhere.filter(has).length} others have it`];
			}),
			check(
				'S9',
				'the console does not',
				`GET ${console}${PATH}`,
				(_, { status }) => [status === 404, show`without a token`],
				401,
			),
		],
	};
}

/** One pixel. */
const PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const upload: Probe = {
	name: 'upload',
	needs: 'upload',
	async run(lab) {
		lab.wire.announced = lab.urlOf('uploadUrl', '/upload-asset');
		const dataUrl = `data:image/png;base64,${PNG}`;
		const { url } = await lab.run('segmindAsset', { source: 'dataUrl', dataUrl });
		if (typeof url === 'string') await lab.getPublic(url);
	},
	checks: [...forms('S170 | POST /upload-asset$ | 200 | urls:list'), publicFile],
};

const rateLimit: Probe = {
	name: 'rate limit',
	readsAll: true,
	run: async () => await Promise.resolve(),
	checks: [
		headers('S222', ['x-rate-limit-reset-at-utc'], ({ status }) => status === 429),
		headers('S223', ['x-rate-limit-remaining'], ({ status, url: { pathname } }) => {
			return status === 200 && /^\/v[12]\//.test(pathname);
		}),
	],
};

/** All probes, in the order in which they run. */
export const probesFor = (accountUrls: string[]): Probe[] => [
	...free,
	profile(accountUrls),
	upload,
	...paidProbes,
	rateLimit,
];
