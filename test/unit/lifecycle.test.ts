/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';

import { ROOT } from '../../dev/base/project';

import {
	TRANSITIONS,
	after,
	afterSearch,
	decide,
	mayResubmit,
	type Decision,
	type Entry,
	type Event,
	type Policy,
	type State,
} from '../../nodes/shared/journal/lifecycle';

const OURS = { id: 'credential1', name: 'Ours' };
const request = {
	request_id: 'request-1',
	response_url: 'https://api.segmind.com/v2/requests/request-1',
};
const output = { json: { url: 'a' }, presentation: 'p' };
const policy: Policy = {
	isHarmlessTwice: false,
	searchable: true,
	resubmitWhenUnknown: false,
	maker: OURS,
};

const EVENTS: Record<Event['type'], Event> = {
	sending: { type: 'sending', at: 1, sendingId: 's', fingerprint: { prompt: 'f' }, by: OURS },
	refused: { type: 'refused' },
	lost: { type: 'lost', at: 2, cause: 'connection' },
	accepted: { type: 'accepted', at: 3, request },
	failed: { type: 'failed' },
	expired: { type: 'expired' },
	finished: { type: 'finished', output },
	discarded: { type: 'discarded' },
};
const STATES: State[] = ['new', 'sending', 'accepted', 'finished', 'failed', 'unknown'];

/** An entry in a state, made by events alone. */
function entryIn(state: State): Entry {
	const path: Record<State, Array<Event['type']>> = {
		new: [],
		sending: ['sending'],
		accepted: ['sending', 'accepted'],
		finished: ['sending', 'accepted', 'finished'],
		failed: ['sending', 'accepted', 'failed'],
		unknown: ['sending', 'lost'],
	};
	return path[state].reduce<Entry>((entry, type) => after(entry, EVENTS[type]), { state: 'new' });
}

describe('each event in each state', () => {
	const cases = STATES.flatMap((state) =>
		(Object.keys(EVENTS) as Array<Event['type']>).map((type) => [state, type] as const),
	);
	it.each(cases)('%s, %s', (state, type) => {
		const next = TRANSITIONS[type][state];
		const take = () => after(entryIn(state), EVENTS[type]).state;
		if (next === undefined) expect(take).toThrow(`${type} cannot follow ${state}`);
		else expect(take()).toBe(next);
	});
});

describe('what to do', () => {
	it.each<[State, Partial<Policy>, Decision['do']]>([
		['new', {}, 'send'],
		['accepted', {}, 'resume'],
		['finished', {}, 'replay'],
		['failed', {}, 'resume'],
		['sending', {}, 'search'],
		['unknown', {}, 'search'],
		['unknown', { resubmitWhenUnknown: true }, 'search'],
		['unknown', { searchable: false }, 'refuse'],
		['unknown', { searchable: false, resubmitWhenUnknown: true }, 'send'],
		['unknown', { searchable: false, isHarmlessTwice: true }, 'send'],
		['sending', { isHarmlessTwice: true }, 'send'],
		['unknown', { maker: { id: 'other', name: 'Other' } }, 'refuse'],
		['accepted', { maker: { id: 'other', name: 'Other' } }, 'resume'],
		['finished', { maker: { id: 'other', name: 'Other' } }, 'replay'],
	])('%s with %j: %s', (state, more, expected) => {
		expect(decide(entryIn(state), { ...policy, ...more }).do).toBe(expected);
	});

	it('a charged output that is nowhere is not made again', () => {
		const lost: Entry = { state: 'finished', request: { request_id: '' } };
		for (const resubmitWhenUnknown of [true, false])
			expect(decide(lost, { ...policy, resubmitWhenUnknown })).toEqual({
				do: 'refuse',
				why: 'outputLost',
			});
	});

	it.each([
		['connection', 'none', false, 'refuse'],
		['connection', 'none', true, 'send'],
		['connection', 'outOfReach', true, 'send'],
		['connection', 'ambiguous', true, 'refuse'],
		['gateway', 'none', false, 'send'],
		['gateway', 'outOfReach', false, 'send'],
		['gateway', 'ambiguous', true, 'refuse'],
	] as const)(
		'after a lost %s and a search that says %s, resubmit %s: %s',
		(cause, kind, resubmitWhenUnknown, expected) => {
			const entry = after(entryIn('sending'), { type: 'lost', at: 2, cause });
			const found = kind === 'ambiguous' ? { kind, candidates: ['x'] } : { kind };
			expect(afterSearch(entry, found, { ...policy, resubmitWhenUnknown })).toBe(expected);
		},
	);

	it('only what failed, or has expired and is allowed, is submitted again', () => {
		const expired = after(entryIn('accepted'), EVENTS.expired);
		const resubmitting = { ...policy, resubmitWhenUnknown: true };
		expect(mayResubmit(entryIn('failed'), policy)).toBe(true);
		expect(mayResubmit(expired, policy)).toBe(false);
		expect(mayResubmit(expired, resubmitting)).toBe(true);
		expect(mayResubmit(entryIn('accepted'), resubmitting)).toBe(false);
		expect(mayResubmit(after(entryIn('finished'), EVENTS.expired), resubmitting)).toBe(false);
		expect(mayResubmit(expired, { ...resubmitting, maker: { id: 'other', name: '' } })).toBe(false);
	});
});

it('after any events, nothing that may have been accepted is sent without a search, and no accepted request is forgotten', () => {
	const events = fc.array(fc.constantFrom(...Object.values(EVENTS)), { maxLength: 12 });
	fc.assert(
		fc.property(events, (list) => {
			let entry: Entry = { state: 'new' };
			for (const event of list) {
				if (TRANSITIONS[event.type][entry.state] === undefined) continue;
				const before = entry;
				entry = after(entry, event);
				// Plain JSON: n8n stores it.
				expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
				const isGivenUp =
					event.type === 'discarded' || (event.type === 'sending' && before.state === 'failed');
				if (before.request && !isGivenUp) expect(entry.request).toEqual(before.request);
				const { do: what } = decide(entry, policy);
				if (entry.state === 'sending' || entry.state === 'unknown') expect(what).toBe('search');
				if (what === 'send') expect(['new', 'failed']).toContain(entry.state);
			}
		}),
		{ numRuns: 500 },
	);
});

it('is the table of docs/architecture.md', () => {
	const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
	const rows = page
		.split('\n')
		.filter((line) => line.startsWith('| '))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
	const head = rows.findIndex(([first]) => first === 'event \\ state');
	const [, ...states] = rows[head] as [string, ...State[]];
	const events = Object.keys(TRANSITIONS) as Array<Event['type']>;
	const written = rows
		.slice(head + 1)
		.filter(
			([name, ...cells]) =>
				cells.length === states.length && events.includes(name as Event['type']),
		)
		.map(([name, ...cells]) => [
			name,
			Object.fromEntries(
				states.flatMap((state, at) => (cells[at] === '–' ? [] : [[state, cells[at]]])),
			),
		]);
	expect(Object.fromEntries(written)).toEqual(TRANSITIONS);
});
