import { Router } from 'express';
import { refuse } from '../refusal';
import { methods, withKey } from '../routing';
import type { Service } from '../service';

/** GET /v1/get-user-credits (service-facts 8). */
export function creditRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	router.all(
		'/v1/get-user-credits',
		methods({
			GET: withKey(service, (_request, response) => {
				if (service.orders.noCreditRecord) refuse(404, 'No credits found for the user');
				service.jobs.settle();
				const { credits, freeCredits } = service.ledger.balance;
				response.json({ credits, 'free-credits': freeCredits });
			}),
		}),
	);
	return router;
}
