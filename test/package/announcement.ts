import type { Contract } from './extract';

/**
 * Returns the differences between two contracts that a changelog doesn't announce. It must contain the name of each new, changed or removed
 * entry in backticks. If the entry was changed or removed, which can break a saved workflow, the name must be under "Changed" or "Removed".
 * An entry's name is its last word, or the last part of that word for a member (`speed` for `options.speed`).
 */
export function unannounced(before: Contract, now: Contract, changelog: string): string[] {
	const breaking = changelog
		.split(/^### /m)
		.filter((section) => /^(Changed|Removed)\b/.test(section))
		.join('\n');
	const added = Object.keys(now).filter((entry) => !(entry in before));
	const removed = Object.keys(before).filter((entry) => !(entry in now));
	const changed = Object.keys(before).filter(
		(entry) => entry in now && now[entry] !== before[entry],
	);
	return [
		...added.filter((entry) => !mentions(changelog, entry)).map((entry) => `new: ${entry}`),
		...removed.filter((entry) => !mentions(breaking, entry)).map((entry) => `removed: ${entry}`),
		...changed
			.filter((entry) => !mentions(breaking, entry))
			.map((entry) => `changed: ${entry}: ${before[entry]}, now ${now[entry]}`),
	];
}

function mentions(text: string, entry: string): boolean {
	const name = entry.split(' ').at(-1)?.split('.').at(-1);
	return text.includes(`\`${name}\``);
}
