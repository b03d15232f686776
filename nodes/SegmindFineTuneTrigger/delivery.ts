import type { IDataObject } from 'n8n-workflow';

import { isDeeper, isObject, parseJson } from '../shared/service/schemas';
import { KNOWN_EVENTS, canonical, furthest } from './events';

/** What came in, looked at without n8n. Payload shapes are not published (docs/service.md, Webhooks): any JSON object is taken. */

/** Longest body, bytes. n8n's own limit, 16 MB by default, is far above what an event needs. */
export const MAX_BODY_BYTES = 64 * 1024;
/** n8n walks through items with functions that call themselves: one nested thousands of levels deep would break the execution. */
const MAX_DEPTH = 50;
/** A word or id longer than this is none. */
const MAX_WORD = 200;

/** Names of members without regard to case, underscore and hyphen: `finetune_id` and `fineTuneId` are one. In the order of trust. */
const EVENT_FIELDS = ['eventtype', 'event', 'eventname', 'type', 'newstatus', 'status', 'state'];
const EVENT_LISTS = ['types', 'eventtypes', 'events', 'event'];
const JOB_FIELDS = ['finetuneid', 'requestid', 'jobid', 'id'];
const TEST_FIELDS = ['test', 'istest'];
/** Members that tell what was before. */
const FORMER = /^(old|prev|previous|former|last|from|before)/;
const ADDRESSES = ['trained_model_url', 'inference_api_url'];

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
	// A copy: whoever called empties what n8n parsed.
	return { payload: { ...body } };
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
 * Finds event and job at the top of a payload, then one level down; a word that names an event we know, or one of `chosen` (canonical),
 * goes before any other: `event_type` may name a family of events, and `status` the event. When none of these members names an event, a
 * chosen one's name anywhere in the payload serves. The id of the job may stand anywhere under one of its names.
 */
export function subjectOf(payload: Record<string, unknown>, chosen: ReadonlySet<string>): Subject {
	const levels = [payload, ...Object.values(payload).filter(isObject)];
	const words = valuesOf(levels, EVENT_FIELDS).filter(isWord);
	const lists = valuesOf(levels, EVENT_LISTS).map((list) =>
		furthest(wordsIn(list).filter(isNamed)),
	);
	const isKnown = [...words.filter(isNamed), ...lists.filter((word) => word !== undefined)];
	const ids = valuesOf([...levels, ...deeperObjects(payload)], JOB_FIELDS);
	return {
		event: isKnown[0] ?? furthest(namedAnywhere(payload, chosen)) ?? words[0],
		jobId: ids
			.map((id) => (typeof id === 'number' ? String(id) : id))
			.find(isWord)
			?.trim(),
		isTest: valuesOf(levels, TEST_FIELDS).includes(true),
	};

	function isNamed(word: string): boolean {
		const name = canonical(word);
		return chosen.has(name) || KNOWN_EVENTS.has(name);
	}
}

/** Values of fields in objects, by field; of each the one of the first object first. */
function valuesOf(levels: Array<Record<string, unknown>>, fields: readonly string[]): unknown[] {
	return fields.flatMap((field) =>
		levels.flatMap((level) =>
			Object.keys(level)
				.filter((name) => plainName(name) === field)
				.map((name) => level[name]),
		),
	);
}

function plainName(name: string): string {
	return name.toLowerCase().replace(/[_-]/g, '');
}

function wordsIn(value: unknown): string[] {
	if (!Array.isArray(value)) return [];
	return value
		.flatMap((entry: unknown) => (isObject(entry) ? Object.values(entry) : [entry]))
		.filter(isWord);
}

/** Every object below the second level, those further up first. */
function deeperObjects(payload: Record<string, unknown>): Array<Record<string, unknown>> {
	const found: Array<Record<string, unknown>> = [];
	let level = Object.values(payload).flatMap(inside);
	while (level.length > 0) {
		found.push(...level.filter(isObject));
		level = level.flatMap(inside);
	}
	return found;
}

function inside(value: unknown): unknown[] {
	return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** Chosen events (canonical) that are named by a value or a member anywhere, but for members that tell what was before. */
function namedAnywhere(value: unknown, chosen: ReadonlySet<string>): string[] {
	if (typeof value === 'string') return namedIn(value, chosen);
	if (Array.isArray(value)) return value.flatMap((entry) => namedAnywhere(entry, chosen));
	if (!isObject(value)) return [];
	return Object.entries(value).flatMap(([name, inner]) =>
		FORMER.test(plainName(name))
			? []
			: // A member called after an event says by its value whether it is so.
				[...namedAnywhere(inner, chosen), ...(inner ? namedIn(name, chosen) : [])],
	);
}

/**
 * A text names an event when it is its name, when it ends in it after a mark ("finetune.available", "job/AVAILABLE"), or when it has it as
 * a word in capitals ("Job 7 is AVAILABLE").
 */
function namedIn(text: string, chosen: ReadonlySet<string>): string[] {
	const parts = text.length <= MAX_WORD ? text.split(/[.:/|>]/) : [];
	const whole = text.length <= MAX_WORD ? text : '';
	const capitals: readonly string[] = text.match(/[A-Z][A-Z0-9_]+/g) ?? [];
	const names = [canonical(whole), canonical(parts.at(-1) ?? ''), ...capitals];
	return [...chosen].filter((event) => event !== '' && names.includes(event));
}

function isWord(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_WORD;
}

/** The two addresses that the documented events refer to, at the top or one level down. */
export function addressesIn(payload: Record<string, unknown>): IDataObject {
	const levels = [payload, ...Object.values(payload).filter(isObject)];
	const found: IDataObject = {};
	for (const name of ADDRESSES) {
		const address = levels
			.map((level) => level[name])
			.find((value) => typeof value === 'string' && value !== '');
		if (address !== undefined) found[name] = address as string;
	}
	return found;
}

/** Said by us, so never by a payload. */
const OURS = ['confirmed', 'finetune', 'test'];

/**
 * The output item: our fields, then all the payload brought (CONTRACT.md). With a `job` that Segmind's API described, what the job says
 * goes before what the delivery says of it, and addresses that only the delivery names stand under `payload_…`.
 */
export function itemJson(
	payload: Record<string, unknown>,
	own: IDataObject,
	job?: IDataObject,
): IDataObject {
	const json: IDataObject = { ...own };
	const taken = new Set([...OURS, ...(job ? ADDRESSES : [])]);
	for (const name of Object.keys(payload)) {
		if (job && name !== 'error' && !Object.hasOwn(json, name) && Object.hasOwn(job, name))
			json[name] = job[name];
	}
	const isTaken = (name: string) => Object.hasOwn(json, name) || taken.has(name);
	for (const [name, value] of Object.entries(payload)) {
		const isSaid =
			Object.hasOwn(json, name) && JSON.stringify(json[name]) === JSON.stringify(value);
		if (name === '__proto__' || isSaid) continue;
		// n8n would read a top-level `error` as a failed item (docs/n8n.md N130).
		if (name === 'error' && (value === null || value === undefined)) continue;
		let free = name;
		if (name === 'error' && !Object.hasOwn(payload, 'error_message')) free = 'error_message';
		while (free === 'error' || isTaken(free) || (free !== name && Object.hasOwn(payload, free)))
			free = `payload_${free}`;
		json[free] = value as IDataObject['value'];
	}
	return json;
}
