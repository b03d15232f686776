import { randomUUID } from 'node:crypto';

import { fetchBalance, type Balance } from '../../shared/run/balance';
import type { Found } from '../found';
import type { PollSession } from '../pollSession';
import { hasFallen, type BalanceState } from './balanceState';

/** Tells this run of n8n from the one that saved a state. */
const PROCESS = randomUUID();

/** The balance, when it has fallen below the threshold (USD) since the last poll. */
export async function findFallen(
	session: PollSession,
	threshold: number,
	kept: BalanceState | undefined,
	emitExisting: boolean,
): Promise<Found<BalanceState>> {
	const balance = await fetchBalance(session.client);
	const state = { total: balance.total, process: PROCESS };
	return {
		state,
		items: hasFallen(kept, state, threshold, emitExisting) ? [itemOf(balance, threshold)] : [],
	};
}

/** The balance as it is, as a sample. */
export async function currentBalance(session: PollSession, threshold: number) {
	return [itemOf(await fetchBalance(session.client), threshold)];
}

function itemOf(balance: Balance, threshold: number) {
	return { json: { ...balance, threshold } };
}
