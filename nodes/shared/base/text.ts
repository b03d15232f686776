/** True for what an empty field gives. */
export function isBlank(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** A number, also one written as text; undefined for anything else. */
export function numberIn(value: unknown): number | undefined {
	const number = typeof value === 'string' && !isBlank(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** With a capital letter at its beginning. */
export function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** An amount of USD in as many digits as it takes. */
export function usd(amount: number): string {
	return String(Number(amount.toFixed(6)));
}
