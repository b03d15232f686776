import { isObject, listIn, parseJson } from '../../nodes/shared/service/schemas';
import type { Exchange } from '../engine/wire';
import type { Lab } from '../engine/lab';
import { members, show, typeOf, type Shown } from './shown';

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

/** Follows member names, with dots between them, through objects, JSON in texts, and the first entry of lists (`0`); undefined where nothing is. */
export function valueIn(value: unknown, path: string): unknown {
	return path.split('.').reduce((outer, name) => {
		const inner = typeof outer === 'string' ? parseJson(outer) : outer;
		if (name === '0') return listIn(inner)?.[0];
		return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
	}, value);
}

/**
 * The responses to a method and a path, such as `GET /v1/x$`, oldest first; to a URL in the response to the submission, such as `status_url`; or to
 * calls without the key (`public`). A 429 is left out unless it's meant: the nodes wait and call again.
 */
export function callsTo(calls: readonly Exchange[], what: string, meant = 200): Exchange[] {
	const [method, path] = what.split(' ');
	const url = path ?? valueIn(callsTo(calls, 'POST /v2/').at(-1)?.json, what);
	const isMeant = ({ url: { origin, pathname, href }, withKey, ...call }: Exchange) =>
		path !== undefined
			? call.method === method && RegExp(path).test(origin + pathname)
			: what === 'public'
				? !withKey
				: href === url;
	return calls.filter((call) => {
		const { status } = call;
		return status !== undefined && (status === 429) === (meant === 429) && isMeant(call);
	});
}

type Calls = readonly Exchange[];
type Look = (body: unknown, call: Exchange, calls: Calls) => Sighting | [boolean, Shown];

/** True for a response that says nothing of a fact: a server error, a key that isn't good for it, a request that isn't accepted or fails. */
function isSilent({ status = 0, method, withKey }: Exchange, meant: number): boolean {
	if (status >= 500 || (withKey && status === 401 && meant !== 401)) return true;
	const isRejected = withKey && status >= 400 && meant < 400;
	return isRejected && (method === 'POST' || status === 403 || status === 422);
}

/** A check of the last response of some. `meant`: the status it has if the fact is true. */
export function check(facts: string, holds: string, what: string, look: Look, meant = 200): Check {
	const judge = (calls: Calls): Sighting => {
		const call = callsTo(calls, what, meant).at(-1);
		if (call?.status === undefined) return notSeen(show`no response`);
		if (isSilent(call, meant)) return notSeen(show`HTTP ${call.status}`);
		const looked = look(call.json, call, calls);
		if (!Array.isArray(looked)) return looked;
		const [isTrue, seen] = looked;
		const verdict = isTrue ? 'confirmed' : 'contradicted';
		return { verdict, seen: show`HTTP ${call.status}: ${seen}` };
	};
	return { facts, holds, look: judge };
}

/** Types of members beyond those of JSON. */
const TYPES: Record<string, RegExp> = {
	any: /^(?!undefined$)/,
	/** It may also be missing. */
	none: /^(null|undefined)$/,
	id: /^[0-9a-f-]{32,36}$/,
	pollUrl: /\/v1\/requests\/[\w-]+$/,
	statusUrl: /\/v2\/requests\/[\w-]+\/status$/,
	resultUrl: /\/v2\/requests\/[\w-]+$/,
	word: /^(QUEUED|PROCESSING|COMPLETED|FAILED)$/,
	time: /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d{10,13}$|\w{3}, \d\d \w{3})/,
};

/** Headers that limit something, name a cost, or say how long a file lives; and the URL. */
function headersOf({ headers, url }: Exchange): object {
	const isTelling = ([name]: [string, string]) => /^x-|^retry-after$|^cache-control$/.test(name);
	return { url: url.href, ...Object.fromEntries(Object.entries(headers).filter(isTelling)) };
}

/**
 * Checks of the form of responses, one a line: facts, what was called, status (`2xx`: any of them), members, and where they are: a path in the
 * body, or `headers`. A member has a type after a colon; without one it's text.
 */
export function forms(table: string): Check[] {
	const lines = table.trim().split('\n');
	return lines.map((line) => {
		const [facts, what, status, written, path = ''] = line.split('|').map((cell) => cell.trim());
		const pairs = written.split(' ').map((one) => [...one.split(':'), 'text']);
		const names = pairs.map(([name]) => name);
		const holds = `HTTP ${status}: ${pairs.map(([name, type]) => `${name} ${type}`).join(', ')}`;
		const isMeant = RegExp(`^${status.replaceAll('x', '.')}$`);
		const fits = (value: unknown, type: string) =>
			TYPES[type]?.test(String(value)) ?? typeOf(value) === type;
		const look: Look = (body, call) => {
			const inside = path === 'headers' ? headersOf(call) : valueIn(body, path);
			const found = path === '' ? body : inside;
			if (found === undefined && listIn(body)?.length === 0) return notSeen(show`an empty list`);
			const value = typeof found === 'string' ? parseJson(found) : found;
			const isWhole = isObject(value) && pairs.every(([name, type]) => fits(value[name], type));
			return [isWhole && isMeant.test(String(call.status)), members(value, names)];
		};
		return check(facts, holds, what, look, Number(status.replaceAll('x', '0')));
	});
}
