import { z } from 'zod';

/**
 * When a balance that fell is news. Pure.
 *
 * n8n saves this state at activation and with an alert, not when the balance has risen again (docs/n8n.md N220). While n8n runs that does not
 * matter, since it keeps the state in memory. After a restart the saved balance may be that of the last alert although credits were added and
 * used up again. A missed warning costs more than a repeated one, but one at every restart while the balance is low would be noise: so an alert
 * is repeated after a restart only when the balance is higher than the saved one, which shows that credits were added in between.
 */
export interface BalanceState {
	/** USD, at the last poll that is remembered. */
	total: number;
	/** Which run of n8n noted it down. */
	process: string;
}

/** What n8n has stored, as this version writes it. */
export const balanceState = z.object({ total: z.number(), process: z.string() });

export function hasFallen(
	kept: BalanceState | undefined,
	now: BalanceState,
	threshold: number,
	emitExisting: boolean,
): boolean {
	if (now.total >= threshold) return false;
	if (kept === undefined) return emitExisting;
	if (kept.total >= threshold) return true;
	return kept.process !== now.process && now.total > kept.total;
}
