/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { buffer } from 'node:stream/consumers';
import express, {
	type ErrorRequestHandler,
	type Request,
	type RequestHandler,
	type Response,
} from 'express';
import { truncateStrings, parseBody } from './body';
import { findLeaks } from './leaks';
import { receive } from './receivedCalls';
import { reject, Rejection, rejectUnknownPath } from './rejection';
import { controlRoutes } from './routes/control';
import { kindRouter, routerOf, type Noted, type Routes } from './routing';
import type { Service } from './service';
import type { Call, OriginName } from './types';

/** What the path of each call says, known before its body is read. */
const notedCalls = new WeakMap<Request, Noted>();

/** Builds the Express application of one origin, which records each call. The api origin also has the control routes, whose calls aren't recorded. */
export function originApp(service: Service, origin: OriginName, routes: Routes): express.Express {
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.enable('case sensitive routing');
	if (origin === 'api') app.use(controlRoutes(service));
	app.use(kindRouter(routes, (request, noted) => notedCalls.set(request, noted)));
	app.use(recordCalls(service, origin));
	app.use(routerOf(routes));
	app.use(origin === 'api' ? rejectUnknownPath : () => reject(404, 'Not found'));
	return app.use(sendError);
}

function recordCalls(service: Service, origin: OriginName): RequestHandler {
	return async (request, response, next) => {
		await service.moments.at(async () => {
			const call = newCall(service, origin, request);
			service.calls.push(call);
			service.open.add(response);
			recordStatus(response, call);
			setDate(service, response);
			const drop = (): void => void request.socket.destroy();
			const faulty = { call, request, response, timers: service.timers, drop };
			// Read the body whatever the method: three of the service's calls are GETs with a body.
			const raw = await buffer(request);
			const body = await parseBody(request, raw);
			call.bodyBytes = raw.length;
			call.body = truncateStrings(body, raw.length);
			receive(request, { call, raw, body });
			const { method, path, at } = call;
			for (const where of findLeaks(call, service.key, raw))
				service.leaks.push({ leak: true, origin, method, path, where, at });
			if (await service.faults.apply(faulty)) next();
		});
	};
}

function newCall(service: Service, origin: OriginName, request: Request): Call {
	const path = request.originalUrl;
	const { kind, requestId } = notedCalls.get(request) ?? { kind: 'other' };
	return {
		index: service.calls.length,
		at: service.moments.now(),
		origin,
		kind,
		method: request.method,
		path,
		headers: Object.fromEntries(
			Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
		),
		bodyBytes: 0,
		body: undefined,
		status: undefined,
		...(requestId !== undefined && { requestId }),
	};
}

/** Sets the `date` header, from which clients learn the service's time. */
export function setDate(service: Service, response: Response): void {
	response.setHeader('date', new Date(service.now()).toUTCString());
}

/** Records the status when the head is sent, so that the record is complete before the client sees the response. */
function recordStatus(response: Response, call: Call): void {
	const writeHead = response.writeHead.bind(response) as (...parts: unknown[]) => Response;
	response.writeHead = ((...parts: unknown[]) => {
		call.status = typeof parts[0] === 'number' ? parts[0] : response.statusCode;
		return writeHead(...parts);
	}) as typeof response.writeHead;
}

const sendError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
	if (response.headersSent || response.destroyed) {
		next(error);
		return;
	}
	if (error instanceof Rejection) {
		response.status(error.status).set(error.headers);
		if (typeof error.body === 'string') {
			if (!error.headers['content-type']) response.type('html');
			response.send(error.body);
		} else {
			response.json(error.body);
		}
		return;
	}
	// Either the client hung up while its body was read, so nobody sees this response, or the emulator has a bug.
	response
		.status(500)
		.json({ error: `Emulator error: ${error instanceof Error ? error.message : String(error)}` });
};
