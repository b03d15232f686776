import type { IDataObject } from 'n8n-workflow';

import { isDeeper, isObject, parseJson } from '../shared/service/schemas';
import { KNOWN_EVENTS, canonical } from './events';

/** What came in, looked at without n8n. Payload shapes are not published (service-facts 14.3): any JSON object is taken. */

/** Longest body, bytes. n8n's own limit, 16 MB by default, is far above what an event needs. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** n8n walks through items with functions that call themselves: one nested thousands of levels deep would break the execution. */
const MAX_DEPTH = 50;
/** A word or id longer than this is none. */
const MAX_WORD = 200;

const EVENT_FIELDS = ['event_type', 'event', 'type', 'status'];
const JOB_FIELDS = ['finetune_id', 'request_id', 'id'];
const TEST_FIELDS = ['test', 'is_test'];

export interface ReceivedBody {
	/** As received, decompressed. n8n leaves it out for forms with files. */
	raw?: Buffer;
	/** As n8n parsed it, which may have been a form or XML. */
	parsed: unknown;
	contentType: string;
}

export type ReadBody =
	| { payload: Record<string, unknown> }
	| { status: 400 | 413; message: string };

/** The JSON object of a delivery, or what it is answered instead. Never throws. */
export function readBody({ raw, parsed, contentType }: ReceivedBody): ReadBody {
	if (raw !== undefined && raw.length > MAX_BODY_BYTES) return TOO_LONG;
	// The raw body decides, since n8n also makes objects of forms and XML.
	const body =
		raw !== undefined
			? parseJson(raw.toString('utf8'))
			: /\bjson\b/i.test(contentType)
				? parsed
				: undefined;
	if (!isObject(body)) return { status: 400, message: 'The body must be a JSON object.' };
	if (isDeeper(body, MAX_DEPTH)) return { status: 400, message: 'The body is nested too deep.' };
	if (raw === undefined && Buffer.byteLength(JSON.stringify(body)) > MAX_BODY_BYTES)
		return TOO_LONG;
	return { payload: body };
}

const TOO_LONG: ReadBody = { status: 413, message: 'The body is too long.' };

/** What a payload is about, as far as it says so. */
export interface Subject {
	/** The word as it was sent. */
	event?: string;
	jobId?: string;
	/** True when the payload calls itself a test. */
	isTest: boolean;
}

/**
 * Finds event and job at the top of a payload, then one level down. A word that names an event we know, or one of `chosen` (canonical),
 * goes before any other: `event_type` may name a family of events, and `status` the event.
 */
export function subjectOf(payload: Record<string, unknown>, chosen: ReadonlySet<string>): Subject {
	const words = valuesOf(payload, EVENT_FIELDS).filter(isWord);
	const known = words.find((word) => {
		const name = canonical(word);
		return chosen.has(name) || KNOWN_EVENTS.has(name);
	});
	const ids = valuesOf(payload, JOB_FIELDS).map((id) => (typeof id === 'number' ? String(id) : id));
	return {
		event: known ?? words[0],
		jobId: ids.find(isWord)?.trim(),
		isTest: valuesOf(payload, TEST_FIELDS).includes(true),
	};
}

/** Values of fields, by field; of each the one at the top first. */
function valuesOf(payload: Record<string, unknown>, fields: readonly string[]): unknown[] {
	const levels = [payload, ...Object.values(payload).filter(isObject)];
	return fields.flatMap((field) => levels.map((level) => level[field]));
}

function isWord(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_WORD;
}

/** The two addresses that the specification's events refer to. */
export function addressesIn(payload: Record<string, unknown>): IDataObject {
	const found: IDataObject = {};
	for (const name of ['trained_model_url', 'inference_api_url']) {
		const address = valuesOf(payload, [name]).find(
			(value) => typeof value === 'string' && value !== '',
		);
		if (address !== undefined) found[name] = address as string;
	}
	return found;
}

/** Said by us, so never by a payload. */
const OURS = new Set(['confirmed', 'finetune', 'test']);

/** The output item: our fields, then all the payload brought (CONTRACT.md). */
export function itemJson(payload: Record<string, unknown>, own: IDataObject): IDataObject {
	const json: IDataObject = { ...own };
	const isTaken = (name: string) => Object.hasOwn(json, name) || OURS.has(name);
	for (const [name, value] of Object.entries(payload)) {
		if (name === '__proto__' || (isTaken(name) && json[name] === value)) continue;
		// n8n would read a top-level `error` as a failed item (platform fact 11).
		if (name === 'error' && (value === null || value === undefined)) continue;
		let free = name;
		if (name === 'error' && !Object.hasOwn(payload, 'error_message')) free = 'error_message';
		while (free === 'error' || isTaken(free) || (free !== name && Object.hasOwn(payload, free)))
			free = `payload_${free}`;
		json[free] = value as IDataObject['value'];
	}
	return json;
}
