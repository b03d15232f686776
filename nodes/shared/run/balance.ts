import { failureFrom } from '../errors/failures';
import { say } from '../errors/say';
import { fetchBalance, type Balance } from '../service/balance';
import type { Run } from './run';

/** Reads the balance, with one call per run. */
export async function readBalance(run: Run): Promise<Balance> {
	return await run.memoize('balance', async () => await fetchBalance(run.client));
}

/**
 * Prevents a submission if the balance is below `minimum` (USD). Does nothing if that is undefined.
 * @throws SegmindFailure if the balance is too low, or can't be read
 */
export async function assertBalance(run: Run, minimum: number | undefined): Promise<void> {
	if (minimum === undefined) return;
	const { total } = await readBalance(run);
	if (total >= minimum) return;
	throw failureFrom('notSent', {
		what: say`This item was not sent: the balance of ${total} USD is below the Min Balance of ${minimum} USD`,
		charge: 'none',
		next: say`Add credits in the Segmind console, https://platform.segmind.com, or lower Min Balance.`,
	});
}
