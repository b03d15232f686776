import { Router, type Request, type Response } from 'express';
import { mediaType } from './body';
import { receivedWith } from './origin';
import { isRecord } from './prompt';
import { refuse, Refusal } from './refusal';
import type { Service } from './service';

export type Handler = (request: Request, response: Response) => Promise<void> | void;

/** Handlers by path and method. */
export type Routes = Record<string, Record<string, Handler>>;

const notAllowed =
	'<!doctype html>\n<title>405 Method Not Allowed</title>\n<h1>Method Not Allowed</h1>\n<p>The method is not allowed for the requested URL.</p>\n';

/** Serves these paths, in this order; another method than theirs gets the service's 405, whose body is HTML. */
export function routerOf(routes: Routes): Router {
	const router = Router({ caseSensitive: true });
	for (const [path, handlers] of Object.entries(routes)) {
		router.all(path, async (request, response) => {
			const handler = handlers[request.method];
			if (!handler) throw new Refusal(405, notAllowed, { allow: Object.keys(handlers).join(', ') });
			await handler(request, response);
		});
	}
	return router;
}

/** The same routes behind a guard, which throws to reject a call. */
export function guarded(routes: Routes, guard: Handler): Routes {
	const before = (handler: Handler): Handler => {
		return async (request, response) => {
			await guard(request, response);
			await handler(request, response);
		};
	};
	const each = <From, To>(record: Record<string, From>, make: (value: From) => To) =>
		Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value)]));
	return each(routes, (handlers) => each(handlers, before));
}

/** Lets calls with the right key through and counts them against the rate limit where there is one. */
export function withKey(service: Service, routes: Routes): Routes {
	return guarded(routes, (request, response) => {
		requireKey(service, request);
		if (receivedWith(request).call.origin === 'api') response.set(service.rateLimiter.count());
	});
}

/** The two 401 texts (docs/service.md S24, S25). A key sent as bearer token is rejected even next to a valid header. */
function requireKey(service: Service, request: Request): void {
	const key = request.headers['x-api-key'];
	const bearer = request.headers.authorization;
	if (key === undefined && bearer === undefined)
		refuse(401, 'Missing Authorization or x-api-key in header');
	const good = service.account.keys.some(({ api_key }) => api_key === key);
	if (!good || bearer !== undefined)
		refuse(401, 'Unauthorized. API key is invalid or may have expired.');
}

/** Of a call to an address that takes no key. */
export function showsSecret({ headers }: Request): boolean {
	return headers['x-api-key'] !== undefined || headers.authorization !== undefined;
}

/** 406 when the content type is not JSON. */
export function requireJson(request: Request): void {
	if (mediaType(request) !== 'application/json') refuse(406, 'Invalid content type');
}

/** The body as a JSON object. 406 when the content type is not JSON, 400 when the body is no object. */
export function jsonObject(request: Request): Record<string, unknown> {
	requireJson(request);
	const { body } = receivedWith(request);
	if (!isRecord(body)) refuse(400, 'Malformed request: the body must be a JSON object.');
	return body;
}

/** A path parameter. */
export function parameter(request: Request, name: string): string {
	const value = request.params[name];
	return typeof value === 'string' ? value : '';
}
