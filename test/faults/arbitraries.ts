import * as fc from 'fast-check';

/** Mostly the usual value, to which it also shrinks. */
export const often = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
	fc.oneof(
		{ arbitrary: fc.constant(usual), weight: 3 },
		{ arbitrary: fc.constantFrom(...others), weight: 2 },
	);

/** Nearly always the usual value, to which it also shrinks. */
export const rarely = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
	fc.oneof(
		{ arbitrary: fc.constant(usual), weight: 9 },
		{ arbitrary: fc.constantFrom(...others), weight: 1 },
	);

/** Nothing, but something in one of this many. */
export const onceIn = <T>(many: number, some: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
	fc.oneof({ arbitrary: fc.constant(null), weight: many - 1 }, { arbitrary: some, weight: 1 });

/** One thing that goes wrong: the calls of a kind from the `after`-th on, `times` of them. */
export interface Placed<On extends string, What extends string> {
	on: On;
	after: number;
	times: number;
	what: What;
}

interface Placing<On extends string> {
	/** How often each kind of call is hit. */
	weightOf: (on: On) => number;
	/** This many calls may go well before. */
	latest: number;
	/** This many go wrong at most; one in `lastingOneIn` lasts for ever instead. */
	most: number;
	lastingOneIn: number;
}

/** Faults of a table that names those of each kind of call. */
export function placed<On extends string, What extends string>(
	table: Record<On, readonly What[]>,
	{ weightOf, latest, most, lastingOneIn }: Placing<On>,
): fc.Arbitrary<Placed<On, What>> {
	return fc.oneof(
		...(Object.keys(table) as On[]).map((on) => ({
			weight: weightOf(on),
			arbitrary: fc.record({
				on: fc.constant(on),
				after: fc.oneof(
					{ arbitrary: fc.constant(0), weight: 1 },
					{ arbitrary: fc.nat(latest), weight: 1 },
				),
				times: fc.oneof(
					{ arbitrary: fc.integer({ min: 1, max: most }), weight: lastingOneIn - 1 },
					{ arbitrary: fc.constant(1_000), weight: 1 },
				),
				what: fc.constantFrom(...table[on]),
			}),
		})),
	);
}
