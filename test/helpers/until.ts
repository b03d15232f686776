/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Time between two checks. */
const INTERVAL_MS = 5;
/** Three minutes: much longer than any test waits, and less than jest allows it. */
const MAX_CHECKS = 36_000;

/** Resolves as soon as a condition is true. @throws Error after three minutes, so that a test fails instead of hanging */
export async function until(condition: () => boolean): Promise<void> {
	for (let checks = 0; !condition(); checks++) {
		if (checks === MAX_CHECKS)
			throw new Error(`The condition never became true: ${String(condition)}`);
		await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
	}
}

/** Returns a `whileRunning` that stops the execution as soon as a condition is true. */
export const stopWhen =
	(condition: () => boolean) =>
	async (stop: () => void): Promise<void> => {
		await until(condition);
		stop();
	};
