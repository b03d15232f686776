import { shown } from '../shared/base/redact';
import { isObject } from '../shared/service/schemas';
import { KNOWN_EVENTS, canonical, furthest } from './events';

/** Which event and job a payload is about. Pure. The shape of payloads is not published (docs/service.md, Webhooks), so any JSON object will do. */

/** Longer texts are not taken for a word or an id. */
const MAX_WORD = 200;

/** Names of members, the most trusted first. Case, underscore and hyphen make no difference: `finetune_id` and `fineTuneId` are the same. */
const EVENT_FIELDS = ['eventtype', 'event', 'eventname', 'type', 'newstatus', 'status', 'state'];
const EVENT_LISTS = ['types', 'eventtypes', 'events', 'event'];
const JOB_FIELDS = ['finetuneid', 'requestid', 'jobid', 'id'];
const TEST_FIELDS = ['test', 'istest'];
/** Beginnings of members that say what was before. */
const FORMER = /^(old|prev|previous|former|last|from|before)/;

/** What a payload is about, as far as it says so. */
interface Subject {
	/** As it was sent. */
	event?: string;
	jobId?: string;
	/** True when the payload calls itself a test. */
	isTest: boolean;
}

/**
 * Looks for event and job at the top of a payload, then one level down. A word that names a known event, or one of `chosen` (canonical),
 * goes before any other: `event_type` may name a family of events, and `status` the event itself. When none of these members names an event,
 * the name of a chosen one anywhere in the payload counts. The id of the job may stand at any depth, under one of its names.
 */
export function subjectOf(payload: Record<string, unknown>, chosen: ReadonlySet<string>): Subject {
	const levels = [payload, ...Object.values(payload).filter(isObject)];
	const words = valuesOf(levels, EVENT_FIELDS).filter(isWord);
	const lists = valuesOf(levels, EVENT_LISTS).map((list) =>
		furthest(wordsIn(list).filter(isNamed)),
	);
	const named = [...words.filter(isNamed), ...lists.filter((word) => word !== undefined)];
	const ids = valuesOf([...levels, ...deeperObjects(payload)], JOB_FIELDS);
	return {
		event: named[0] ?? furthest(namedAnywhere(payload, chosen)) ?? words[0],
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

/** The values of members named like `fields`: those of the first field first, and of each field those of the first object first. */
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

/** Every object below the second level, the higher ones first. */
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

/** Chosen events (canonical) named by a value or a member at any depth, except in members that say what was before. */
function namedAnywhere(value: unknown, chosen: ReadonlySet<string>): string[] {
	if (typeof value === 'string') return namedIn(value, chosen);
	if (Array.isArray(value)) return value.flatMap((entry) => namedAnywhere(entry, chosen));
	if (!isObject(value)) return [];
	return Object.entries(value).flatMap(([name, inner]) =>
		FORMER.test(plainName(name))
			? []
			: // A member named after an event says by its value whether it happened.
				[...namedAnywhere(inner, chosen), ...(inner ? namedIn(name, chosen) : [])],
	);
}

/**
 * A text names an event in three ways: it is the name, it ends in the name after a separator ("finetune.available", "job/AVAILABLE"), or it
 * has the name as a word in capitals ("Job 7 is AVAILABLE").
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

/** An event and its job in a line of the log. */
export function eventOfJob(event: string, jobId?: string): string {
	return `the event ${shown(event)} of ${jobId === undefined ? 'an unnamed job' : `fine-tune ${shown(jobId)}`}`;
}
