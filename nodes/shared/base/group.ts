/** Returns the values of each key, in their order. Takes linear time. */
export function groupByKey<T>(pairs: ReadonlyArray<readonly [key: string, value: T]>) {
	const valuesOf = new Map<string, T[]>();
	for (const [key, value] of pairs) {
		const values = valuesOf.get(key);
		if (values) values.push(value);
		else valuesOf.set(key, [value]);
	}
	return valuesOf;
}
