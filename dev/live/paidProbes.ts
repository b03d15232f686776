import { catalogue, findModel, type Kind } from '../../nodes/shared/catalogue';
import { typeBySignature } from '../../nodes/shared/media/mediaTypes';
import { isObject, parseJson } from '../../nodes/shared/service/schemas';
import {
	callsTo,
	check,
	forms,
	jsonOf,
	notSeen,
	publicFile,
	valueIn,
	type Check,
	type Probe,
} from './checks';
import { rowOf, waitForRow } from './history';
import { formOf, members, own, show, typeOf, words } from './shown';
import type { Exchange } from './wire';

/** The probes that make a paid request. */

export const PROMPT = 'a plain gray circle on a white background';

/** The cheapest model of a kind that needs only a prompt. */
function cheapest(kind: Kind): string {
	const [model] = catalogue
		.filter((one) => one.kind === kind && one.cost !== undefined && one.parameters.length > 0)
		.filter(({ parameters }) =>
			parameters.every(({ name, required }) => !required || name === 'prompt'),
		)
		.sort((one, other) => one.cost! - other.cost!);
	return model.slug;
}
const [IMAGE, TEXT] = [cheapest('image'), cheapest('text')];

const generating = (value: string) => {
	const model = { __rl: true, mode: 'slug', value };
	return { resource: 'model', operation: 'run', model, prompt: PROMPT };
};
const options = { pollIntervalSeconds: 1, timeoutSeconds: 180 };
const getResult = { resource: 'request', operation: 'getResult', options };
const SUBMISSION = 'POST /v2/';
const WORDS = ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'];

/** Compares what a request cost with the built-in price. */
function cost(
	slug: string,
	what: string,
	costIn: (body: unknown, call: Exchange) => unknown,
): Check {
	return check('S47', 'the published price, more or less', what, (body, call) => {
		const times = Number(costIn(body, call) ?? NaN) / (findModel(slug)?.cost ?? NaN);
		if (Number.isNaN(times)) return notSeen(show`no cost`);
		return [times > 0.5 && times < 2, show`${times} times the built-in price`];
	});
}
const costInMetrics = (body: unknown) => valueIn(body, 'metrics.cost');

/** Looks for the row of a request. */
function inHistory(
	facts: string,
	what: string,
	idIn: (body: unknown, call: Exchange) => unknown,
): Check[] {
	return [
		check(facts, 'the history has the request within a minute', what, (body, call, calls) => {
			const found = rowOf(calls, idIn(body, call));
			if (!found) return [false, show`no row`];
			return [true, show`a row after ${(found.readAt - call.sentAt) / 1_000} s`];
		}),
		check('S266', 'its row has what was sent', what, (body, call, calls) => {
			const raw = rowOf(calls, idIn(body, call))?.row.request_body;
			const kept = typeof raw === 'string' ? parseJson(raw) : raw;
			if (!isObject(kept) || !isObject(call.sent)) return notSeen(show`a body: ${typeOf(raw)}`);
			const sent = Object.entries(call.sent);
			const more = show`${Object.keys(kept).length - sent.length} more members`;
			return [
				sent.every(([name, value]) => kept[name] === value),
				show`${typeOf(raw)} with ${more}`,
			];
		}),
	];
}

const imageByV2: Probe = {
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
			S80 S83 | ${SUBMISSION} | 200 | request_id status poll_url status_url response_url
			S97 | status_url | 200 | inference_time:number queue_time:number total_time:number cost:number | metrics
			S105 S106 S111 | response_url | 200 | status request_id output error:null
			S107 | response_url | 200 | url content_type file_size | images.0`),
		check('S85', 'the URLs follow from the ID', SUBMISSION, (body, { url: { origin } }) => {
			const base = `/requests/${String(valueIn(body, 'request_id'))}`;
			const paths = {
				poll_url: `/v1${base}`,
				status_url: `/v2${base}/status`,
				response_url: `/v2${base}`,
			};
			const others = Object.entries(paths).filter(
				([name, path]) => valueIn(body, name) !== origin + path,
			);
			return [others.length === 0, show`in another form: ${own(...others.map(([name]) => name))}`];
		}),
		check('S86', '32 hexadecimal digits or a UUID', SUBMISSION, (body) => {
			const form = formOf(valueIn(body, 'request_id'));
			return [/digits|UUID/.test(form), form];
		}),
		check('S94', `the words ${WORDS.join(', ')}`, 'status_url', (_body, _call, calls) => {
			const said = callsTo(calls, 'status_url').map((call) => valueIn(jsonOf(call), 'status'));
			return [said.every((one) => WORDS.includes(String(one))), words(said)];
		}),
		check('S96', 'metrics is {} while it runs', 'status_url', (_body, _call, calls) => {
			const early = jsonOf(callsTo(calls, 'status_url')[0]);
			if (valueIn(early, 'status') === 'COMPLETED') return notSeen(show`it was complete at once`);
			const metrics = valueIn(early, 'metrics');
			return [JSON.stringify(metrics) === '{}', show`${typeOf(metrics)}: ${members(metrics, [])}`];
		}),
		check('S104', 'the result again by the bare ID', 'response_url', (body, _call, calls) => {
			const count = callsTo(calls, 'response_url').length;
			return [count > 1 && valueIn(body, 'status') === 'COMPLETED', show`${count} responses`];
		}),
		cost(IMAGE, 'status_url', costInMetrics),
		publicFile,
		...inHistory('S264', SUBMISSION, (body) => valueIn(body, 'request_id')),
	],
};

const HEADERS = [
	'x-cost',
	'x-remaining-credits',
	'x-request-id',
	'x-generation-time',
	'x-seed-value',
];
const V1 = 'POST /v1/';

const imageByV1: Probe = {
	name: 'image by v1',
	pays: { slug: IMAGE, version: 'v1' },
	async run(lab) {
		await lab.run('segmind', { ...generating(IMAGE), options: { answerInOneCall: true } });
		const id = callsTo(lab.wire.exchanges, V1)[0]?.headers['x-request-id'];
		if (id !== undefined) await waitForRow(lab, id);
	},
	checks: [
		check(
			'S60 S63',
			'the output: media under its type, or JSON',
			V1,
			(body, { headers, body: bytes, status }) => {
				const type = typeBySignature(bytes) ?? (isObject(body) ? 'application/json' : 'neither');
				const isLabeled = (headers['content-type'] ?? '').startsWith(type);
				return [
					status === 200 && isLabeled,
					show`${own(type)}, ${own(isLabeled ? 'so' : 'not')} labeled`,
				];
			},
		),
		check('S66', HEADERS.join(', '), V1, (_, { headers }) => {
			const ours = Object.entries(headers).filter(([name]) => name.startsWith('x-'));
			return [HEADERS.every((name) => name in headers), members(Object.fromEntries(ours), HEADERS)];
		}),
		cost(IMAGE, V1, (_, { headers }) => headers['x-cost']),
		...inHistory('S69', V1, (_, { headers }) => headers['x-request-id']),
	],
};

const textByV2: Probe = {
	name: 'text by v2',
	pays: { slug: TEXT, version: 'v2' },
	run: async (lab) => await lab.run('segmind', { ...generating(TEXT), options }),
	checks: [
		...forms(`
			S135 | response_url | 200 | output
			S136 | response_url | 200 | choices:list usage:object | output`),
		cost(TEXT, 'status_url', costInMetrics),
	],
};

export const paidProbes = [imageByV2, imageByV1, textByV2];
