import { reject } from '../rejection';
import { guardWithKey, type Routes } from '../routing';
import type { Service } from '../service';

/** GET /v1/get-user-credits (docs/service.md S42 to S44). */
export function creditRoutes(service: Service): Routes {
	return guardWithKey(service, {
		'/v1/get-user-credits': {
			kind: 'credits',
			GET(_request, response) {
				if (service.orders.noCreditRecord) reject(404, 'No credits found for the user');
				service.jobs.settle();
				const { credits, freeCredits } = service.ledger.balance;
				response.json({ credits, 'free-credits': freeCredits });
			},
		},
	});
}
