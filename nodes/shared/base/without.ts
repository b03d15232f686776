/** Returns the members of an object whose names aren't among these. */
export function without<Value>(
	members: Record<string, Value>,
	names: ReadonlySet<string>,
): Record<string, Value> {
	return Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)));
}
