import { isObject, listIn, parseJson } from '../../nodes/shared/service/schemas';
import type { Exchange } from '../engine/wire';
import type { Lab } from '../engine/lab';
import { formOf, members, show, typeOf, type Shown } from './shown';

/** What became of a fact. Only texts that may be shown leave a check. */
export interface Sighting {
	verdict: 'confirmed' | 'contradicted' | 'not seen';
	seen: Shown;
}

/** Facts of docs/service.md (IDs with spaces between them), what we hold, and how the calls of a probe show whether it's true. */
export interface Check {
	facts: string;
	holds: string;
	look: (calls: readonly Exchange[]) => Sighting;
}

/** Some calls, and the facts that they check. */
export interface Probe {
	name: string;
	/** What it takes beyond the key. */
	needs?: 'upload' | 'token' | 'spend';
	/** It makes one paid request with this model. */
	pays?: { slug: string; version: 'v1' | 'v2' };
	/** Its checks look at the calls of all probes. */
	readsAll?: true;
	run: (lab: Lab) => Promise<unknown>;
	checks: readonly Check[];
}

export const notSeen = (seen: Shown): Sighting => ({ verdict: 'not seen', seen });

const verdict = (isTrue: boolean, seen: Shown): Sighting => {
	return { verdict: isTrue ? 'confirmed' : 'contradicted', seen };
};

/** Follows member names, with dots between them, through objects, JSON in texts, and the first entry of lists (`0`); undefined where nothing is. */
export function valueIn(value: unknown, path: string): unknown {
	return path.split('.').reduce((outer, name) => {
		const inner = typeof outer === 'string' ? parseJson(outer) : outer;
		if (name === '0') return listIn(inner)?.[0];
		return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
	}, value);
}

/**
 * The responses to a method and a path, such as `GET /v1/x$`, oldest first, or to a URL in the response to the submission, such as `status_url`.
 * A 429 is left out: the nodes wait and call again.
 */
export function callsTo(calls: readonly Exchange[], what: string): Exchange[] {
	const [method, path = ''] = what.split(' ');
	const url = path === '' && valueIn(callsTo(calls, 'POST /v2/').at(-1)?.json, what);
	const isMeant = ({ url: { origin, pathname, href }, ...call }: Exchange) =>
		path === '' ? href === url : call.method === method && RegExp(path).test(origin + pathname);
	return calls.filter(isMeant).filter(({ status }) => status !== undefined && status !== 429);
}

type Look = (
	body: unknown,
	call: Exchange,
	calls: readonly Exchange[],
) => Sighting | [boolean, Shown];

/** A check of the last response of some. A server error says nothing, nor does a rejected key that was meant to be good. */
export function check(facts: string, holds: string, what: string, look: Look, meant = 200): Check {
	const judge = (calls: readonly Exchange[]): Sighting => {
		const call = callsTo(calls, what).at(-1);
		if (call?.status === undefined) return notSeen(show`no response`);
		const { status, json } = call;
		if (status >= 500 || (status === 401 && meant !== 401)) return notSeen(show`HTTP ${status}`);
		const looked = look(json, call, calls);
		if (!Array.isArray(looked)) return looked;
		return verdict(looked[0], show`HTTP ${status}: ${looked[1]}`);
	};
	return { facts, holds, look: judge };
}

/** Types of members beyond those of JSON. */
const TYPES: Record<string, RegExp> = {
	any: /^/,
	id: /^[0-9a-f-]{32,36}$/,
	pollUrl: /\/v1\/requests\/[\w-]+$/,
	statusUrl: /\/v2\/requests\/[\w-]+\/status$/,
	resultUrl: /\/v2\/requests\/[\w-]+$/,
	word: /^(QUEUED|PROCESSING|COMPLETED|FAILED)$/,
	time: /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d{10,13}$|\w{3}, \d\d \w{3})/,
};

/**
 * Checks of the form of responses, one a line: facts, what was called, status, members, and where they are in the body. A member has a type after
 * a colon; without one it's text.
 */
export function forms(table: string): Check[] {
	const lines = table.trim().split('\n');
	return lines.map((line) => {
		const [facts, what, status, written, path = ''] = line.split('|').map((cell) => cell.trim());
		const pairs = written.split(' ').map((one) => [...one.split(':'), 'text']);
		const names = pairs.map(([name]) => name);
		const holds = `HTTP ${status}: ${pairs.map(([name, type]) => `${name} ${type}`).join(', ')}`;
		const fits = (value: unknown, type: string) =>
			TYPES[type]?.test(String(value)) ?? typeOf(value) === type;
		const look: Look = (body, call) => {
			const found = path === '' ? body : valueIn(body, path);
			if (found === undefined && listIn(body)?.length === 0) return notSeen(show`an empty list`);
			const value = typeof found === 'string' ? parseJson(found) : found;
			const isWhole =
				isObject(value) && pairs.every(([name, type]) => name in value && fits(value[name], type));
			return [isWhole && call.status === Number(status), members(value, names)];
		};
		return check(facts, holds, what, look, Number(status));
	});
}

/** A check of the headers of the last call of some that bring or limit something: `names` must be there. */
export function headers(
	facts: string,
	names: string[],
	isMeant: (call: Exchange) => boolean,
): Check {
	const look = (calls: readonly Exchange[]) => {
		const call = calls.filter(isMeant).at(-1);
		if (call === undefined) return notSeen(show`no such response`);
		const isThere = names.every((name) => name in call.headers);
		return verdict(isThere, membersOf(call, names));
	};
	return { facts, holds: `the headers ${names.join(', ')}`, look };
}

const TELLING = /^x-|^retry-after$|^cache-control$|^expires$/;
const membersOf = (call: Exchange, names: string[]) =>
	members(
		Object.fromEntries(Object.entries(call.headers).filter(([name]) => TELLING.test(name))),
		names,
	);

/** A check of the file that was fetched last, without the key. */
export const publicFile: Check = {
	facts: 'S11',
	holds: 'a file can be read without the key',
	look(calls) {
		const file = calls.filter(({ withKey, status }) => !withKey && status !== undefined).at(-1);
		if (file?.status === undefined) return notSeen(show`no file was fetched`);
		const seen = show`HTTP ${file.status}, ${formOf(file.url.href)}, ${membersOf(file, ['cache-control'])}`;
		return verdict(file.status === 200, seen);
	},
};
