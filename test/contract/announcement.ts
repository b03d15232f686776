import type { Contract } from './extract';

/**
 * Differences between two contracts that a changelog does not tell. An entry's name is its last word, for a member (`options.speed`) its
 * last part; it must be in backticks, and for what can break a saved workflow under "Changed" or "Removed".
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
		...added.filter((entry) => !names(changelog, entry)).map((entry) => `new: ${entry}`),
		...removed.filter((entry) => !names(breaking, entry)).map((entry) => `removed: ${entry}`),
		...changed
			.filter((entry) => !names(breaking, entry))
			.map((entry) => `changed: ${entry}: ${before[entry]}, now ${now[entry]}`),
	];
}

function names(text: string, entry: string): boolean {
	const name = entry.split(' ').at(-1)?.split('.').at(-1);
	return text.includes(`\`${name}\``);
}
