import { Router } from 'express';
import { methods } from '../routing';

/** The web console: one page. Account calls sent here are not found (specification, "Errors" 1). */
export function consoleRoutes(): Router {
	const router = Router({ caseSensitive: true });
	router.all(
		'/auth/login',
		methods({
			GET: (_request, response) => {
				response.type('html').send('<!doctype html>\n<title>Sign in</title>\n<h1>Sign in</h1>\n');
			},
		}),
	);
	return router;
}
