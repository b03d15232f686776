import { findModel } from '../../nodes/shared/catalogue';
import { typeBySignature } from '../../nodes/shared/media/mediaTypes';
import { isObject } from '../../nodes/shared/service/schemas';
import type { Exchange } from '../engine/wire';
import * as checks from './checks';
import { rowOf, waitForRow } from './probes';
import { members, own, show, words } from './shown';

const { callsTo, check, forms, notSeen, valueIn } = checks;

export const PROMPT = 'a plain gray circle on a white background';
const CREDITS = 'GET /v1/get-user-credits$';
const SUBMISSION = 'POST /v2/';
const V1 = 'POST /v1/';
const options = { pollIntervalSeconds: 1, timeoutSeconds: 180 };
const getResult = { resource: 'request', operation: 'getResult', options };

/** The cheapest models that need only a prompt. */
export const [IMAGE, TEXT] = ['p-image', 'gpt-5.4-mini'];

const generating = (value: string) => {
	const model = { __rl: true, mode: 'slug', value };
	return { resource: 'model', operation: 'run', model, prompt: PROMPT };
};

type ValueIn = (body: unknown, call: Exchange) => unknown;

/** Compares what a request cost with the built-in price. */
const costCheck = (slug: string, what: string, costIn: ValueIn) =>
	check('S47', 'more or less the built-in price', what, (body, call) => {
		const times = Number(costIn(body, call) ?? NaN) / (findModel(slug)?.cost ?? NaN);
		if (Number.isNaN(times)) return notSeen(show`no cost`);
		// A larger number may be a balance.
		const seen = times > 10 ? show`more than ten` : show`${times}`;
		return [times > 0.5 && times < 2, show`${seen} times the built-in price`];
	});
const costInMetrics: ValueIn = (body) => valueIn(body, 'metrics.cost');

/** Looks for the row of a request. */
const rowCheck = (fact: string, what: string, idIn: ValueIn) =>
	check(fact, 'in the history within a minute', what, (body, call, calls) => {
		const found = rowOf(calls, idIn(body, call));
		if (!found) return [false, show`no row`];
		const seconds = (found.readAt - call.sentAt) / 1_000;
		return [true, show`after ${seconds} s: ${members(found.row, ['request_body'])}`];
	});

const imageByV2: checks.Probe = {
	name: 'image by v2',
	pays: { slug: IMAGE, version: 'v2' },
	async run(lab) {
		const item = await lab.run('segmind', { ...generating(IMAGE), waitForCompletion: false });
		const { request_id: id } = item;
		if (typeof id !== 'string') return;
		await Promise.all([lab.run('segmind', getResult, { item }), waitForRow(lab, id)]);
		await lab.run('segmind', { ...getResult, request: id });
	},
	checks: [
		...forms(`
			S83 | ${SUBMISSION} | 200 | url | headers
			S80 | ${SUBMISSION} | 2xx | request_id status:word poll_url status_url response_url
			S85 | ${SUBMISSION} | 2xx | poll_url:pollUrl status_url:statusUrl response_url:resultUrl
			S86 | ${SUBMISSION} | 2xx | request_id:id
			S105 | response_url | 200 | status:word request_id
			S106 | response_url | 200 | output
			S111 | response_url | 200 | error:none
			S107 | response_url | 200 | url content_type file_size | images.0
			S11 | public | 200 | url | headers`),
		check('S97', 'metrics at the end', 'status_url', (body) => {
			const metrics = valueIn(body, 'metrics');
			const names = ['inference_time', 'queue_time', 'total_time', 'cost', 'time_in_queue_ms'];
			return [
				names.some((name) => typeof valueIn(metrics, name) === 'number'),
				members(metrics, names),
			];
		}),
		check('S94', 'QUEUED, PROCESSING, COMPLETED, FAILED', 'status_url', (_body, _call, calls) => {
			const said = callsTo(calls, 'status_url').map(({ json }) => valueIn(json, 'status'));
			return [
				said.every((one) => /^(QUEUED|PROCESSING|COMPLETED|FAILED)$/.test(String(one))),
				words(said),
			];
		}),
		check('S96', 'metrics is {} while it runs', 'status_url', (_body, _call, calls) => {
			const [{ json }] = callsTo(calls, 'status_url');
			const metrics = valueIn(json, 'metrics');
			if (valueIn(json, 'status') === 'COMPLETED') return notSeen(show`it was complete at once`);
			return [JSON.stringify(metrics) === '{}', members(metrics, [])];
		}),
		check('S104', 'the result again by the bare ID', 'response_url', (body, _call, calls) => {
			const count = callsTo(calls, 'response_url').length;
			return [count > 1 && valueIn(body, 'status') === 'COMPLETED', show`${count} responses`];
		}),
		costCheck(IMAGE, 'status_url', costInMetrics),
		rowCheck('S264', SUBMISSION, (body) => valueIn(body, 'request_id')),
	],
};

const HEADERS = 'x-cost x-remaining-credits x-request-id x-generation-time x-seed-value';
const imageByV1: checks.Probe = {
	name: 'image by v1',
	pays: { slug: IMAGE, version: 'v1' },
	async run(lab) {
		await lab.run('segmind', { ...generating(IMAGE), options: { answerInOneCall: true } });
		const id = callsTo(lab.wire.exchanges, V1)[0]?.headers['x-request-id'];
		if (id !== undefined) await waitForRow(lab, id);
	},
	checks: [
		check('S60 S63', 'the output: media, or JSON', V1, (body, call) => {
			const type = typeBySignature(call.body) ?? (isObject(body) ? 'application/json' : undefined);
			const isLabeled = call.headers['content-type']?.startsWith(type ?? '-') === true;
			return [type !== undefined, own(type ?? 'neither', isLabeled ? 'labeled so' : 'mislabeled')];
		}),
		...forms(`S66 | ${V1} | 200 | ${HEADERS} | headers`),
		costCheck(IMAGE, V1, (_, call) => call.headers['x-cost']),
		rowCheck('S69', V1, (_, call) => call.headers['x-request-id']),
	],
};

const textByV2: checks.Probe = {
	name: 'text by v2',
	pays: { slug: TEXT, version: 'v2' },
	run: async (lab) => await lab.run('segmind', { ...generating(TEXT), options }),
	checks: [
		...forms(`
			S135 | response_url | 200 | output
			S136 | response_url | 200 | choices:list usage:object | output`),
		costCheck(TEXT, 'status_url', costInMetrics),
	],
};

const balanceAfter: checks.Probe = {
	name: 'balance after',
	needs: 'spend',
	readsAll: true,
	run: async (lab) => await lab.run('segmindCredits', { operation: 'get' }),
	checks: [
		check('S41', 'the balance falls, if late', CREDITS, (_body, _call, calls) => {
			const amount = (body: unknown, name: string) => Number(valueIn(body, name));
			const [before, ...after] = callsTo(calls, CREDITS)
				.filter(({ status }) => status === 200)
				.map(({ json }) => amount(json, 'credits') + amount(json, 'free-credits'));
			const cents = (before - (after.at(-1) ?? NaN)) * 100;
			// More may be a balance.
			return notSeen(cents >= 0 && cents < 100 ? show`by ${cents} cents` : show`otherwise`);
		}),
	],
};

export const paidProbes = [imageByV2, imageByV1, textByV2, balanceAfter];
