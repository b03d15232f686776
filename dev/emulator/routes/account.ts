import { Router, type Request } from 'express';
import { accountUser } from '../account';
import { placed } from '../answers';
import { receivedWith } from '../origin';
import { isRecord } from '../prompt';
import { Refusal } from '../refusal';
import { methods, parameter, type Handler } from '../routing';
import type { Service } from '../service';
import { sessionIn } from '../sessionCookie';
import type { Claims } from '../tokens';
import type { ApiKeyRecord, Orders } from '../types';

/** Under this path of the account origin lies {account_url}. */
export const accountRoot = '/api';

const descriptions = {
	invalid_request: 400,
	invalid_token: 401,
	invalid_api_key: 401,
	insufficient_scope: 403,
	not_found: 404,
	rate_limit_exceeded: 429,
} as const;

/** The account's error body (docs/service.md S203). */
function refuseAs(error: keyof typeof descriptions, description: string): never {
	const status = descriptions[error];
	throw new Refusal(status, { error, error_description: description, status_code: status });
}

const scopes: Record<string, { page: string; scope: string }> = {
	google: { page: 'https://accounts.google.com/o/oauth2/v2/auth', scope: 'email profile' },
	azure: {
		page: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
		scope: 'user.read profile email',
	},
	discord: { page: 'https://discord.com/api/oauth2/authorize', scope: 'identify email guilds' },
};

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Account and authentication calls (docs/service.md S380 to S391). */
export function accountRoutes(service: Service): Router {
	const { account } = service;
	const router = Router({ caseSensitive: true });
	const perMinute = windowOf(minuteMs);
	const perHour = windowOf(hourMs);
	const usedTokens = new Set<string>();
	service.onReset(() => {
		perMinute.reset();
		perHour.reset();
		usedTokens.clear();
	});

	const route = (path: string, method: string, handler: Handler): void => {
		router.all(accountRoot + path, methods({ [method]: limited(handler) }));
	};
	const limited = (handler: Handler): Handler => {
		return async (request, response) => {
			if (!perMinute.take(service.now(), service.orders.authPerMinute)) {
				refuseAs('rate_limit_exceeded', 'Too many authentication requests.');
			}
			await handler(request, response);
		};
	};
	/** Each sign-in attempt has its own verification token. */
	const spend = (token: unknown): boolean => {
		if (typeof token !== 'string' || token === '' || usedTokens.has(token)) return false;
		usedTokens.add(token);
		return true;
	};

	route('/login/:provider', 'GET', (request, response) => {
		const provider = scopes[parameter(request, 'provider')];
		if (!provider) refuseAs('not_found', 'Unknown sign-in provider.');
		const query = new URLSearchParams({
			response_type: 'code',
			scope: provider.scope,
			redirect_uri: `${service.urls.console}/auth/callback`,
			state: account.beginSignIn(),
		});
		response.redirect(302, `${provider.page}?${query.toString()}`);
	});

	route('/auth/login/email/request', 'POST', (request, response) => {
		const { email, token } = bodyOf(request);
		const sound = typeof email === 'string' && /^[^@\s]+@[^@\s]+$/.test(email);
		if (!sound || !spend(token)) throw new Refusal(400, { error: 'Failed to send login email' });
		response.json({ message: 'Check your email for the login link' });
	});

	route('/auth/profile', 'GET', (request, response) => {
		requireAccess(service, request);
		response.json({
			access_token: newAccessToken(service),
			refresh_token: account.refreshToken(),
			...accountUser,
		});
	});

	route('/auth/refresh-token', 'POST', (request, response) => {
		const claims = account.tokens.read(bearer(request), 'refresh');
		if (!claims) refuseAs('invalid_token', 'The refresh token is invalid or has expired.');
		if (!perHour.take(service.now(), service.orders.refreshesPerHour)) {
			refuseAs('rate_limit_exceeded', 'Too many token refreshes.');
		}
		const rotated = service.orders.rotateRefreshToken && { refresh_token: account.rotate() };
		const answer = refreshed(newAccessToken(service), rotated || {}, service.orders.refreshAnswer);
		if (typeof answer === 'string') response.type('text/plain').send(answer);
		else response.json(answer);
	});

	route('/auth/get-api-keys', 'GET', (request, response) => {
		requireAccess(service, request);
		response.json(placed(account.keys, service.orders.keyList, 'api_keys'));
	});

	route('/auth/generate-api-key', 'POST', (request, response) => {
		requireChange(service, request);
		const { token, name, expiry_date: expiry } = bodyOf(request);
		if (name !== undefined && typeof name !== 'string')
			refuseAs('invalid_request', 'name must be text.');
		const dated =
			expiry === undefined || expiry === null || !Number.isNaN(Date.parse(String(expiry)));
		if (!dated) refuseAs('invalid_request', 'expiry_date must be a date.');
		if (!spend(token))
			refuseAs('invalid_request', 'The verification token is missing or was used before.');
		response.json(account.addKey(name ?? null, typeof expiry === 'string' ? expiry : null));
	});

	route('/auth/rename-api-key', 'PUT', (request, response) => {
		requireChange(service, request);
		const { api_key: key, name } = bodyOf(request);
		if (typeof name !== 'string' || name === '') refuseAs('invalid_request', 'name is required.');
		const record = requireRecord(service, key);
		record.name = name;
		response.json({ message: 'API key renamed successfully' });
	});

	route('/auth/api-key-model-access', 'PUT', (request, response) => {
		requireChange(service, request);
		const body = bodyOf(request);
		const record = requireRecord(service, body.api_key);
		// Null clears the restriction; only an absent field is an error.
		if (body.model_access === undefined) refuseAs('invalid_request', 'model_access is required.');
		record.model_access = body.model_access;
		const { cachePurged, cachePurgedForm, modelAccessStatus } = service.orders;
		response
			.status(modelAccessStatus ?? (cachePurged ? 200 : 202))
			.json({ message: 'Model access updated', ...purged(cachePurged, cachePurgedForm) });
	});

	route('/auth/delete-api-key', 'DELETE', (request, response) => {
		requireChange(service, request);
		const record = requireRecord(service, bodyOf(request).api_key);
		if (!service.orders.deletionsWork) {
			response.json({ success: false, message: 'The key could not be deleted' });
			return;
		}
		account.keys.splice(account.keys.indexOf(record), 1);
		response.json({ message: 'API key deleted successfully' });
	});

	return router;
}

function newAccessToken(service: Service): string {
	return service.account.tokens.issue('access', accountUser.email, service.orders.accessTokenMs);
}

function bearer(request: Request): string {
	return /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
}

/** A good access token, as bearer, or a session in the console's cookie. An API key is none. */
function requireAccess(service: Service, request: Request): Claims {
	const { tokens } = service.account;
	const token = bearer(request);
	const sent = [token, request.headers['x-api-key']];
	const claims = token
		? tokens.read(token, 'access')
		: tokens.read(sessionIn(request.headers.cookie), 'session');
	if (claims) return claims;
	if (sent.some((secret) => typeof secret === 'string' && secret.startsWith('SG_')))
		refuseAs('invalid_api_key', 'An API key does not open account calls: sign in.');
	refuseAs('invalid_token', 'The token is invalid or has expired.');
}

/** Calls that change a key need a session that may. */
function requireChange(service: Service, request: Request): void {
	requireAccess(service, request);
	if (service.orders.sessionScope === 'read')
		refuseAs('insufficient_scope', 'The token lacks the permission for this call.');
}

function bodyOf(request: Request): Record<string, unknown> {
	const { body } = receivedWith(request);
	if (!isRecord(body)) refuseAs('invalid_request', 'The body must be a JSON object.');
	return body;
}

function requireRecord({ account, orders }: Service, key: unknown): ApiKeyRecord {
	if (typeof key !== 'string' || key === '') refuseAs('invalid_request', 'api_key is required.');
	const record = account.keys.find(({ api_key }) => api_key === key);
	if (!record) refuseAs(orders.unknownKey, 'No such API key.');
	return record;
}

/** The new access token where the orders want it. */
function refreshed(
	token: string,
	rotated: { refresh_token?: string },
	form: Orders['refreshAnswer'],
): object | string {
	switch (form) {
		case 'access_token':
		case 'accessToken':
		case 'token':
			return { [form]: token, ...rotated };
		case 'data':
			return { data: { access_token: token, ...rotated } };
		case 'text':
			return token;
		case 'unusable':
			return { message: 'Token refreshed' };
	}
}

function purged(live: boolean, form: Orders['cachePurgedForm']): object {
	switch (form) {
		case 'flag':
			return { cache_purged: live };
		case 'text':
			return { cache_purged: String(live) };
		case 'nested':
			return { data: { cache_purged: live } };
		case 'absent':
			return {};
	}
}

/** Counts in fixed windows, the first opened by the first call. A null limit counts nothing. */
function windowOf(lengthMs: number): {
	take(now: number, limit: number | null): boolean;
	reset(): void;
} {
	let start: number | undefined;
	let used = 0;
	return {
		take(now, limit) {
			if (limit === null) return true;
			if (start === undefined || now - start >= lengthMs) {
				start = now;
				used = 0;
			}
			if (used >= limit) return false;
			used += 1;
			return true;
		},
		reset() {
			start = undefined;
			used = 0;
		},
	};
}
