import type { Router } from 'express';
import { reject } from '../rejection';
import { routerOf, guardWithKey } from '../routing';
import type { Service } from '../service';

/** GET /v1/get-user-credits (docs/service.md S42 to S44). */
export function creditRoutes(service: Service): Router {
	return routerOf(
		guardWithKey(service, {
			'/v1/get-user-credits': {
				GET(_request, response) {
					if (service.orders.noCreditRecord) reject(404, 'No credits found for the user');
					service.jobs.settle();
					const { credits, freeCredits } = service.ledger.balance;
					response.json({ credits, 'free-credits': freeCredits });
				},
			},
		}),
	);
}
