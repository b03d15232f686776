import { Router, type Request } from 'express';
import { accountUser, type Account } from '../account';
import { receivedWith } from '../origin';
import { isRecord } from '../prompt';
import { Refusal } from '../refusal';
import { methods, parameter, type Handler } from '../routing';
import type { Service } from '../service';
import type { Claims } from '../tokens';
import type { ApiKeyRecord } from '../types';

/** Under this path of the account origin lies {account_url}. */
export const accountRoot = '/api';

const descriptions = {
	invalid_request: 400,
	invalid_token: 401,
	not_found: 404,
	rate_limit_exceeded: 429,
} as const;

/** The account error body of the specification ("Errors"). */
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

/** Account and authentication calls (specification, "Account and authentication"). */
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
		response.json({
			access_token: newAccessToken(service),
			...(service.orders.rotateRefreshToken && { refresh_token: account.rotate() }),
		});
	});

	route('/auth/get-api-keys', 'GET', (request, response) => {
		requireAccess(service, request);
		response.json(service.orders.keyList === 'array' ? account.keys : { api_keys: account.keys });
	});

	route('/auth/generate-api-key', 'POST', (request, response) => {
		requireAccess(service, request);
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
		requireAccess(service, request);
		const { api_key: key, name } = bodyOf(request);
		if (typeof name !== 'string' || name === '') refuseAs('invalid_request', 'name is required.');
		const record = requireRecord(account, key);
		record.name = name;
		response.json({ message: 'API key renamed successfully' });
	});

	route('/auth/api-key-model-access', 'PUT', (request, response) => {
		requireAccess(service, request);
		const body = bodyOf(request);
		const record = requireRecord(account, body.api_key);
		// Null clears the restriction; only an absent field is an error.
		if (body.model_access === undefined) refuseAs('invalid_request', 'model_access is required.');
		record.model_access = body.model_access;
		const live = service.orders.cachePurged;
		response.status(live ? 200 : 202).json({ message: 'Model access updated', cache_purged: live });
	});

	route('/auth/delete-api-key', 'DELETE', (request, response) => {
		requireAccess(service, request);
		const record = requireRecord(account, bodyOf(request).api_key);
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

const sessionCookie = 'segmind_session';

/** A good access token, as bearer or in the session cookie. An API key is none. */
function requireAccess(service: Service, request: Request): Claims {
	const cookie = new RegExp(`(?:^|;\\s*)${sessionCookie}=([^;]+)`).exec(
		request.headers.cookie ?? '',
	)?.[1];
	const token = bearer(request) || (cookie ?? '');
	const claims = service.account.tokens.read(token, 'access');
	if (!claims) refuseAs('invalid_token', 'The token is invalid or has expired.');
	return claims;
}

function bodyOf(request: Request): Record<string, unknown> {
	const { body } = receivedWith(request);
	if (!isRecord(body)) refuseAs('invalid_request', 'The body must be a JSON object.');
	return body;
}

function requireRecord(account: Account, key: unknown): ApiKeyRecord {
	if (typeof key !== 'string' || key === '') refuseAs('invalid_request', 'api_key is required.');
	const record = account.keys.find(({ api_key }) => api_key === key);
	if (!record) refuseAs('not_found', 'No such API key.');
	return record;
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
