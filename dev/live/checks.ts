import { isObject, listIn, parseJson } from '../../nodes/shared/service/schemas';
import type { Lab } from './lab';
import { formOf, members, own, show, typeOf, type Shown } from './shown';
import type { Exchange } from './wire';

/** What became of a fact. Only texts that may be shown leave a check. */
export interface Sighting {
	verdict: 'confirmed' | 'contradicted' | 'not seen';
	seen: Shown;
}

/** Facts of docs/service.md, and how the calls of a probe show whether they are true. */
export interface Check {
	/** IDs with spaces between them. */
	facts: string;
	/** What we hold. */
	holds: string;
	look: (calls: readonly Exchange[]) => Sighting;
}

/** Some calls, and the facts that they check. */
export interface Probe {
	name: string;
	/** What it takes beyond the key. */
	needs?: 'upload' | 'token';
	/** It makes one paid request with this model. */
	pays?: { slug: string; version: 'v1' | 'v2' };
	/** Its checks look at the calls of all probes. */
	readsAll?: true;
	run: (lab: Lab) => Promise<unknown>;
	checks: readonly Check[];
}

export const notSeen = (seen: Shown): Sighting => ({ verdict: 'not seen', seen });

/** The JSON of a response; undefined if it isn't JSON. */
export const jsonOf = (call: Exchange | undefined): unknown => parseJson(String(call?.body ?? ''));

/** Follows member names, with dots between them, through objects, JSON in texts, and the first entry of lists (`0`); undefined where nothing is. */
export function valueIn(value: unknown, path: string): unknown {
	return path.split('.').reduce((outer, name) => {
		const inner = typeof outer === 'string' ? parseJson(outer) : outer;
		if (name === '0') return listIn(inner)?.[0];
		return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
	}, value);
}

/**
 * The calls meant by a method and a path, such as `GET /v1/x$`, oldest first, or by a member of the response to the submission, such as `status_url`.
 * Those without a response are left out, and those with a 429, which the nodes repeat.
 */
export function callsTo(calls: readonly Exchange[], what: string): Exchange[] {
	const answered = calls.filter(({ status }) => status !== undefined && status !== 429);
	const [method, path] = what.split(' ');
	if (path !== undefined)
		return answered.filter(
			({ url, ...call }) => call.method === method && RegExp(path).test(url.origin + url.pathname),
		);
	const url = valueIn(jsonOf(callsTo(calls, 'POST /v2/').at(-1)), what);
	return answered.filter((call) => call.url.href === url);
}

type Look = (
	body: unknown,
	call: Exchange,
	calls: readonly Exchange[],
) => Sighting | [boolean, Shown];

/** A check of the last call of some. A rejected key, unless it was meant, and a server error say nothing. */
export function check(facts: string, holds: string, what: string, look: Look, meant = [0]): Check {
	return {
		facts,
		holds,
		look(calls) {
			const call = callsTo(calls, what).at(-1);
			const status = call?.status ?? 0;
			if (!call) return notSeen(show`no response`);
			if (status >= 500 || (status === 401 && !meant.includes(401)))
				return notSeen(show`HTTP ${status}`);
			const looked = look(jsonOf(call), call, calls);
			if (!Array.isArray(looked)) return looked;
			const [isTrue, seen] = looked;
			return {
				verdict: isTrue ? 'confirmed' : 'contradicted',
				seen: show`HTTP ${status}: ${seen}`,
			};
		},
	};
}

/**
 * Checks of the form of responses, one a line: facts, method and path (or URL), status, members, and in which value they are. A member has a type
 * after a colon; without one it's text.
 */
export function forms(table: string): Check[] {
	return table
		.trim()
		.split('\n')
		.map((line) => {
			const [facts, what, status, written, path] = line.split('|').map((cell) => cell.trim());
			const pairs = written.split(' ').map((one) => [...one.split(':'), 'text']);
			const holds = `HTTP ${status}: ${pairs.map(([name, type]) => `${name} ${type}`).join(', ')}`;
			const look: Look = (body, call) => {
				const value = path ? valueIn(body, path) : body;
				const isEmptyList = value === undefined && listIn(body)?.length === 0;
				if (isEmptyList) return notSeen(show`an empty list`);
				const fits = ([name, type]: string[]) =>
					isObject(value) && name in value && ['any', typeOf(value[name])].includes(type);
				const names = pairs.map(([name]) => name);
				return [call.status === Number(status) && pairs.every(fits), members(value, names)];
			};
			return check(facts, holds, what, look, [Number(status)]);
		});
}

const LIFETIME = ['cache-control', 'expires', 'x-amz-expiration'];

/** Looks at the file that was fetched without the key. */
export const publicFile: Check = {
	facts: 'S11',
	holds: 'a file can be read without the key',
	look(calls) {
		const file = calls.filter(({ withKey, status }) => !withKey && status !== undefined).at(-1);
		if (!file) return notSeen(show`no file was fetched`);
		const names = LIFETIME.filter((name) => name in file.headers);
		const seconds = Number(/max-age=(\d+)/.exec(file.headers['cache-control'] ?? '')?.[1] ?? 0);
		const seen = show`HTTP ${file.status!} from ${formOf(file.url.href)}; lifetime headers: ${own(...names)}, max-age ${seconds / 86_400} days`;
		return { verdict: file.status === 200 ? 'confirmed' : 'contradicted', seen };
	},
};
