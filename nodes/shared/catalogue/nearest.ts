/** Only this much of a slug is compared, because the work grows with the square of the length. */
const MAX_COMPARED_CHARS = 60;

/** Returns the known slugs that are most similar to `slug`, the most similar first. Case and separators don't matter. Pure. */
export function findNearestSlugs(
	slug: string,
	knownSlugs: Iterable<string>,
	maxSlugs = 3,
): string[] {
	const wanted = normalizeSlug(slug);
	if (wanted === '') return [];
	const maxDistance = Math.max(2, Math.floor(wanted.length / 3));
	return [...knownSlugs]
		.filter((other) => other !== slug)
		.map((other) => {
			const candidate = normalizeSlug(other);
			const distance = editDistance(wanted, candidate);
			return { other, distance: candidate.startsWith(wanted) ? Math.min(1, distance) : distance };
		})
		.filter(({ distance }) => distance <= maxDistance)
		.sort((one, two) => one.distance - two.distance)
		.slice(0, maxSlugs)
		.map(({ other }) => other);
}

function normalizeSlug(slug: string): string {
	return slug
		.slice(0, MAX_COMPARED_CHARS)
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '');
}

/** Counts how many letters must be added, removed or changed to turn one string into the other. */
function editDistance(one: string, other: string): number {
	let above = Array.from({ length: other.length + 1 }, (_unused, at) => at);
	for (let row = 1; row <= one.length; row++) {
		const current = [row];
		for (let at = 1; at <= other.length; at++) {
			const change = one[row - 1] === other[at - 1] ? 0 : 1;
			current[at] = Math.min(above[at] + 1, current[at - 1] + 1, above[at - 1] + change);
		}
		above = current;
	}
	return above[other.length];
}

/** Whether two words are equal or differ by one letter that is added, removed, changed or swapped with its neighbor. Takes linear time. */
export function isOneTypoAway(one: string, other: string): boolean {
	if (Math.abs(one.length - other.length) > 1) return false;
	let start = 0;
	while (start < one.length && one[start] === other[start]) start++;
	const [rest, otherRest] = [one.slice(start), other.slice(start)];
	return (
		rest.slice(1) === otherRest ||
		rest === otherRest.slice(1) ||
		rest.slice(1) === otherRest.slice(1) ||
		(rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2))
	);
}
