/** A run of a random test that failed once. */
interface Found {
	/** The whole name of the test. */
	test: string;
	seed: number;
	/** The number of the run, from 0. If the generators have changed since then, it's a run like any other. */
	run: number;
}

/** The runs that the tests of this folder repeat before all others, so that none fails twice. */
export const FOUND: Found[] = [
	{
		test: 'any form, with any stored schema gives a readable error or a result',
		seed: 1_488_654_229,
		run: 34,
	},
];
