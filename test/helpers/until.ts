/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Between two looks, ms. */
const INTERVAL_MS = 5;
/** Three minutes: much longer than any test waits, and less than it may take. */
const MAX_CHECKS = 36_000;

/** Resolves as soon as something is true that is seen from outside. @throws Error when it never is: a broken rule fails a test instead of hanging it */
export async function until(isSo: () => boolean): Promise<void> {
	for (let looks = 0; !isSo(); looks++) {
		if (looks === MAX_CHECKS) throw new Error(`It never came to that: ${String(isSo)}`);
		await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
	}
}
