import { Router, type Request, type Response } from 'express';
import { mediaType } from './body';
import { receivedCallOf } from './receivedCalls';
import { isRecord } from './prompt';
import { reject, Rejection } from './rejection';
import type { Service } from './service';
import type { CallKind } from './types';

export type Handler = (request: Request, response: Response) => Promise<void> | void;

/** Handlers by method. */
type Handlers = Partial<Record<(typeof METHODS)[number], Handler>>;

/** What serves a path, and the kind under which its calls are recorded. A call with a method that has no handler is of kind `other`. */
type Route = Handlers & { kind: CallKind };

/** Routes by path. */
export type Routes = Record<string, Route>;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;

function handlerOf(route: Route, method: string): Handler | undefined {
	const known = METHODS.find((name) => name === method);
	return known && route[known];
}

/** Returns routes whose calls are all of one kind. */
export function ofKind(kind: CallKind, handlers: Record<string, Handlers>): Routes {
	return mapValues(handlers, (route) => ({ ...route, kind }));
}

/** Returns the one route of an origin that serves every call in the same way. */
export function everyPath(kind: CallKind, serve: Handler): Routes {
	return ofKind(kind, {
		'/{*path}': Object.fromEntries(METHODS.map((method) => [method, serve])),
	});
}

function mapValues<From, To>(record: Record<string, From>, make: (value: From) => To) {
	return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value)]));
}

/** Notes the kind of each call and the request in its path, and lets it continue. Express matches the path, as for the handlers. */
export function kindRouter(routes: Routes, note: (request: Request, noted: Noted) => void): Router {
	const router = Router({ caseSensitive: true });
	for (const [path, route] of Object.entries(routes)) {
		router.all(path, (request, _response, next) => {
			const kind = handlerOf(route, request.method) ? route.kind : 'other';
			note(request, { kind, requestId: pathParameter(request, 'id') || undefined });
			next('router');
		});
	}
	return router;
}

/** What the path of a call says. */
export interface Noted {
	kind: CallKind;
	requestId?: string;
}

const METHOD_NOT_ALLOWED =
	'<!doctype html>\n<title>405 Method Not Allowed</title>\n<h1>Method Not Allowed</h1>\n<p>The method is not allowed for the requested URL.</p>\n';

/** Serves these paths, in this order. A method without a handler gets the service's 405, whose body is HTML. */
export function routerOf(routes: Routes): Router {
	const router = Router({ caseSensitive: true });
	for (const [path, route] of Object.entries(routes)) {
		router.all(path, async (request, response) => {
			const handler = handlerOf(route, request.method);
			if (!handler) {
				const allow = METHODS.filter((method) => route[method]).join(', ');
				throw new Rejection(405, METHOD_NOT_ALLOWED, { allow });
			}
			await handler(request, response);
		});
	}
	return router;
}

/** Returns routes that run `guard` before each handler. The guard throws to reject a call. */
export function guardRoutes(routes: Routes, guard: Handler): Routes {
	const withGuard = (handler: Handler): Handler => {
		return async (request, response) => {
			await guard(request, response);
			await handler(request, response);
		};
	};
	return mapValues(routes, ({ kind, ...handlers }) => ({
		...mapValues(handlers, withGuard),
		kind,
	}));
}

/** Returns routes that reject calls without a valid key. Inference calls and uploads also count against the rate limit (docs/service.md S220). */
export function guardWithKey(service: Service, routes: Routes): Routes {
	return guardRoutes(routes, (request, response) => {
		requireKey(service, request);
		const { origin } = receivedCallOf(request).call;
		if (origin === 'api' || origin === 'upload') response.set(service.rateLimiter.count());
	});
}

/** Rejects a call without a valid key, with one of two messages (docs/service.md S24, S25). A bearer token is rejected even together with a valid key. */
function requireKey(service: Service, request: Request): void {
	const key = request.headers['x-api-key'];
	const bearer = request.headers.authorization;
	if (key === undefined && bearer === undefined)
		reject(401, 'Missing Authorization or x-api-key in header');
	const isKnown = service.account.keys.some(({ api_key }) => api_key === key);
	if (!isKnown || bearer !== undefined)
		reject(401, 'Unauthorized. API key is invalid or may have expired.');
}

/** Whether a call has a header with a key or a token. */
export function hasSecret({ headers }: Request): boolean {
	return headers['x-api-key'] !== undefined || headers.authorization !== undefined;
}

/** @throws Rejection with 406 if the content type isn't JSON */
export function requireJson(request: Request): void {
	if (mediaType(request) !== 'application/json') reject(406, 'Invalid content type');
}

/** Returns the body as a JSON object. @throws Rejection with 406 if the content type isn't JSON, and with 400 if the body isn't an object */
export function readJsonObject(request: Request): Record<string, unknown> {
	requireJson(request);
	const { body } = receivedCallOf(request);
	if (!isRecord(body)) reject(400, 'Malformed request: the body must be a JSON object.');
	return body;
}

export function pathParameter(request: Request, name: string): string {
	const value = request.params[name];
	return typeof value === 'string' ? value : '';
}
