/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { buffer } from 'node:stream/consumers';
import express, {
	type ErrorRequestHandler,
	type Request,
	type RequestHandler,
	type Response,
} from 'express';
import { forRecord, parsed } from './body';
import { kindOf, requestIdIn } from './callKinds';
import { leaksIn } from './leaks';
import { Refusal } from './refusal';
import { controlRoutes } from './routes/control';
import type { Service } from './service';
import type { Call, OriginName } from './types';

/** What the recorder learned of a call, for the routes. */
export interface Received {
	call: Call;
	raw: Buffer;
	/** Parsed JSON or form fields; undefined when there was neither. */
	body: unknown;
}

const received = new WeakMap<Request, Received>();

/** What arrived with this request. */
export function receivedWith(request: Request): Received {
	const entry = received.get(request);
	if (!entry) throw new Error('The request was not recorded.');
	return entry;
}

/** The express application of one origin: the recorder, its routes and its error responses. The api origin also accepts orders, without recording them. */
export function originApp(
	service: Service,
	origin: OriginName,
	routes: RequestHandler[],
): express.Express {
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.enable('case sensitive routing');
	if (origin === 'api') app.use(controlRoutes(service));
	app.use(recorder(service, origin));
	for (const route of routes) app.use(route);
	return app.use(answerRefusal);
}

function recorder(service: Service, origin: OriginName): RequestHandler {
	return async (request, response, next) => {
		await service.moments.at(async () => {
			const call = callOf(service, origin, request);
			service.calls.push(call);
			service.open.add(response);
			noteStatus(response, call);
			tellDate(service, response);
			const drop = (): void => void request.socket.destroy();
			const struck = { call, request, response, timers: service.timers, drop };
			if (!(await service.faults.strike(struck, 'inBody'))) return;
			// For every method, because three of the service's calls are GETs with a body.
			const raw = await buffer(request);
			const body = await parsed(request, raw);
			call.bodyBytes = raw.length;
			call.body = forRecord(body, raw.length);
			received.set(request, { call, raw, body });
			const { method, path, at } = call;
			for (const where of leaksIn(call, service.key, raw))
				service.leaks.push({ leak: true, origin, method, path, where, at });
			if (await service.faults.strike(struck, 'read')) next();
		});
	};
}

function callOf(service: Service, origin: OriginName, request: Request): Call {
	const path = request.originalUrl;
	const bare = path.split('?')[0];
	const requestId = requestIdIn(bare);
	return {
		index: service.calls.length,
		at: service.moments.now(),
		origin,
		kind: kindOf(origin, request.method, bare),
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

/** Clients read the service's time from here. */
export function tellDate(service: Service, response: Response): void {
	response.setHeader('date', new Date(service.now()).toUTCString());
}

/** Written when the head is sent, so that the record is complete before the client sees the response. */
function noteStatus(response: Response, call: Call): void {
	const writeHead = response.writeHead.bind(response) as (...parts: unknown[]) => Response;
	response.writeHead = ((...parts: unknown[]) => {
		call.status = typeof parts[0] === 'number' ? parts[0] : response.statusCode;
		return writeHead(...parts);
	}) as typeof response.writeHead;
}

const answerRefusal: ErrorRequestHandler = (error: unknown, _request, response, next) => {
	if (response.headersSent || response.destroyed) {
		next(error);
		return;
	}
	if (error instanceof Refusal) {
		response.status(error.status).set(error.headers);
		if (typeof error.body === 'string') {
			if (!error.headers['content-type']) response.type('html');
			response.send(error.body);
		} else {
			response.json(error.body);
		}
		return;
	}
	// A client that hung up while its body was read is no fault of the emulator.
	response
		.status(500)
		.json({ error: `Emulator error: ${error instanceof Error ? error.message : String(error)}` });
};
