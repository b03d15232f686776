import { findModel } from '../../nodes/shared/catalogue';
import { typeBySignature } from '../../nodes/shared/media/mediaTypes';
import { stableJson } from '../../nodes/shared/base/hash';
import { compareBody, fingerprintOf } from '../../nodes/shared/request/matchRows';
import { creationTimeOf, rowNamesZone } from '../../nodes/shared/service/history';
import { isObject, parseJson, type HistoryRow } from '../../nodes/shared/service/schemas';
import { callsTo, valueIn, type Exchange } from '../engine/wire';
import { check, formChecks, unseen, type Probe, type Sighting } from './checks';
import { firstCallWithRow, lastRowOf, waitForRow } from './probes';
import { describeMembers, trustedNames, safeText, knownWords, type SafeText } from './safeText';

export const PROMPT = 'a plain gray circle on a white background';
const SUBMISSION = 'POST /v2/';
const BY_V1 = 'POST /v1/';
const REQUEST_ID = 'x-request-id';
const TIMES = ['created_at', 'model_created', 'timestamp'];
const METRICS = ['inference_time', 'queue_time', 'total_time', 'cost', 'time_in_queue_ms'];
const STATES = ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'];
const options = { pollIntervalSeconds: 1, timeoutSeconds: 60 };
const getResult = { resource: 'request', operation: 'getResult', options };

/** The cheapest models that need only a prompt. */
export const [IMAGE, TEXT] = ['p-image', 'gpt-5.4-mini'];
/** The default of Image: Analyze. */
const SEEING = 'gemini-3.1-flash-lite';

const generateParameters = (value: string) => {
	const model = { __rl: true, mode: 'slug', value };
	return { resource: 'model', operation: 'run', model, prompt: PROMPT };
};

/** Compares the body of a request's row with what was sent, and says whether the search for a lost request would recognize it. */
function compareRowBody(
	{ sent }: Exchange,
	row: HistoryRow | undefined,
): [boolean, SafeText] | Sighting {
	const body = parseJson(sent ?? '');
	if (row === undefined || !isObject(body)) return unseen(safeText`no row`);
	const { request_body: listed } = row;
	const isText = typeof listed === 'string';
	const rowBody = isText ? parseJson(listed) : listed;
	const isRecognized = compareBody(fingerprintOf(body), listed) === 'same';
	const seen = trustedNames(
		describeMembers(rowBody, Object.keys(body)),
		isText ? 'as text' : 'as JSON',
		isRecognized ? 'recognized' : 'not recognized',
	);
	return [stableJson(rowBody) === stableJson(body), seen];
}

const imageByV2: Probe = {
	name: 'image by v2',
	paidModel: { slug: IMAGE, version: 'v2' },
	async run(lab) {
		const item = await lab.run('segmind', {
			...generateParameters(IMAGE),
			waitForCompletion: false,
		});
		if (typeof item.request_id !== 'string') return;
		const row = waitForRow(lab, item.request_id);
		await Promise.all([lab.run('segmind', getResult, { item }), row]);
		await lab.run('segmind', { ...getResult, request: item.request_id });
	},
	checks: [
		...formChecks(`
			S83 | ${SUBMISSION} | 200 | host | headers
			S80 | ${SUBMISSION} | 2xx | request_id status:word poll_url status_url response_url
			S85 | ${SUBMISSION} | 2xx | poll_url:/v1/requests/[^/]+$ status_url:/v2/requests/[^/]+/status$ response_url:/v2/requests/[^/]+$
			S86 | ${SUBMISSION} | 2xx | request_id:id
			S105 | response_url | 200 | status:word request_id
			S106 | response_url | 200 | output
			S111 | response_url | 200 | error:none
			S107 | response_url | 200 | url content_type file_size | images.0
			S11 | public | 200 | host | headers`),
		check('S97', METRICS.join(', or '), 'status_url', (body) => {
			const metrics = valueIn(body, 'metrics');
			const isThere = METRICS.some((name) => typeof valueIn(metrics, name) === 'number');
			return [isThere, describeMembers(metrics, METRICS)];
		}),
		check('S94', STATES.join(', '), 'status_url', (_body, _call, calls) => {
			const statuses = callsTo(calls, 'status_url').map(({ json }) => valueIn(json, 'status'));
			return [statuses.every((state) => STATES.includes(String(state))), knownWords(statuses)];
		}),
		check('S96', 'metrics is {} while it runs', 'status_url', (_body, _call, calls) => {
			const [{ json }] = callsTo(calls, 'status_url');
			if (valueIn(json, 'status') === 'COMPLETED') return unseen(safeText`it was complete at once`);
			const metrics = valueIn(json, 'metrics');
			return [JSON.stringify(metrics) === '{}', describeMembers(metrics, [])];
		}),
		check('S104', 'the result again by the bare ID', 'response_url', (body, _call, calls) => {
			const count = callsTo(calls, 'response_url').length;
			return [count > 1 && valueIn(body, 'status') === 'COMPLETED', safeText`${count} responses`];
		}),
		check('S47', 'more or less the built-in price', 'status_url', (body) => {
			const factor = Number(valueIn(body, 'metrics.cost') ?? NaN) / findModel(IMAGE)!.cost!;
			if (Number.isNaN(factor)) return unseen(safeText`no cost`);
			// A larger number may be a balance, which must not be shown.
			const seen = factor > 10 ? safeText`more than ten` : safeText`${factor}`;
			return [factor > 0.5 && factor < 2, safeText`${seen} times the price`];
		}),
		check('S264', 'in the history within a minute', SUBMISSION, (body, { sentAt }, calls) => {
			const call = firstCallWithRow(calls, valueIn(body, 'request_id'));
			const seconds = ((call?.sentAt ?? 0) - sentAt) / 1_000;
			return [call !== undefined, call ? safeText`after ${seconds} s` : safeText`no row`];
		}),
		check('S266', 'exactly what was sent, without a seed', SUBMISSION, (body, call, calls) =>
			compareRowBody(call, lastRowOf(calls, valueIn(body, 'request_id'))),
		),
		check('S267', "the row's time names its zone", SUBMISSION, (body, _call, calls) => {
			const row = lastRowOf(calls, valueIn(body, 'request_id'));
			if (row === undefined) return unseen(safeText`no row`);
			const hasTime = creationTimeOf(row) !== undefined;
			return [hasTime && rowNamesZone(row), describeMembers(row, TIMES)];
		}),
	],
};

const HEADERS = 'x-cost x-remaining-credits x-request-id x-generation-time x-seed-value';
const imageByV1: Probe = {
	name: 'image by v1',
	paidModel: { slug: IMAGE, version: 'v1' },
	async run(lab) {
		const seed = { name: 'seed', type: 'number', value: '7' };
		const options = { answerInOneCall: true, additionalParameters: { values: [seed] } };
		await lab.run('segmind', { ...generateParameters(IMAGE), options });
		const [call] = callsTo(lab.wire.exchanges, BY_V1).slice(-1);
		const id = call?.headers[REQUEST_ID];
		if (id !== undefined) await waitForRow(lab, id);
	},
	checks: [
		check('S266', 'exactly what was sent, with a seed', BY_V1, (_body, call, calls) =>
			compareRowBody(call, lastRowOf(calls, call.headers[REQUEST_ID])),
		),
		check('S60 S63', 'the output: media, or JSON', BY_V1, (body, call) => {
			const type = typeBySignature(call.body) ?? (isObject(body) ? 'application/json' : undefined);
			const isLabeled = call.headers['content-type']?.startsWith(type ?? '-') === true;
			return [
				type !== undefined,
				trustedNames(type ?? 'neither', isLabeled ? 'labeled so' : 'mislabeled'),
			];
		}),
		...formChecks(`S66 | ${BY_V1} | 200 | ${HEADERS} | headers`),
	],
};

const textByV2: Probe = {
	name: 'text by v2',
	paidModel: { slug: TEXT, version: 'v2' },
	run: async (lab) => await lab.run('segmind', { ...generateParameters(TEXT), options }),
	checks: formChecks(`
		S135 | response_url | 200 | output
		S136 | response_url | 200 | choices:list usage:object | output`),
};

/** A gray square of 8 x 8 pixels. */
const PICTURE =
	'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAD0lEQVR42mNowAEYhpYEAILzYAEllbNjAAAAAElFTkSuQmCC';
const pictureByV2: Probe = {
	name: 'picture by v2',
	paidModel: { slug: SEEING, version: 'v2' },
	run: async (lab) =>
		await lab.run('segmind', {
			resource: 'image',
			operation: 'analyze',
			images: PICTURE,
			options,
			prompt: 'What color is this?',
		}),
	checks: formChecks(`
		S138 S144 | response_url | 200 | candidates:list | output`),
};

export const paidProbes = [imageByV2, imageByV1, textByV2, pictureByV2];
