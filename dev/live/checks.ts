import { isObject, listIn, parseJson } from '../../nodes/shared/service/schemas';
import type { LiveNodeRunner } from '../engine/liveNodeRunner';
import { callsTo, valueIn, type Exchange } from '../engine/wire';
import { describeMembers, safeText, typeOf, type SafeText } from './safeText';

/** What a check found out about a fact. It contains only text that may be shown. */
export interface Sighting {
	verdict: 'confirmed' | 'contradicted' | 'not seen';
	seen: SafeText;
}

/** Checks facts of docs/service.md. */
export interface Check {
	/** The IDs of the facts, with spaces between them. */
	facts: string;
	/** What we believe. */
	holds: string;
	/** Reads in the calls whether it's true. */
	look: (calls: readonly Exchange[]) => Sighting;
}

/** Some calls, and the checks of facts that use them. */
export interface Probe {
	name: string;
	/** What the probe needs besides the key. */
	needs?: 'upload' | 'token';
	/** The model of the one paid request that the probe makes. */
	paidModel?: { slug: string; version: 'v1' | 'v2' };
	/** Set if the checks read the calls of all probes. */
	readsAllCalls?: true;
	run: (lab: LiveNodeRunner) => Promise<unknown>;
	checks: readonly Check[];
}

export const unseen = (seen: SafeText): Sighting => ({ verdict: 'not seen', seen });

type Calls = readonly Exchange[];
type Look = (body: unknown, call: Exchange, calls: Calls) => Sighting | [boolean, SafeText];

/** Whether a response says nothing about a fact: after a server error, if the key has no access, or if the request isn't accepted or fails. */
function isInconclusive({ status = 0, method, hasKey }: Exchange, expectedStatus: number): boolean {
	if (status >= 500 || (status === 403 && expectedStatus >= 400)) return true;
	if (status < 400 || !hasKey || status === expectedStatus) return false;
	return (
		status === 401 ||
		(expectedStatus < 400 && (method === 'POST' || status === 403 || status === 422))
	);
}

/** Creates a check that reads the last response to `what` (see `callsTo`). `expectedStatus`: the status of that response if the fact is true. */
export function check(
	facts: string,
	holds: string,
	what: string,
	look: Look,
	expectedStatus = 200,
): Check {
	const judge = (calls: Calls): Sighting => {
		const call = callsTo(calls, what, expectedStatus).at(-1);
		if (call?.status === undefined) return unseen(safeText`no response`);
		if (isInconclusive(call, expectedStatus)) return unseen(safeText`HTTP ${call.status}`);
		const result = look(call.json, call, calls);
		if (!Array.isArray(result)) return result;
		const [isTrue, seen] = result;
		const verdict = isTrue ? 'confirmed' : 'contradicted';
		return { verdict, seen: safeText`HTTP ${call.status}: ${seen}` };
	};
	return { facts, holds, look: judge };
}

/** Types of members in addition to JSON's own. A member of type `none` may be missing. */
const TYPES: Record<string, RegExp> = {
	any: /^(?!undefined$)/,
	none: /^(null|undefined)$/,
	id: /^[0-9a-f-]{32,36}$/,
	word: /^(QUEUED|PROCESSING|COMPLETED|FAILED)$/,
};

/** Returns the headers about limits, costs and the lifetime of a file, and the URL as `host`. */
function headersOf({ headers, url }: Exchange): object {
	const isRelevant = ([name]: [string, string]) => /^x-|^retry-after$|^cache-control$/.test(name);
	return { host: url.href, ...Object.fromEntries(Object.entries(headers).filter(isRelevant)) };
}

/**
 * Creates checks of the form of responses. Each line has the facts, the call, the status (`2xx` stands for any success), the members, and where
 * they are: a path in the body, or `headers`. A member can be followed by a colon and its type, or a pattern that begins with a slash; the default
 * type is text.
 */
export function formChecks(table: string): Check[] {
	const lines = table.trim().split('\n');
	return lines.map((line) => {
		const [facts, what, status, members, path = ''] = line.split('|').map((cell) => cell.trim());
		const pairs = members.split(' ').map((one) => [...one.split(':'), 'text']);
		const names = pairs.map(([name]) => name);
		const holds = `HTTP ${status}${members === 'host' ? '' : `: ${members.replaceAll(':', ' ')}`}`;
		const isExpectedStatus = RegExp(`^${status.replaceAll('x', '.')}$`);
		const hasForm = (value: unknown, type: string) => {
			const pattern = type.startsWith('/') ? RegExp(type) : TYPES[type];
			return pattern?.test(String(value)) ?? typeOf(value) === type;
		};
		const look: Look = (body, call) => {
			const inside = path === 'headers' ? headersOf(call) : valueIn(body, path);
			const found = path === '' ? body : inside;
			if (found === undefined && listIn(body)?.length === 0) return unseen(safeText`an empty list`);
			const value = typeof found === 'string' ? parseJson(found) : found;
			const hasAll = isObject(value) && pairs.every(([name, type]) => hasForm(value[name], type));
			return [hasAll && isExpectedStatus.test(String(call.status)), describeMembers(value, names)];
		};
		return check(facts, holds, what, look, Number(status.replaceAll('x', '0')));
	});
}
