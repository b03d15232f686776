/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { randomBytes } from 'node:crypto';

import { catalogue } from '../../nodes/shared/catalogue';
import { firstList, isObject, listIn } from '../../nodes/shared/service/schemas';
import { readPrices } from '../catalogue/make';
import { callsTo, check, forms, notSeen, publicFile, type Probe } from './checks';
import { history } from './history';
import { paidProbes } from './paidProbes';
import { members, own, show, words } from './shown';

/** The probes that cost nothing. */

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

const balance: Probe = {
	name: 'balance',
	run: async (lab) => await lab.run('segmindCredits', { operation: 'get' }),
	checks: forms('S42 | GET /v1/get-user-credits | 200 | credits:number free-credits:number'),
};

const wrongKey: Probe = {
	name: 'wrong key',
	async run(lab) {
		const changes = { apiKey: `SG_${hex(8)}` };
		await lab.run('segmindCredits', { operation: 'get' }, { changes });
	},
	checks: forms('S25 S191 | GET /v1/get-user-credits | 401 | error'),
};

const unknownModel: Probe = {
	name: 'unknown model',
	async run(lab) {
		const value = `no-such-model-${hex(4)}`;
		lab.wire.announced = lab.urlOf('baseUrl', `/v2/${value}`);
		const model = { __rl: true, mode: 'slug', value };
		const parameters = { resource: 'model', operation: 'run', model, prompt: 'x' };
		await lab.run('segmind', { ...parameters, waitForCompletion: false });
	},
	checks: forms('S87 S203 | POST /v2/ | 404 | error'),
};

const unknownRequest: Probe = {
	name: 'unknown request',
	async run(lab) {
		const parameters = { resource: 'request', operation: 'getStatus', request: hex(16) };
		await lab.run('segmind', parameters);
	},
	checks: forms('S126 | GET /v2/requests/ | 404 | error'),
};

const LIST = '/inference-model-information/list';
const LIST_NAME = 'Inference Segmind Model Information List With Details';
const DESCRIPTION =
	'type label description isRequired default displayValue min max options values component displayOrder hidden isAdvanced affectsPricing';
const records = (body: unknown) => firstList(body).filter(isObject);
/** Models for somebody who knows none: the first in every list of ours. */
const defaults = catalogue.filter(({ wellKnown }) => wellKnown);
const slugs = (models: ReadonlyArray<{ slug: string }>) => own(...models.map(({ slug }) => slug));

const modelList: Probe = {
	name: 'model list',
	run: async (lab) =>
		await lab.getPublic(lab.urlOf('endpointAdminUrl', `${LIST}?segmind_model=True`)),
	checks: [
		check('S280', 'a list without a key', `GET ${LIST}`, (body, { status }) => [
			status === 200 && records(body).length > 0,
			show`${records(body).length} models`,
		]),
		check('S281', 'one member, which is the list', `GET ${LIST}`, (body) => [
			isObject(body) && Object.keys(body).join() === LIST_NAME,
			members(body, [LIST_NAME]),
		]),
		...forms(
			`S282 | GET ${LIST} | 200 | title type description slug parameters:object is_visible:any is_new:any is_depreciated:any | 0`,
		),
		check('S283', 'parameters maps names to {type, label, …}', `GET ${LIST}`, (body) => {
			const maps = records(body).map(({ parameters }) => (isObject(parameters) ? parameters : {}));
			const all = maps.flatMap((map) => Object.values(map));
			const objects = all.filter(isObject);
			const isTyped = objects.length > 0 && objects.length === all.length;
			const merged = members(Object.assign({}, ...objects), DESCRIPTION.split(' '));
			const types = words(objects.map(({ type }) => type));
			return [
				isTyped && objects.every(({ type }) => typeof type === 'string'),
				show`${merged}; types ${types}`,
			];
		}),
		check('S284', 'the list has our default models', `GET ${LIST}`, (body) => {
			const listed = new Set(records(body).map(({ slug }) => slug));
			const ours = catalogue.filter(({ slug }) => listed.has(slug)).length;
			const missing = defaults.filter(({ slug }) => !listed.has(slug));
			const only = show`only there ${listed.size - ours}, only here ${catalogue.length - ours}`;
			return [missing.length === 0, show`missing ${slugs(missing)}; ${only}`];
		}),
	],
};

const prices: Probe = {
	name: 'prices',
	run: async (lab) => await lab.getPublic(lab.target.pricesUrl),
	checks: [
		check('S47', 'the prices of our default models', 'GET /llms.txt', (_, { status, body }) => {
			const published = readPrices(body.toString());
			const others = defaults.filter(({ slug, cost }) => published.get(slug)?.cost !== cost);
			return [status === 200 && others.length === 0, show`other prices: ${slugs(others)}`];
		}),
	],
};

const endpoints: Probe = {
	name: 'endpoints',
	run: async (lab) => await lab.run('segmindEndpoint', { operation: 'getAll' }),
	checks: [
		check('S320', 'a list', 'GET /endpoint/list', (body, { status }) => {
			const entry = members(firstList(body)[0], ['endpoint_id', 'endpoint_name', 'model_name']);
			return [
				status === 200 && listIn(body) !== undefined,
				show`${firstList(body).length} entries: ${entry}`,
			];
		}),
	],
};

const fineTunes: Probe = {
	name: 'fine-tunes',
	run: async (lab) => await lab.run('segmindFineTune', { resource: 'job', operation: 'getAll' }),
	checks: forms(
		'S342 | GET /finetune/request/list | 200 | id finetune_id name status error_message:any base_model cloud_storage_url:any | 0',
	),
};

/** Reads the profile wherever the account API may be: at our default, at others, and at the console, which has none. */
function profile(accountUrls: string[]): Probe {
	const [usual, ...others] = accountUrls.map((url) => `GET ${url}/auth/profile$`);
	const console = others.at(-1) ?? '';
	return {
		name: 'profile',
		needs: 'token',
		async run(lab) {
			for (const url of accountUrls) await lab.readProfile(url);
		},
		checks: [
			...forms(`S380 | ${usual} | 200 | access_token refresh_token username email`),
			check('S8', 'our default has the account API', usual, (_, { status }, calls) => {
				const isThere = (what: string) => callsTo(calls, what)[0]?.status === 200;
				return [status === 200, show`${others.filter(isThere).length} others have it`];
			}),
			check('S9', 'the console has no account API', console, (_, { status }) => [
				status === 404,
				show`for the profile`,
			]),
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
		const parameters = {
			operation: 'upload',
			source: 'dataUrl',
			dataUrl: `data:image/png;base64,${PNG}`,
		};
		const { url } = await lab.run('segmindAsset', parameters);
		if (typeof url === 'string') await lab.getPublic(url);
	},
	checks: [...forms('S170 | POST /upload-asset$ | 200 | urls:list'), publicFile],
};

/** What the responses of all probes show of the rate limit. */
const rateLimit: Probe = {
	name: 'rate limit',
	readsAll: true,
	run: async () => await Promise.resolve(),
	checks: [
		{
			facts: 'S222',
			holds: 'a 429 has x-rate-limit-reset-at-utc and no retry-after',
			look(calls) {
				const headers = calls.filter(({ status }) => status === 429).at(-1)?.headers;
				if (!headers) return notSeen(show`no 429`);
				const isTrue = 'x-rate-limit-reset-at-utc' in headers && !('retry-after' in headers);
				const names = ['x-rate-limit-reset-at-utc', 'retry-after', 'x-rate-limit-remaining'];
				const seen = own(...names.filter((name) => name in headers));
				return { verdict: isTrue ? 'confirmed' : 'contradicted', seen };
			},
		},
		check(
			'S223',
			'x-rate-limit-remaining on other responses',
			'GET /v1/get-user-credits',
			(_, { headers }) => {
				const name = 'x-rate-limit-remaining';
				return [name in headers, own(...[name].filter((one) => one in headers))];
			},
		),
	],
};

/** All probes, in the order in which they run. */
export function probesFor(accountUrls: string[]): Probe[] {
	const free = [balance, wrongKey, unknownModel, unknownRequest, modelList, prices];
	const lists = [endpoints, fineTunes, history, profile(accountUrls)];
	return [...free, ...lists, upload, ...paidProbes, rateLimit];
}
