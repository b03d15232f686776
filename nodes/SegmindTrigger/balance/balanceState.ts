import { z } from 'zod';

/**
 * When a low balance is reported. Pure.
 *
 * n8n saves this state at activation and with a warning, but not when the balance has risen again (docs/n8n.md N220). While n8n runs that makes
 * no difference, since the state stays in memory. After a restart, the saved balance may be that of the last warning although credits were
 * added and used up since. A missed warning costs more than a repeated one, but one at every restart would be noise. So a warning is repeated
 * after a restart only when the balance is higher than the saved one: then credits were added in between.
 */
export interface BalanceState {
	/** USD, at the last poll. */
	total: number;
	/** The run of n8n that wrote this state. */
	process: string;
}

/** What n8n has stored, as this version writes it. */
export const balanceState = z.object({ total: z.number(), process: z.string() });

/** Whether the workflow starts; amounts in USD. `emitExisting` decides at the first poll, when nothing was kept. */
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
