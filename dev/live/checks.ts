import { isObject, listIn, parseJson } from '../../nodes/shared/service/schemas';
import type { Lab } from '../engine/lab';
import { callsTo, valueIn, type Exchange } from '../engine/wire';
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

type Calls = readonly Exchange[];
type Look = (body: unknown, call: Exchange, calls: Calls) => Sighting | [boolean, Shown];

/** True for a response that says nothing of a fact: a server error, a key that isn't good for it, a request that isn't accepted or fails. */
function isSilent({ status = 0, method, withKey }: Exchange, meant: number): boolean {
	if (status >= 500 || (status === 403 && meant >= 400)) return true;
	if (status < 400 || !withKey || status === meant) return false;
	return status === 401 || (meant < 400 && (method === 'POST' || status === 403 || status === 422));
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

/** Types of members beyond those of JSON; `none` may also be missing. */
const TYPES: Record<string, RegExp> = {
	any: /^(?!undefined$)/,
	none: /^(null|undefined)$/,
	id: /^[0-9a-f-]{32,36}$/,
	word: /^(QUEUED|PROCESSING|COMPLETED|FAILED)$/,
};

/** Headers that limit something, name a cost, or say how long a file lives; and the host. */
function headersOf({ headers, url }: Exchange): object {
	const isTelling = ([name]: [string, string]) => /^x-|^retry-after$|^cache-control$/.test(name);
	return { host: url.href, ...Object.fromEntries(Object.entries(headers).filter(isTelling)) };
}

/**
 * Checks of the form of responses, one a line: facts, what was called, status (`2xx`: any of them), members, and where they are: a path in the
 * body, or `headers`. A member has a type after a colon, or a pattern that begins with a slash; without one it's text.
 */
export function forms(table: string): Check[] {
	const lines = table.trim().split('\n');
	return lines.map((line) => {
		const [facts, what, status, written, path = ''] = line.split('|').map((cell) => cell.trim());
		const pairs = written.split(' ').map((one) => [...one.split(':'), 'text']);
		const names = pairs.map(([name]) => name);
		const holds = `HTTP ${status}${written === 'host' ? '' : `: ${written.replaceAll(':', ' ')}`}`;
		const isMeant = RegExp(`^${status.replaceAll('x', '.')}$`);
		const fits = (value: unknown, type: string) => {
			const pattern = type.startsWith('/') ? RegExp(type) : TYPES[type];
			return pattern?.test(String(value)) ?? typeOf(value) === type;
		};
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
