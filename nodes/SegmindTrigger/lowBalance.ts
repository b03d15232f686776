import { randomUUID } from 'node:crypto';

import type { IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { readNumber } from '../shared/parameters/values';
import { fetchBalance, type Balance } from '../shared/service/balance';
import type { Watcher } from './watcher';

/**
 * The balance at the last poll in USD, and the process of n8n that saved it. n8n saves this state at activation and with a warning, but not when the
 * balance rises (docs/n8n.md N220). So after a restart, the balance may have risen and fallen again since it was saved. In that case the warning is
 * repeated, but only if the balance is higher than the saved one.
 */
const balanceState = z.object({ total: z.number(), process: z.string() });
type BalanceState = z.infer<typeof balanceState>;

/** Distinguishes this process of n8n from the one that saved a state. */
const PROCESS_ID = randomUUID();

/** Returns the watcher for Credits Below Threshold: emits an item if the balance has fallen below the threshold since the last poll. */
export function balanceWatcher(context: IPollFunctions): Watcher<BalanceState> {
	// n8n doesn't convert an expression's text to a number.
	const threshold = readNumber(context.getNodeParameter('threshold'), 'Threshold (USD)');
	const itemOf = (balance: Balance) => ({ json: { ...balance, threshold } });
	return {
		name: 'creditsBelow',
		state: balanceState,
		async find(run, stored) {
			const balance = await fetchBalance(run.client);
			const { total } = balance;
			const state = { total, process: PROCESS_ID };
			if (!stored || total >= threshold) return { state, items: [] };
			const hasRisen = stored.process !== PROCESS_ID && total > stored.total;
			return { state, items: stored.total >= threshold || hasRisen ? [itemOf(balance)] : [] };
		},
		async sample(run) {
			const { json } = itemOf(await fetchBalance(run.client));
			// The balance may be above the threshold.
			return [{ json: { ...json, sample: true } }];
		},
	};
}
