/** Only the first characters of a longer text are compared, because the work grows with the square of the length. */
const LONGEST = 60;

/** The known slugs that are most similar to the given one, the best first. Case and separators don't count. Pure. */
export function findNearestSlugs(slug: string, known: Iterable<string>, most = 3): string[] {
	const wanted = bare(slug);
	if (wanted === '') return [];
	const farthest = Math.max(2, Math.floor(wanted.length / 3));
	return [...known]
		.filter((other) => other !== slug)
		.map((other) => {
			const candidate = bare(other);
			const far = edits(wanted, candidate);
			return { other, far: candidate.startsWith(wanted) ? Math.min(1, far) : far };
		})
		.filter(({ far }) => far <= farthest)
		.sort((one, two) => one.far - two.far)
		.slice(0, most)
		.map(({ other }) => other);
}

function bare(slug: string): string {
	return slug
		.slice(0, LONGEST)
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '');
}

/** The smallest number of letters to add, remove or change. */
function edits(one: string, other: string): number {
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

/** Whether words differ only by one letter that is added, removed, changed or swapped with its neighbor. Linear. */
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
