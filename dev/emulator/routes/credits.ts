import { Router } from 'express';
import { refuse } from '../refusal';
import { methods, withKey } from '../routing';
import type { Service } from '../service';
import type { Orders } from '../types';

/** GET /v1/get-user-credits (docs/service.md S42 to S44). */
export function creditRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	router.all(
		'/v1/get-user-credits',
		methods({
			GET: withKey(service, (_request, response) => {
				if (service.orders.noCreditRecord) refuse(404, 'No credits found for the user');
				service.jobs.settle();
				const { credits, freeCredits } = service.ledger.balance;
				response.json(told({ credits, 'free-credits': freeCredits }, service.orders.creditForm));
			}),
		}),
	);
	return router;
}

function told(balance: Record<string, number>, form: Orders['creditForm']): object {
	if (form === 'missing') return {};
	if (form === 'numbers') return balance;
	const entries = Object.entries(balance);
	return Object.fromEntries(
		entries.map(([name, value]) => [name, form === 'text' ? String(value) : null]),
	);
}
