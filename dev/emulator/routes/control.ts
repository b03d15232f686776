import express, { Router } from 'express';
import { countsOf } from '../callCounts';
import { someOrders } from '../orders';
import type { Service } from '../service';

/** Makes the routes that set orders, reset the emulator and read its state over HTTP, on the api origin. These calls need no key and aren't recorded. */
export function controlRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	const { webhooks, moments } = service;
	const addRoute = (name: string, act: (body: unknown) => void): void => {
		router.post(`/__control/${name}`, express.json(), (request, response) => {
			try {
				act(request.body);
				response.json({ ok: true });
			} catch (error) {
				response.status(400).json({ error: (error as Error).message });
			}
		});
	};
	addRoute('set', (orders) => service.set(someOrders.parse(orders)));
	addRoute('reset', service.reset);
	router.get('/__control/state', (_request, response) => {
		const jobs = moments.at(() => service.jobs.views());
		response.json({
			urls: service.urls,
			orders: service.orders,
			calls: service.calls,
			counts: countsOf(service.calls),
			jobs,
			balance: service.ledger.balance,
			charged: service.ledger.charged,
			leaks: service.leaks,
			deliveries: webhooks.deliveries,
		});
	});
	return router;
}
