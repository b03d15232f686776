/** The form of a response that the node can't use, without any value of it: its error shows it, so that it can be reported. Pure, in linear time. */
import { REASON_MEMBERS } from './errorBody';
import type { HttpResponse } from './http';
import { isWebPage, jsonOf } from './responses';
import {
	creditBalance,
	historyRow,
	isObject,
	listedModel,
	MEDIA_MEMBERS,
	MESSAGE_MEMBERS,
	REQUEST_MEMBERS,
} from './schemas';

/** The names that are shown: those that the service uses, or is likely to. Any other name may be a part of somebody's data. */
const NAMES: ReadonlySet<string> = new Set([
	...[...REQUEST_MEMBERS, ...MESSAGE_MEMBERS, ...MEDIA_MEMBERS, ...REASON_MEMBERS],
	...[historyRow, listedModel, creditBalance].flatMap(({ shape }) => Object.keys(shape)),
	...['output', 'outputs', 'result', 'results', 'response', 'data', 'details', 'success', 'code'],
	...['url', 'uri', 'urls', 'file_urls', 'content_type', 'keyname', 'value', 'type', 'job_id'],
	...['state', 'progress', 'queue_position', 'queue_time', 'eta', 'updated_at', 'completed_at'],
	...['choices', 'candidates', 'parts', 'finish_reason', 'finishReason', 'stop_reason', 'usage'],
	...['finetune', 'finetune_id', 'endpoint_id', 'presigned_url', 's3_url', 'access_token'],
]);

/** The parts of a path that are shown. Any other one may be an ID or a slug. */
const PATH_PARTS: ReadonlySet<string> = new Set([
	...['', 'v1', 'v2', 'workflows', 'requests', 'request', 'status', 'upload-asset', 'auth', 'list'],
	...['get-user-credits', 'request-history', 'finetune', 'endpoint', 'submit', 'details', 'add'],
]);
const MAX_PATH_PARTS = 10;

const CONTENT_TYPE = /^(?:application\/json|text\/html|text\/plain|image|video|audio)\b/i;

/** A larger body isn't read again. */
const MAX_BODY_BYTES = 1_000_000;
const MAX_LEVELS = 6;
const MAX_NAMES = 100;

/** Returns the call, and what the response is: its body is the JSON's known names with their types, or what it is instead. */
export function responseShape(response: HttpResponse): object {
	const { request, status, headers, body } = response;
	const type = headers['content-type'] ?? '';
	return {
		method: request?.method,
		path: request && pathShape(request.url),
		status,
		content_type: type === '' ? 'none' : (CONTENT_TYPE.exec(type)?.[0].toLowerCase() ?? 'other'),
		bytes: body.length,
		body: bodyShape(response),
	};
}

/** Returns the path of a URL with a star in place of each part that isn't the service's. */
function pathShape(url: string): string {
	const parts = new URL(url).pathname.split('/').slice(0, MAX_PATH_PARTS);
	return parts.map((part) => (PATH_PARTS.has(part) ? part : '*')).join('/');
}

function bodyShape(response: HttpResponse): unknown {
	const { body, exceededLimitBytes } = response;
	if (exceededLimitBytes !== undefined || body.length > MAX_BODY_BYTES) return 'large';
	if (body.length === 0) return 'empty';
	const value = jsonOf(response);
	if (value !== undefined) return shapeOfJson(value);
	return isWebPage(response) ? 'web page' : 'no JSON';
}

/** Returns JSON with types in place of values: the members with known names, the number of other ones, and the first entry of each list. */
function shapeOfJson(json: unknown): unknown {
	let namesLeft = MAX_NAMES;
	const shapeOf = (value: unknown, levelsLeft: number): unknown => {
		if (value === null) return 'null';
		if (typeof value !== 'object') return typeof value;
		if (!isObject(value))
			return (value as unknown[]).slice(0, 1).map((entry) => shapeOf(entry, levelsLeft));
		if (levelsLeft === 0) return 'object';
		const names = Object.keys(value);
		const shown = names.filter((name) => NAMES.has(name)).slice(0, namesLeft);
		namesLeft -= shown.length;
		const members = shown.map((name) => [name, shapeOf(value[name], levelsLeft - 1)] as const);
		const others = names.length - shown.length;
		return Object.fromEntries(others === 0 ? members : [...members, ['other_names', others]]);
	};
	return shapeOf(json, MAX_LEVELS);
}
