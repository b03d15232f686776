import express, { Router } from 'express';
import { z } from 'zod';
import { countsOf } from '../callKinds';
import { elsewhereSchema, submitElsewhere } from '../elsewhere';
import { faultSchema } from '../faults';
import { someOrders } from '../orders';
import type { Service } from '../service';

/** Orders over HTTP, on the api origin: nothing here is recorded or asks for a key. */
export function controlRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	const { webhooks, moments } = service;
	const order = <T>(
		name: string,
		schema: z.ZodType<T, z.ZodTypeDef, unknown>,
		act: (value: T) => void,
	): void => {
		router.post(`/__control/${name}`, express.json(), (request, response) => {
			try {
				act(schema.parse(request.body));
				response.json({ ok: true });
			} catch (error) {
				response.status(400).json({ error: (error as Error).message });
			}
		});
	};
	order('set', someOrders, service.set);
	order('fault', faultSchema, (fault) => void service.faults.add(fault));
	order(
		'elsewhere',
		elsewhereSchema,
		(request) => void moments.at(() => submitElsewhere(service, request)),
	);
	order('webhook', z.object({ url: z.string().nullable() }).strict(), ({ url }) => {
		if (url === null) webhooks.remove();
		else webhooks.register(url);
	});
	order('webhook/test', z.unknown(), webhooks.test);
	order('reset', z.unknown(), service.reset);
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
			webhook: webhooks.url,
			deliveries: webhooks.deliveries,
		});
	});
	return router;
}
