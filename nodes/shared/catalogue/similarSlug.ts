import { isSameModel } from './slug';

/**
 * Returns the slug that was probably meant by one that doesn't exist: the same in other letters and separators or, if there's none, with one letter
 * missing, added, replaced or swapped with the next; undefined if there's neither. Pure.
 */
export function similarSlug(slug: string, slugs: readonly string[]): string | undefined {
	if (slugs.includes(slug)) return undefined;
	const typed = slug.toLowerCase();
	return (
		slugs.find((other) => isSameModel(slug, other)) ??
		slugs.find((other) => isOneEditAway(typed, other.toLowerCase()))
	);
}

/** Whether one edit turns one text into the other. Compares only what remains without their common beginning and end, which takes linear time. */
function isOneEditAway(one: string, other: string): boolean {
	const shorter = Math.min(one.length, other.length);
	let start = 0;
	while (start < shorter && one[start] === other[start]) start++;
	let end = 0;
	while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
	const first = one.slice(start, one.length - end);
	const second = other.slice(start, other.length - end);
	if (first.length <= 1 && second.length <= 1) return true;
	return first.length === 2 && second === `${first[1]}${first[0]}`;
}
