import { READ_TIMEOUT_MS, type Client } from './client';
import { joinUrl } from './addresses';
import { isSuccess } from './http';
import { callFailure, unusableFailure, type CallSubject } from './responseErrors';
import { jsonOf } from './responses';
import { creditBalance } from './schemas';

/** How long reading the balance is repeated after transient faults. */
const PATIENCE_MS = 60_000;

export interface Balance {
	credits: number;
	'free-credits': number;
	/** Sum of both, in USD; can be negative. */
	total: number;
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
