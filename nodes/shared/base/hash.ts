import { createHash } from 'node:crypto';

/** Returns JSON with sorted keys, so that equal values become equal strings. Circular values have no JSON, so all of them become the same string. */
export function stableJson(value: unknown): string {
	try {
		return sortedJson(value);
	} catch {
		return 'circular';
	}
}

function sortedJson(value: unknown): string {
	return (
		JSON.stringify(value, (_key, member: unknown) => {
			if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
			const members = member as Record<string, unknown>;
			return Object.fromEntries(
				Object.keys(members)
					.sort()
					.map((key) => [key, members[key]]),
			);
		}) ?? 'undefined'
	);
}

/** Returns the first 32 hex digits of the SHA-256 of a string or of bytes. */
export function digest(content: string | Buffer): string {
	return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
