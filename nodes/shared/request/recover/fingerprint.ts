import { digest, stableJson } from '../../base/hash';
import type { Fingerprint } from '../../journal/entry';
import { isObject, parseJson } from '../../service/schemas';

/** A longer text may be cut, or moved to an address, by whoever keeps it, characters: that it differs says nothing. */
const LONGEST_KEPT = 500;
const LONG = '~';

/**
 * A digest of each member of a body: enough to recognise it without keeping it. Numbers and trimmed texts count by value, since a history may
 * write them in its own way (docs/service.md S266).
 */
export function fingerprintOf(body: Record<string, unknown>): Fingerprint {
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => {
			const isLong = typeof value === 'string' && value.length > LONGEST_KEPT;
			return [name, (isLong ? LONG : '') + digest(stableJson(byValue(value))).slice(0, 16)];
		}),
	);
}

function byValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(byValue);
	if (isObject(value))
		return Object.fromEntries(
			Object.entries(value).map(([name, member]) => [name, byValue(member)]),
		);
	if (typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return value;
	const text = value.trim();
	if (/^(true|false)$/i.test(text)) return text.toLowerCase();
	return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

/**
 * What a row's body says: `same` as ours; `unclear` where it is missing or nested, or has other members (the service may add defaults, or leave
 * some out); `other` where a member that both have differs.
 */
export function compareBody(ours: Fingerprint, given: unknown): 'same' | 'unclear' | 'other' {
	const body = typeof given === 'string' ? parseJson(given) : given;
	if (!isObject(body)) return 'unclear';
	const theirs = fingerprintOf(body);
	const names = Object.keys(ours);
	const differing = names.filter((name) => name in theirs && theirs[name] !== ours[name]);
	if (differing.some((name) => !ours[name].startsWith(LONG))) return 'other';
	const isWhole = names.every((name) => name in theirs) && differing.length === 0;
	return isWhole && Object.keys(theirs).length === names.length ? 'same' : 'unclear';
}
