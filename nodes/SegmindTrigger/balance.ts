import { randomUUID } from 'node:crypto';

import type { IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { numberIn } from '../shared/base/text';
import { wrongInput } from '../shared/errors/failures';
import { fetchBalance, type Balance } from '../shared/run/balance';
import { emitsExisting } from './parameters';
import type { Watcher } from './watcher';

/**
 * n8n saves this state at activation and with a warning, but not when the balance rises (docs/n8n.md N220). So after a restart, the balance may have
 * risen and fallen again since it was saved. In that case the warning is repeated, but only if the balance is higher than the saved one.
 */
export interface BalanceState {
	/** Balance at the last poll in USD. */
	total: number;
	/** The process of n8n that wrote this state. */
	process: string;
}

/** The schema of the stored state. */
const balanceState = z.object({ total: z.number(), process: z.string() });

/** Whether the workflow starts; amounts in USD. At the first poll `emitExisting` decides. */
export function hasFallen(
	storedState: BalanceState | undefined,
	now: BalanceState,
	threshold: number,
	emitExisting: boolean,
): boolean {
	if (now.total >= threshold) return false;
	if (storedState === undefined) return emitExisting;
	if (storedState.total >= threshold) return true;
	return storedState.process !== now.process && now.total > storedState.total;
}

/** Distinguishes this process of n8n from the one that saved a state. */
const PROCESS_ID = randomUUID();

/** Returns the watcher for Credits Below Threshold: emits an item if the balance has fallen below the threshold since the last poll. */
export function balanceWatcher(context: IPollFunctions): Watcher<BalanceState> {
	const threshold = readThreshold(context);
	const emitExisting = emitsExisting(context);
	return {
		name: 'creditsBelow',
		state: balanceState,
		async find(session, storedState) {
			const balance = await fetchBalance(session.client);
			const state = { total: balance.total, process: PROCESS_ID };
			const mustWarn = hasFallen(storedState, state, threshold, emitExisting);
			return { state, items: mustWarn ? [itemOf(balance, threshold)] : [] };
		},
		async sample(session) {
			return [itemOf(await fetchBalance(session.client), threshold)];
		},
	};
}

/** Reads the threshold in USD. n8n doesn't convert an expression's text to a number (docs/n8n.md N180). @throws SegmindFailure if it isn't a number */
function readThreshold(context: IPollFunctions): number {
	const given: unknown = context.getNodeParameter('threshold');
	const threshold = numberIn(given);
	if (threshold !== undefined) return threshold;
	throw wrongInput('Threshold', given, 'a number, an amount in USD');
}

function itemOf(balance: Balance, threshold: number) {
	return { json: { ...balance, threshold } };
}
