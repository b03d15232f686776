import type { Request } from 'express';
import { accountUser } from '../account';
import { receivedCallOf } from '../receivedCalls';
import { isRecord } from '../prompt';
import { Rejection } from '../rejection';
import { guardRoutes, ofKind, type Routes } from '../routing';
import type { Service } from '../service';
import type { ApiKeyRecord } from '../types';

/** The path of the credential's Account URL on the account origin. */
export const accountRoot = '/api';

const statusByError = {
	invalid_request: 400,
	invalid_token: 401,
	invalid_api_key: 401,
	not_found: 404,
	rate_limit_exceeded: 429,
} as const;

/** Rejects a call with the error body of account calls (docs/service.md S203). */
function rejectAs(error: keyof typeof statusByError, description: string): never {
	const status = statusByError[error];
	throw new Rejection(status, { error, error_description: description, status_code: status });
}

const ACCESS_TOKEN_MS = 3_600_000;
const MAX_REFRESHES_PER_HOUR = 10;

/** Account and authentication calls (docs/service.md S380 to S389). */
export function accountRoutes(service: Service): Routes {
	const { account, orders } = service;
	return guardRoutes({ ...sessionRoutes(service), ...keyRoutes(service) }, () => {
		const { authPerMinute } = orders;
		if (authPerMinute !== null && !account.callCounter.take(service.now(), authPerMinute))
			rejectAs('rate_limit_exceeded', 'Too many authentication requests.');
	});
}

function sessionRoutes(service: Service): Routes {
	const { account } = service;
	const newAccessToken = (): string =>
		account.tokens.issue('access', accountUser.email, ACCESS_TOKEN_MS);
	return ofKind('account', {
		[`${accountRoot}/auth/profile`]: {
			GET(request, response) {
				requireAccessToken(service, request);
				response.json({
					access_token: newAccessToken(),
					refresh_token: account.currentRefreshToken(),
					...accountUser,
				});
			},
		},
		[`${accountRoot}/auth/refresh-token`]: {
			POST(request, response) {
				const isValid = account.tokens.isValid(bearerToken(request), 'refresh');
				if (!isValid) rejectAs('invalid_token', 'The refresh token is invalid or has expired.');
				if (!account.refreshCounter.take(service.now(), MAX_REFRESHES_PER_HOUR))
					rejectAs('rate_limit_exceeded', 'Too many token refreshes.');
				response.json({
					access_token: newAccessToken(),
					...(service.orders.rotateRefreshToken && { refresh_token: account.rotateRefreshToken() }),
				});
			},
		},
	});
}

function keyRoutes(service: Service): Routes {
	const { account } = service;
	const routes = ofKind('account', {
		[`${accountRoot}/auth/get-api-keys`]: {
			GET(_request, response) {
				response.json(account.keys);
			},
		},
		[`${accountRoot}/auth/generate-api-key`]: {
			POST(request, response) {
				const { token, name, expiry_date: expiry } = bodyOf(request);
				if (name !== undefined && typeof name !== 'string')
					rejectAs('invalid_request', 'name must be text.');
				const isDate =
					expiry === undefined || expiry === null || !Number.isNaN(Date.parse(String(expiry)));
				if (!isDate) rejectAs('invalid_request', 'expiry_date must be a date.');
				if (!account.consumeVerificationToken(token))
					rejectAs('invalid_request', 'The verification token is missing or was used before.');
				response.json(account.addKey(name ?? null, typeof expiry === 'string' ? expiry : null));
			},
		},
		[`${accountRoot}/auth/rename-api-key`]: {
			PUT(request, response) {
				const { api_key: key, name } = bodyOf(request);
				if (typeof name !== 'string' || name === '')
					rejectAs('invalid_request', 'name is required.');
				requireKeyRecord(service, key).name = name;
				response.json({ message: 'API key renamed successfully' });
			},
		},
		[`${accountRoot}/auth/api-key-model-access`]: {
			PUT(request, response) {
				const { api_key: key, model_access: access } = bodyOf(request);
				const record = requireKeyRecord(service, key);
				// Null clears the restriction; only an absent field is an error.
				if (access === undefined) rejectAs('invalid_request', 'model_access is required.');
				record.model_access = access;
				response.json({ message: 'Model access updated', cache_purged: true });
			},
		},
		[`${accountRoot}/auth/delete-api-key`]: {
			DELETE(request, response) {
				const record = requireKeyRecord(service, bodyOf(request).api_key);
				account.keys.splice(account.keys.indexOf(record), 1);
				response.json({ message: 'API key deleted successfully' });
			},
		},
	});
	return guardRoutes(routes, (request) => requireAccessToken(service, request));
}

function bearerToken(request: Request): string {
	return /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
}

/** Rejects a call whose bearer token isn't a valid access token. An API key isn't an access token. */
function requireAccessToken({ account }: Service, request: Request): void {
	const token = bearerToken(request);
	if (account.tokens.isValid(token, 'access')) return;
	if ([token, request.headers['x-api-key']].some((secret) => String(secret).startsWith('SG_')))
		rejectAs('invalid_api_key', 'An API key does not give access to account calls: sign in.');
	rejectAs('invalid_token', 'The token is invalid or has expired.');
}

function bodyOf(request: Request): Record<string, unknown> {
	const { body } = receivedCallOf(request);
	return isRecord(body) ? body : rejectAs('invalid_request', 'The body must be a JSON object.');
}

function requireKeyRecord({ account }: Service, key: unknown): ApiKeyRecord {
	if (typeof key !== 'string' || key === '') rejectAs('invalid_request', 'api_key is required.');
	return (
		account.keys.find(({ api_key }) => api_key === key) ?? rejectAs('not_found', 'No such API key.')
	);
}
