import { Router } from 'express';
import { accountUser } from '../account';
import { methods } from '../routing';
import type { Service } from '../service';
import { sessionCookie, sessionMs } from '../sessionCookie';

/** The web console: its sign-in page and where providers send users back to. Account calls sent here are not found. */
export function consoleRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	router.all(
		'/auth/login',
		methods({
			GET: (_request, response) => {
				response.type('html').send('<!doctype html>\n<title>Sign in</title>\n<h1>Sign in</h1>\n');
			},
		}),
	);
	router.all(
		'/auth/callback',
		methods({
			GET: (request, response) => {
				const { code, state } = request.query;
				const begun = typeof state === 'string' && service.account.endSignIn(state);
				if (!begun || typeof code !== 'string' || code === '') {
					response.redirect(302, '/auth/login?error=oauth_state_missing');
					return;
				}
				// The session travels in the cookie alone, where no script reads it.
				const { tokens } = service.account;
				response.setHeader(
					'set-cookie',
					sessionCookie(tokens.issue('session', accountUser.email, sessionMs)),
				);
				response.redirect(302, '/');
			},
		}),
	);
	return router;
}
