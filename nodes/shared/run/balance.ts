import { failureFrom } from '../errors/failures';
import { say } from '../errors/say';
import { callFailure, unusableFailure, type CallSubject } from '../service/responseErrors';
import { jsonOf } from '../service/responses';
import { READ_TIMEOUT_MS, type Client } from '../service/client';
import { isSuccess } from '../service/http';
import { joinUrl } from '../service/addresses';
import { creditBalance } from '../service/schemas';
import type { Run } from './run';

/** How long reading the balance is repeated after transient faults. */
const PATIENCE_MS = 60_000;

export interface Balance {
	credits: number;
	'free-credits': number;
	/** Sum of both, in USD; can be negative. */
	total: number;
}

/** Reads the balance, with one call per run. */
export async function readBalance(run: Run): Promise<Balance> {
	return await run.memoize('balance', async () => await fetchBalance(run.client));
}

/** Reads the current balance with GET /v1/get-user-credits, which is free. @throws SegmindFailure if it can't be read */
export async function fetchBalance(client: Client): Promise<Balance> {
	const about: CallSubject = { purpose: 'credits', subject: 'the call for the credit balance' };
	const outcome = await client.read(
		{
			method: 'GET',
			url: joinUrl(client.urls.baseUrl, '/v1/get-user-credits'),
			timeoutMs: READ_TIMEOUT_MS,
		},
		{ priority: 'result', deadline: client.clock.now() + PATIENCE_MS },
	);
	if (!isSuccess(outcome)) throw callFailure(client, outcome, about);
	const balance = creditBalance.safeParse(jsonOf(outcome));
	if (!balance.success) throw unusableFailure(client, outcome, about);
	const total = balance.data.credits + balance.data['free-credits'];
	// Otherwise a sum may show as 0.30000000000000004.
	return { ...balance.data, total: Number(total.toFixed(10)) };
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
